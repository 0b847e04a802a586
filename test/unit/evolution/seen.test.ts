import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { Seen } from '../../../daemon/evolution/seen.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { Sha256 } from '../../../shared/ids.ts';

const sha = (text: string): Sha256 => Sha256.parse(createHash('sha256').update(text).digest('hex'));

describe('seen', () => {
  it('never denies what was added, also after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 200 }), (texts) => {
        const seen = new Seen();
        for (const text of texts) seen.add(sha(text));
        const decoded = Seen.decode(seen.encode());
        for (const text of texts) {
          assert.ok(seen.has(sha(text)));
          assert.ok(decoded.has(sha(text)));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('knows nothing when it is new', () => {
    const seen = new Seen();
    for (let i = 0; i < 1000; i++) assert.equal(seen.has(sha(`${i}`)), false);
  });

  it('is wrong about at most 1 in 1,000 after 10,000 programs', () => {
    const seen = new Seen();
    for (let i = 0; i < 10_000; i++) seen.add(sha(`in ${i}`));
    const trials = 50_000;
    let wrong = 0;
    for (let i = 0; i < trials; i++) if (seen.has(sha(`out ${i}`))) wrong++;
    assert.ok(wrong / trials <= 0.001, `${wrong} of ${trials}`);
  });

  it('has one size, whatever it holds', () => {
    const empty = new Seen().encode();
    const full = new Seen();
    for (let i = 0; i < 100; i++) full.add(sha(`${i}`));
    assert.equal(full.encode().length, empty.length);
    assert.ok(empty.length < 25_000);
  });

  it('refuses a text it did not make', () => {
    for (const text of ['', 'AAAA', 'not base64 at all', `${new Seen().encode().slice(0, -4)}!!!!`]) {
      assert.throws(
        () => Seen.decode(text),
        (error) => error instanceof PeagenError && error.code === 'invalid_input',
      );
    }
  });
});
