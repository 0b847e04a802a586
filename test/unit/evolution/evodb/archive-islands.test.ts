import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Islands } from '../../../../daemon/evolution/evodb/islands.ts';
import { type ArchiveEntry, EvoDB } from '../../../../daemon/evolution/evodb.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { shaOf } from '../../../conformance/selector.ts';

const options = { interval: 5, migrants: 2 };
const archive = () => new EvoDB([{ name: 'place', bin: 1, unit: '' }]);
const make = () => new Islands(options, archive(), [archive(), archive(), archive()]);
const entryOf = (index: number, fitness: number, place: number): ArchiveEntry => ({
  sha256: shaOf(index),
  fitness,
  features: [place],
  metrics: {},
  generation: 0,
  index,
  parents: [],
  mutator: '',
  summary: '',
});

describe('islands', () => {
  it('start from the original, and keep their candidates apart', () => {
    const islands = make();
    islands.add(entryOf(-1, 1, 0));
    islands.add(entryOf(4, 2, 0));
    assert.deepEqual(
      islands.islands.map((island) => island.best()?.fitness),
      [1, 2, 1],
    );
    assert.equal(islands.whole.best()?.fitness, 2);
    assert.equal(islands.of(7), islands.islands[1]);
  });

  it('send their best to the next in the ring, all at once, every few generations', () => {
    const islands = make();
    islands.add(entryOf(0, 9, 0));
    islands.add(entryOf(3, 8, 1));
    islands.add(entryOf(6, 7, 2));
    for (let generation = 1; generation < 5; generation++) assert.equal(islands.endGeneration(generation), 0);
    assert.equal(islands.endGeneration(5), 2);
    const held = () => islands.islands.map((island) => island.champions().map((elite) => elite.index));
    assert.deepEqual(held(), [[0, 3, 6], [0, 3], []]);
    assert.equal(islands.endGeneration(5), 0, 'a generation ends once');
    assert.equal(islands.endGeneration(9), 0);
    assert.equal(islands.endGeneration(10), 2);
    assert.deepEqual(held(), [
      [0, 3, 6],
      [0, 3],
      [0, 3],
    ]);
  });

  it('never lose the best of any island, and go on the same after a snapshot', () => {
    const anySteps = fc.array(fc.tuple(fc.nat(9), fc.nat(4)), { maxLength: 60 });
    fc.assert(
      fc.property(anySteps, anySteps, (before, after) => {
        const islands = make();
        let index = 0;
        const step = (to: Islands, [fitness, place]: [number, number]) => {
          const bests = to.islands.map((island) => island.best()?.fitness ?? -1);
          to.add(entryOf(index++, fitness, place));
          to.endGeneration(Math.floor(index / 4));
          to.islands.forEach((island, i) => {
            assert.ok((island.best()?.fitness ?? -1) >= (bests[i] ?? 0));
          });
        };
        for (const one of before) step(islands, one);
        const restored = Islands.restore(options, structuredClone(islands.snapshot()));
        const at = index;
        for (const one of after) step(islands, one);
        index = at;
        for (const one of after) step(restored, one);
        assert.deepEqual(restored.snapshot(), islands.snapshot());
      }),
      { numRuns: 50 },
    );
  });

  it('refuse a damaged snapshot, and to be none', () => {
    const data = make().snapshot();
    const isRefused = (error: unknown) => error instanceof PeagenError && error.code === 'invalid_input';
    for (const bad of [null, {}, { ...data, islands: [] }, { ...data, whole: 1 }, { ...data, islands: [null] }]) {
      assert.throws(() => Islands.restore(options, bad), isRefused);
    }
    assert.throws(() => new Islands(options, archive(), []), isRefused);
  });
});
