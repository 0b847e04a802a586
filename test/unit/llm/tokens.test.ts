import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type CountTokens, tokenCounter } from '../../../daemon/llm/cost/tokens.ts';

describe('counting tokens', () => {
  let count: CountTokens;
  before(async () => {
    count = await tokenCounter();
  });

  it('is exact for ordinary text', () => {
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 20 })), (parts) => {
        const text = parts.join('\n    ');
        assert.equal(count(text), encode(text).length);
      }),
    );
  });

  it('is exact for code, in any script, and for emoji', () => {
    const text = readFileSync(new URL('../../../daemon/llm/cost/tokens.ts', import.meta.url), 'utf8').replaceAll(
      '<|endoftext|>',
      '',
    );
    const samples = ['def größe(übung):\r\n\treturn übung ** 2  # 漢字かな交じり文', 'Привет, мир! 🙂👩‍👩‍👧‍👦 a\u0301', text];
    for (const sample of samples) assert.equal(count(sample), encode(sample).length);
    const pieces = ['(', ');', '\n', '    ', 'x', 'Foo', 'é', '漢', '🙂', "'ll", '12345', '\t', '=>', 'λ', '_', '/', '\r\n'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        assert.equal(count(parts.join('')), encode(parts.join('')).length);
      }),
    );
  });

  it('is exact for any text of ASCII', () => {
    const characters = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        assert.equal(count(text), encode(text, { disallowedSpecial: new Set() }).length);
      }),
    );
  });

  it('counts what looks like a special token as the text it is', () => {
    assert.ok(count('<|endoftext|>') > 1);
  });

  it('takes any text, and counts at least one token for a text that is not empty', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => assert.ok(count(text) >= 1)));
  });

  it('counts 400 KB without a break in well under a second', () => {
    const before = process.cpuUsage();
    for (const unit of ['a', ' ', '=', '\n', '語']) assert.ok(count(unit.repeat(400_000)) > 0);
    assert.ok(process.cpuUsage(before).user < 5_000_000);
  });
});
