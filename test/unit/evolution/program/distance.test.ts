import assert from 'node:assert/strict';
import fc from 'fast-check';
import { profileDistance, tokenProfile } from '../../../../daemon/evolution/distance.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'if', '(', ')', '=', '1', 'größe'), { maxLength: 30 })
  .map((tokens) => tokens.join(' '));

const tokenDistance = (a: string, b: string): number => profileDistance(tokenProfile(a), tokenProfile(b));

describe('the distance of two texts', () => {
  it('is zero for equal tokens, symmetric, and between 0 and 1', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const distance = tokenDistance(a, b);
        assert.ok(distance >= 0 && distance <= 1);
        assert.equal(distance, tokenDistance(b, a));
        assert.equal(tokenDistance(a, a), 0);
        assert.equal(tokenDistance(a, a.replaceAll(' ', '\n  ')), 0);
      }),
    );
  });

  it('is one for texts with nothing in common', () => {
    assert.equal(tokenDistance('a b c d', 'e f g h'), 1);
    assert.equal(tokenDistance('', 'a'), 1);
    assert.equal(tokenDistance('', ''), 0);
  });

  it('keeps the triangle inequality', () => {
    fc.assert(
      fc.property(text, text, text, (a, b, c) => {
        assert.ok(tokenDistance(a, c) <= tokenDistance(a, b) + tokenDistance(b, c) + 1e-12);
      }),
    );
  });

  it('grows with the change', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `value${i} = compute(${i}, table[${i}])`);
    const changed = (n: number) => lines.map((line, i) => (i < n ? line.replace('compute', 'other') : line)).join('\n');
    const distances = [0, 1, 5, 20].map((n) => tokenDistance(changed(0), changed(n)));
    assert.deepEqual(
      distances,
      [...distances].sort((a, b) => a - b),
    );
    assert.ok((distances[1] ?? 1) < 0.1);
  });
});
