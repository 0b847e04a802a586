import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Arrangement, arrange, arrangementFrom, differingAxes, sortKeys } from '../../../extension/views/arrange.ts';
import { Sha256 } from '../../../shared/ids.ts';
import type { Elite, FeatureAxis } from '../../../shared/niche.ts';
import { nicheLabel } from '../../../shared/words/niche-label.ts';

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 5, unit: 'ms' },
  { name: 'size', bin: 40, unit: 'ch' },
];

function elite(index: number, change: Partial<Elite> = {}): Elite {
  return {
    sha256: Sha256.parse((index + 2).toString(16).padStart(64, '0')),
    niche: `${index}/0`,
    fitness: 1,
    features: [0, 0],
    metrics: {},
    generation: 0,
    index,
    parents: [],
    mutator: 'structural',
    summary: '',
    ...change,
  };
}

const known = {
  rank: ({ fitness }: Elite) => fitness,
  label: ({ niche }: Elite) => nicheLabel(niche, axes),
  pinned: (one: Elite) => one.pinned === true,
  fresh: (one: Elite) => one.index === 2,
};
const some = [
  elite(-1, { niche: '9/1', mutator: 'original' }),
  elite(0, { niche: '10/0', fitness: 1.5, generation: 1, summary: 'delete statement' }),
  elite(1, { niche: '2/3', fitness: 3, metrics: { speedup: 2 }, generation: 2, mutator: 'patch', pinned: true }),
  elite(2, { niche: '2/1', fitness: 2.5, generation: 1, summary: 'swap' }),
];
const indices = (arrangement: Partial<Arrangement>) =>
  arrange(some, { sort: 'score', filter: '', ...arrangement }, known).map(({ index }) => index);

describe('the order of elites', () => {
  it('is by score, generation, age, niche or mutator', () => {
    assert.deepEqual(indices({ sort: 'score' }), [1, 2, 0, -1]);
    assert.deepEqual(indices({ sort: 'generation' }), [-1, 2, 0, 1]);
    assert.deepEqual(indices({ sort: 'newest' }), [2, 1, 0, -1]);
    assert.deepEqual(indices({ sort: 'niche' }), [2, 1, -1, 0]);
    assert.deepEqual(indices({ sort: 'mutator' }), [-1, 1, 2, 0]);
  });

  it('is by the number that a row shows, and by fitness among equals', () => {
    const rank = ({ index }: Elite) => (index === -1 ? Number.POSITIVE_INFINITY : 1);
    const sorted = arrange(some, { sort: 'score', filter: '' }, { ...known, rank });
    assert.deepEqual(
      sorted.map(({ index }) => index),
      [-1, 1, 2, 0],
    );
  });

  it('shows those in which all words of the filter are found', () => {
    assert.deepEqual(indices({ filter: 'STRUCTURAL' }), [2, 0]);
    assert.deepEqual(indices({ filter: 'structural delete' }), [0]);
    assert.deepEqual(indices({ filter: '10–15' }), [1, 2]);
    assert.deepEqual(indices({ filter: 'nothing' }), []);
  });

  it('filters by speed-up, by pin and by novelty', () => {
    assert.deepEqual(indices({ filter: '>2' }), [2]);
    assert.deepEqual(indices({ filter: '<2x' }), [0, -1]);
    assert.deepEqual(indices({ filter: 'pinned' }), [1]);
    assert.deepEqual(indices({ filter: 'new' }), [2]);
  });

  it('loses and repeats none, whatever it is sorted by', () => {
    const elites = fc.array(fc.record({ fitness: fc.double({ noNaN: true }), generation: fc.nat(9) }), { maxLength: 30 });
    fc.assert(
      fc.property(elites, fc.constantFrom(...sortKeys), (given, sort) => {
        const all = given.map((change, i) => elite(i, change));
        const sorted = arrange(all, { sort, filter: '' }, known);
        assert.deepEqual(
          sorted.map(({ index }) => index).sort((a, b) => a - b),
          all.map(({ index }) => index),
        );
      }),
    );
  });

  it('is what was stored, or the default for what makes no sense', () => {
    assert.deepEqual(arrangementFrom({ sort: 'niche', filter: 'a' }), { sort: 'niche', filter: 'a' });
    assert.deepEqual(arrangementFrom({ sort: 'size', filter: 3 }), { sort: 'score', filter: '' });
    assert.deepEqual(arrangementFrom(undefined), { sort: 'score', filter: '' });
  });

  it('names the axes in which niches differ, that of most values first', () => {
    assert.deepEqual(differingAxes(['1/2/3', '1/4/3', '1/2/3']), [1]);
    assert.deepEqual(differingAxes(['1/2/3/4', '2/4/3/4', '1/5/3/5']), [1, 0, 3]);
    assert.deepEqual(differingAxes(['1/2']), []);
    assert.deepEqual(differingAxes([]), []);
  });
});
