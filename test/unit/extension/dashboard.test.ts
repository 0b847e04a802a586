import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RunFeed, viewOf } from '../../../shared/dashboard/feed.ts';
import { dashboardHtml, policy } from '../../../shared/dashboard/html.ts';
import { Projection, widestAxes } from '../../../shared/dashboard/projection.ts';
import { type PageTexts, textKeys } from '../../../shared/dashboard/texts.ts';
import { thinEvenly, thinSteps } from '../../../shared/dashboard/thin.ts';
import type { EliteView } from '../../../shared/dashboard/views.ts';
import { followRun, keepElites, newRunState } from '../../../shared/follow.ts';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import type { Elite, FeatureAxis } from '../../../shared/niche.ts';
import type { RunInfo } from '../../../shared/run.ts';
import { fill } from '../../../shared/words/fill.ts';

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

const texts = { niche: 'niche {0}', partOf: '{0} {1} of {2}', atMostZero: '{0} at most 0', fromTo: '{0} to {1}' };

const words = {
  targetName: () => 'f',
  stateOf: () => 'running',
  axisInWords: (axis: FeatureAxis) => axis,
  speedIn: (_: RunInfo, { fitness }: Elite) => `${fitness}×`,
  mutatorName: (mutator: string) => mutator,
  resultOf: () => null,
  worthText: (_: RunInfo, fitness: number) => `${-fitness} KB`,
  metricName: (metric: string) => metric,
  certainText: ({ best }: RunInfo) => (best === null ? '' : `${best}×`),
};

/** As a page is sent it. */
function viewOfElite(one: Elite): EliteView {
  const [view] = feedOf(one).views;
  assert.ok(view);
  return view;
}

/** All of a projection that a user sees. */
function drawn({ x, y, cells, low, high }: Projection) {
  const shown = [...cells].map(([key, { best, count }]) => ({ key, fitness: best.fitness, count })).sort((a, b) => a.key - b.key);
  return { x: x.count, y: y.count, from: x.label(0), up: y.label(0), shown, low, high };
}

function feedOf(...elites: Elite[]) {
  const state = newRunState(info);
  keepElites(state, elites);
  const feed = new RunFeed(words);
  return { state, feed, views: feed.whole(state).elites };
}

describe('the heat map', () => {
  it('shows of the elites that share a cell the fittest, and how many they are', () => {
    const { views } = feedOf(elite('1/2/0', 1.5), elite('1/2/1', 2.5), elite('3/2/0', 1));
    const { cells, x, y, low, high } = new Projection(views, axes, 0, 1, texts);
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
    const { x, cells } = new Projection(views, axes, 0, 1, texts);
    assert.ok(x.count <= 120);
    assert.equal(
      [...cells.values()].reduce((sum, { count }) => sum + count, 0),
      300,
    );
  });

  it('is the same after changes as when it is made again, or says that it has to be', () => {
    const niches = fc.tuple(fc.nat(6), fc.nat(3)).map(([x, y]) => `${x}/${y}/0`);
    const change = fc.record({ niche: niches, fitness: fc.integer({ min: 1, max: 9 }), gone: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(niches, { minLength: 1, maxLength: 12 }), fc.array(change, { maxLength: 12 }), (first, changes) => {
        const elites = new Map(first.map((niche, i) => [i, viewOfElite(elite(niche, 1 + (i % 4), i))]));
        let projection = new Projection(elites.values(), axes, 0, 1, texts);
        for (const [i, { niche, fitness, gone }] of changes.entries()) {
          const added = viewOfElite(elite(niche, fitness, 100 + i));
          const left = elites.get(gone);
          elites.delete(gone);
          elites.set(100 + i, added);
          const anew = new Projection(elites.values(), axes, 0, 1, texts);
          if (!projection.change([added], left === undefined ? [] : [left.sha256])) projection = anew;
          assert.deepEqual(drawn(projection), drawn(anew));
        }
      }),
    );
  });

  it('begins with the two features along which elites differ most', () => {
    const { views } = feedOf(elite('1/1/0', 1), elite('1/2/1', 1, 1), elite('1/3/1', 1, 2));
    assert.deepEqual(widestAxes([...views], 3), [1, 2]);
    assert.deepEqual(widestAxes([], 3), []);
  });
});

describe('a line of the dashboard', () => {
  const steps = fc.array(fc.tuple(fc.nat(1000), fc.nat(5)), { minLength: 1, maxLength: 300 });
  const sorted = steps.map((points) => points.sort(([a], [b]) => a - b));

  it('has few points however many there were, with the first, the last, and the value at the end of each stretch', () => {
    fc.assert(
      fc.property(sorted, (points) => {
        const thinned = thinSteps(points, 20);
        assert.ok(thinned.length <= 22, `${thinned.length} points`);
        assert.deepEqual([thinned[0], thinned.at(-1)], [points[0], points.at(-1)]);
        assert.ok(thinned.every((point) => points.includes(point)));
      }),
    );
  });

  it('keeps every step while they are few', () => {
    assert.deepEqual(
      thinSteps(
        [
          [0, 1],
          [1, 1],
          [2, 3],
          [3, 3],
          [4, 3],
        ],
        20,
      ),
      [
        [0, 1],
        [2, 3],
        [4, 3],
      ],
    );
  });

  it('is thinned evenly where every point counts', () => {
    const points = Array.from({ length: 100 }, (_, i): [number, number] => [i, i % 7]);
    assert.deepEqual(
      thinEvenly(points, 4).map(([x]) => x),
      [0, 33, 66, 99],
    );
    assert.deepEqual(thinEvenly(points, 100), points);
  });
});

