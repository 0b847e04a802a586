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

  it('never lose the best of any island', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(4)), { maxLength: 120 }), (steps) => {
        const islands = make();
        for (const [index, [fitness, place]] of steps.entries()) {
          const bests = islands.islands.map((island) => island.best()?.fitness ?? -1);
          islands.add(entryOf(index, fitness, place));
          islands.endGeneration(Math.floor((index + 1) / 4));
          islands.islands.forEach((island, i) => {
            assert.ok((island.best()?.fitness ?? -1) >= (bests[i] ?? 0));
          });
        }
      }),
      { numRuns: 50 },
    );
  });

  it('need at least one archive', () => {
    const isRefused = (error: unknown) => error instanceof PeagenError && error.code === 'invalid_input';
    assert.throws(() => new Islands(options, archive(), []), isRefused);
  });
});
