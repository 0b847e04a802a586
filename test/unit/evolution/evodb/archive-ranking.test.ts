import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Ranking } from '../../../../daemon/evolution/evodb/ranking.ts';
import { createRandom } from '../../../../daemon/random.ts';

const ascending = (a: number, b: number) => a - b;

describe('archive ranking', () => {
  it('is a sorted array, whatever is added and removed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(60)), { maxLength: 300 }), (steps) => {
        const ranking = new Ranking(ascending);
        const model = new Set<number>();
        for (const [add, item] of steps) {
          if (!add) assert.equal(ranking.remove(item), model.delete(item));
          else if (!model.has(item)) {
            ranking.add(item);
            model.add(item);
          }
        }
        const sorted = [...model].sort(ascending);
        assert.equal(ranking.size, sorted.length);
        assert.deepEqual([...ranking], sorted);
        assert.deepEqual(
          sorted.map((_, rank) => ranking.at(rank)),
          sorted,
        );
        assert.equal(ranking.at(sorted.length), undefined);
      }),
    );
  });

  it('stays sorted over the borders of its buckets', () => {
    const random = createRandom('ranking');
    const items = random.shuffle(Array.from({ length: 5000 }, (_, i) => i));
    const ranking = new Ranking(ascending);
    for (const item of items) ranking.add(item);
    for (const item of items.slice(0, 2500)) assert.ok(ranking.remove(item));
    assert.deepEqual([...ranking], items.slice(2500).sort(ascending));
    assert.equal(ranking.at(1200), [...ranking][1200]);
  });
});
