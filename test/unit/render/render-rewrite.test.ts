import assert from 'node:assert/strict';
import fc from 'fast-check';
import { differencesIn } from '../../../daemon/render/jinja/differences.ts';
import { codeOf, referencesOf, rewrite } from '../../../daemon/render/jinja/rewrite.ts';
import { withMemoryLimit } from '../../../daemon/render/jinja/wasm.ts';

describe('The rewrite of a template', () => {
  it('leaves texts, comments and raw parts as they are', () => {
    for (const text of [
      'plain } text {',
      'a{# {{ x.items() }} #}b',
      '{% raw %}{{ x.items() }}{% endraw %}',
      '{%- raw -%} {% for %}{%- endraw %}',
    ]) {
      assert.equal(rewrite(text).text, text);
    }
  });

  it('keeps every line where it is', () => {
    const words = fc.constantFrom(
      '{{ a }}',
      '{% for x in y.items() %}',
      '{% endfor %}',
      '\n',
      '{{ "}}" }}',
      '{% if a\n %}',
      'text',
      "{% include 'x' %}",
      '{#\n#}',
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const source = parts.join('');
        assert.equal(rewrite(source).text.split('\n').length, source.split('\n').length);
      }),
    );
  });

  it('ends on anything', () => {
    const pieces = fc.constantFrom(
      '{{',
      '}}',
      '{%',
      '%}',
      '{#',
      '#}',
      '"',
      "'",
      '\\',
      ' for ',
      ' in ',
      ' raw ',
      '|',
      '.items()',
      '(',
      ')',
      '[',
      '{',
      '}',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const source = parts.join('');
        rewrite(source);
        referencesOf(source);
        differencesIn(source);
      }),
    );
  });

  const hostile = {
    'quotes that never close': `{{ ${'\\"'.repeat(500_000)}`,
    'raw parts that never close': '{% raw %}'.repeat(100_000),
    'comments that never close': '{#'.repeat(500_000),
    'outputs that never close': '{{ '.repeat(300_000),
    'numbers without end': `{{ ${'1.0 '.repeat(250_000)}`,
    'brackets without end': `{{ ${'('.repeat(500_000)}`,
  };
  for (const [name, source] of Object.entries(hostile)) {
    it(`finds references where quadratic time would be hours: ${name}`, () => {
      assert.ok(referencesOf(source) !== undefined && differencesIn(source) !== undefined);
    });
  }

  it('names what a template includes, and says when a name is computed', () => {
    const source =
      "{% extends 'a' %}{% include [\"b\", 'c'] ignore missing %}{% import 'd' as d %}{% from 'e' import f with context %}";
    assert.deepEqual(referencesOf(source), { names: ['a', 'b', 'c', 'd', 'e'], computed: false });
    assert.deepEqual(referencesOf('{% include name ~ ".txt" %}'), { names: ['.txt'], computed: true });
  });

  it('sees code only where code is', () => {
    assert.deepEqual(codeOf('100 %} {{ a }} {# {{ b }} #}{% if c %}'), ['{{ a }}', '{% if c %}']);
  });
});

describe('The bound on memory', () => {
  it('is put into the memory section, and nothing else changes', () => {
    const [before, section, after] = [
      [0, 97, 115, 109, 1, 0, 0, 0, 1, 1, 0],
      [5, 3, 1, 0, 17],
      [7, 1, 0],
    ];
    const bounded = withMemoryLimit(Uint8Array.from([...before, ...section, ...after]), 300);
    assert.deepEqual([...bounded], [...before, 5, 5, 1, 1, 17, 0xac, 0x02, ...after]);
  });
});