describe('the page of the dashboard', () => {
  const words = Object.fromEntries(textKeys.map((key) => [key, `<b>${key}"</b>`])) as PageTexts;
  const parts = { csp: policy({ nonce: 'n', source: 'https://ours' }), nonce: 'n', language: 'de', texts: words };
  const html = dashboardHtml({ ...parts, script: 'start()', style: 'body{}', graphs: 'https://ours/graphs.js' });

  it('shows itself without waiting for another file', () => {
    assert.match(html, /<style nonce="n">body\{\}<\/style>/);
    assert.match(html, /<script type="module" nonce="n">start\(\)<\/script>/);
    assert.doesNotMatch(html, /<link|src=/);
  });

  it('lets nothing in a text be markup, and nothing run that is not its own', () => {
    assert.doesNotMatch(html, /<b>/);
    assert.match(parts.csp, /default-src 'none'; script-src 'nonce-n' https:\/\/ours; style-src 'nonce-n' https:\/\/ours;/);
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

  it('asks for the elites again when one came that was made before the run was followed', () => {
    const { state } = feedOf(elite('1/1/0', 1));
    const made = elite('2/1/0', 2, 1);
    const stats = { coverage: 2, qd_score: 3, best: 2 };
    const event = { type: 'inserted', at: info.started_at, sha256: made.sha256, niche: made.niche, stats } as const;
    const slot = { generation: 1, index: 1, attempt: 0 };
    assert.ok(followRun(state, { ...event, slot, status: 'rejected' }, info));
    assert.equal(state.elites?.size, 1);
    assert.ok(followRun(state, { ...event, slot, status: 'new' }, info));
    assert.equal(state.elites, undefined);
    assert.ok(state.fresh.has(made.sha256));
  });

  it('has as its best what became of the winner when it was made smaller', () => {
    const { state } = feedOf(elite('1/1/0', 1));
    state.info = { ...state.info, best: 2 };
    const { sha256: from, niche, generation } = elite('2/1/0', 2, 1);
    const times = { speedup: 2.5, speedup_low: 2.4, speedup_high: 2.6, speed_ms: 1, baseline_ms: 2.5, peak_kb: 3 };
    const smaller = (fitness: number) => ({
      ...{ type: 'minimised' as const, at: info.started_at, from, object: from, metrics: {}, features: [], fitness },
      origin: { parents: [from], mutator: 'minimise', summary: '' },
      outcome: { kind: 'correct' as const, detail: '' },
      best: { sha256: from, niche, generation, ...times },
    });
    assert.ok(followRun(state, smaller(2.4), { ...info, best: 2.4 }));
    assert.equal(state.info.best, 2.4);
    assert.equal(state.elites, undefined, 'asked for again');
  });

  it('is about the metric of its goal, whose value is a fitness turned round where less is better', () => {
    const goal = { metric: 'peak_kb', direction: 'min' } as const;
    assert.deepEqual(viewOf({ ...info, best: -950, goal }, words).goal, { name: 'peak_kb', sign: -1, best: '950 KB' });
    const baseline = { fitness: 1, is_speedup: true };
    assert.deepEqual(viewOf({ ...info, best: 1.5, baseline }, words).goal, { name: 'speedup', sign: 1, best: '1.5×' });
    assert.equal(viewOf({ ...info, best: 1.5 }, words).goal, null);
  });

  it('says an elite again that was pinned', () => {
    const { state, feed } = feedOf(elite('1/1/0', 1));
    keepElites(state, [{ ...elite('1/1/0', 1), pinned: true }]);
    assert.deepEqual(
      feed.patch(state).elites.map(({ pinned }) => pinned),
      [true],
    );
  });

  it('says an elite again that was announced', () => {
    const { state, feed } = feedOf(elite('1/1/0', 1), elite('2/1/0', 2, 1));
    const { sha256, niche, generation } = elite('2/1/0', 2, 1);
    const times = { speedup: 2.5, speedup_low: 2.4, speedup_high: 2.6, speed_ms: 1, baseline_ms: 2.5, peak_kb: 3 };
    const ending = { best: { sha256, niche, generation, ...times }, overfitted: [], unconfirmed: [] };
    state.info = { ...state.info, state: 'finished', ending };
    assert.deepEqual(
      feed.patch(state).elites.map((one) => one.sha256),
      [sha256],
    );
    assert.deepEqual(feed.patch(state).elites, []);
  });

  it('has its values filled in wherever a language puts them', () => {
    assert.equal(fill('{1} von {0}', 3, 'x'), 'x von 3');
    assert.equal(fill('{0} {7}', '$&'), '$& {7}');
  });
});
