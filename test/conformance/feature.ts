/** What every feature promises: a finite number or none, the same for the same program, whatever it is given. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Feature, FeatureInput } from '../../daemon/evolution/features.ts';

const body = 'def slow(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n';
const anyInput: fc.Arbitrary<FeatureInput> = fc.record({
  program: fc
    .tuple(fc.constantFrom('python', 'javascript', 'typescript', 'lua'), fc.oneof(fc.constant(body), fc.string()))
    .map(([language, text]) => ({
      language,
      files: [{ path: 'slow.txt', text: `# before\n${text}` }],
      spans: [{ path: 'slow.txt', start: 9, end: 9 + text.length }],
    })),
  metrics: fc.dictionary(
    fc.constantFrom('speed_ms', 'peak_kb', 'speedup', 'score'),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
  ),
  generation: fc.nat(1000),
});

export function featureConformance(name: string, make: () => Feature | Promise<Feature>): void {
  describe(`feature ${name}`, () => {
    let feature: Feature;
    before(async () => {
      feature = await make();
    });

    it('has its name and a unit, which may be empty', () => {
      assert.equal(feature.name, name);
      assert.equal(typeof feature.unit, 'string');
    });

    it('gives a finite number or none, the same each time, and leaves what it is given as it is', () => {
      fc.assert(
        fc.property(anyInput, (input) => {
          const kept = structuredClone(input);
          const value = feature.value(input);
          assert.ok(value === undefined || Number.isFinite(value), `${value}`);
          assert.equal(feature.value(input), value);
          assert.deepEqual(structuredClone(input), kept);
        }),
      );
    });
  });
}
