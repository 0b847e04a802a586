import assert from 'node:assert/strict';
import { RunFeed } from '../../shared/dashboard/feed.ts';
import { project, widestAxes } from '../../shared/dashboard/projection.ts';
import { fill } from '../../shared/dashboard/texts.ts';
import type { EliteView } from '../../shared/dashboard/views.ts';
import { keepElites, newRunState } from '../../shared/follow.ts';
import { RunId, Sha256 } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { RunInfo } from '../../shared/run.ts';

const axes = [
  { name: 'speed', bin: 5, unit: 'ms' },
  { name: 'size', bin: 40, unit: 'characters' },
  { name: 'age', bin: 1, unit: '' },
];

const elite = (niche: string, fitness: number, index = 0): Elite => ({
  sha256: Sha256.parse(`${niche}${fitness}${index}`.replace(/\D/g, '').padStart(64, '0')),
  niche,
  fitness,
  features: niche.split('/').map(Number),
  metrics: { speedup: fitness },
  generation: 1,
  index,
  parents: [],
  mutator: 'structural',
  summary: 'a change',
});

const info: RunInfo = {
  run: RunId.parse('r'),
  state: 'running',
  target: { root: '/w', path: 'a.py' },
  started_at: '2026-01-31T14:25:01.000Z',
  generation: 0,
  max_generations: 10,
  candidates: 0,
  evaluated: 0,
  correct: 0,
  best: null,
  stats: { coverage: 0, qd_score: 0, best: null },
  axes,
  tokens: { prompt: 0, completion: 0 },
};

const words = {
  targetName: () => 'f',
  stateOf: () => 'running',
  speedOf: ({ fitness }: Pick<Elite, 'fitness'>) => `${fitness}×`,
};

function feedOf(...elites: Elite[]) {
  const state = newRunState(info);
  keepElites(state, elites);
  const feed = new RunFeed(words);
  return { state, feed, views: feed.whole(state).elites };
}

describe('the heat map', () => {
  it('shows of the elites that share a cell the fittest, and how many they are', () => {
    const { views } = feedOf(elite('1/2/0', 1.5), elite('1/2/1', 2.5), elite('3/2/0', 1));
    const { cells, x, y, low, high } = project(views, axes, 0, 1);
    assert.deepEqual(
      [...cells.values()].map(({ x: column, y: row, best, count }) => [column, row, best.fitness, count]),
      [
        [0, 0, 2.5, 2],
        [2, 0, 1, 1],
      ],
    );
    assert.deepEqual([x.count, y.count, low, high], [3, 1, 1, 2.5]);
    assert.match(x.label(0), /speed 5–10 ms/);
  });

  it('puts neighbours together when there are more bins than columns', () => {
    const { views } = feedOf(...Array.from({ length: 300 }, (_, i) => elite(`${i * 2}/0/0`, 1, i)));
    const { x, cells } = project(views, axes, 0, 1);
    assert.ok(x.count <= 120);
    assert.equal(
      [...cells.values()].reduce((sum, { count }) => sum + count, 0),
      300,
    );
  });

  it('begins with the two features along which elites differ most', () => {
    const { views } = feedOf(elite('1/1/0', 1), elite('1/2/1', 1, 1), elite('1/3/1', 1, 2));
    assert.deepEqual(widestAxes([...views], 3), [1, 2]);
    assert.deepEqual(widestAxes([], 3), []);
  });
});

describe('what the dashboard is sent', () => {
  const shas = (views: readonly EliteView[]) => views.map(({ fitness }) => fitness);

  it('is a run whole at first, then only what has changed', () => {
    const { state, feed, views } = feedOf(elite('1/1/0', 1), elite('2/1/0', 2, 1));
    assert.deepEqual(shas(views), [1, 2]);
    assert.deepEqual(feed.patch(state).elites, []);
    keepElites(state, [elite('1/1/0', 3, 2), elite('2/1/0', 2, 1)]);
    const patch = feed.patch(state);
    assert.deepEqual(shas(patch.elites), [3]);
    assert.deepEqual(patch.gone, [elite('1/1/0', 1).sha256]);
    assert.deepEqual(feed.patch(state).gone, []);
  });

  it('says an elite again that was pinned', () => {
    const { state, feed } = feedOf(elite('1/1/0', 1));
    keepElites(state, [{ ...elite('1/1/0', 1), pinned: true }]);
    assert.deepEqual(
      feed.patch(state).elites.map(({ pinned }) => pinned),
      [true],
    );
  });

  it('has its values filled in wherever a language puts them', () => {
    assert.equal(fill('{1} von {0}', 3, 'x'), 'x von 3');
    assert.equal(fill('{0} {7}', '$&'), '$& {7}');
  });
});
