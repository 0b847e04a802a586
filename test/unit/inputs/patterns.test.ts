/** Texts made from regular expressions, and numbers made from others of the same call. */
import assert from 'node:assert/strict';
import { readCall } from '../../../daemon/judging/inputs/values/data.ts';
import { matching } from '../../../daemon/judging/inputs/values/patterns.ts';
import { withRelated } from '../../../daemon/judging/inputs/values/related.ts';
import { createRandom } from '../../../daemon/random.ts';

describe('texts made from a regular expression', () => {
  const patterns = [
    String.raw`^\d{4}-\d{2}-\d{2}$`,
    String.raw`\[([^\]]+)\]\s*$`,
    String.raw`^([^[\]]+)\[([^[\]]*)\]$`,
    String.raw`^[a-f0-9]{2,4}(?:-|\.)x+\w*$`,
    '^(?:yes|no|maybe)$',
    String.raw`^[+-]?\d+(\.\d+)?%?$`,
    String.raw`^\{\s*(\w+)\s*\|?\}$`,
    String.raw`^[\p{L}_][\p{L}\p{N}_]*$`,
  ];
  for (const pattern of patterns) {
    it(`are matched by ${pattern}`, () => {
      const random = createRandom(1);
      for (let left = 50; left > 0; left--)
        assert.match(matching(pattern, random), new RegExp(pattern, pattern.includes('\\p{') ? 'u' : ''));
    });
  }

  it('are made of expressions that are cut off, too', () => {
    const random = createRandom(1);
    for (const pattern of ['(', '[', '\\', 'a{', '(?<name>x', '[^]', 'a|', '(?=x)y']) {
      assert.equal(typeof matching(pattern, random), 'string');
    }
  });
});

describe('the letters that an expression takes', () => {
  it('are often a word of the call, or two with a sign that it takes between them', () => {
    const random = createRandom(1);
    const made = (pattern: string) =>
      new Set(Array.from({ length: 60 }, () => matching(pattern, random, ['kiwi', 'fig', 'a b'])));
    const names = made(String.raw`\{\{([\w.]+)\}\}`);
    assert.ok(
      names.has('{{kiwi}}') && [...names].some((text) => /\{\{(?:kiwi\.fig|fig\.kiwi)\}\}/.test(text)),
      [...names].join(),
    );
    assert.ok([...made(String.raw`^[a-f]+\d+$`)].every((text) => !text.includes('kiwi')));
  });
});

describe('a number made from others of its call', () => {
  it('is another one, a sum, a difference or a product, and whole where it was', () => {
    const draft = readCall({ args: [[3, { size: 5 }], 7], kwargs: {} });
    const random = createRandom(1);
    const found = new Set<unknown>();
    for (let left = 400; left > 0; left--) found.add(withRelated(draft, random, 'python').args[1]);
    for (const expected of [3, 5, 7, 8, 10, 12, 2, 15]) assert.ok(found.has(expected), `${expected} is not among ${[...found]}`);
    assert.ok([...found].every(Number.isInteger));
  });

  it('stays as it is where there is no other', () => {
    const draft = readCall({ args: [3, 'a'], kwargs: {} });
    assert.equal(withRelated(draft, createRandom(1), 'node'), draft);
  });
});
