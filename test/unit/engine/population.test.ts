import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportRun } from '../../../daemon/engine/records/report.ts';
import { archiveJson } from '../../../daemon/evolution/evodb/export.ts';
import { openScene, recordsOf, request, type Scene, summaryOf } from './scene.ts';

const scripted = request({ mutator: 'scripted', population: 6, stop: { max_generations: 8 } });
const ISLANDS = '[evolve]\nselector = "island"\n[evolve.islands]\ncount = 3\ninterval = 2\nmigrants = 1\n';
const OBJECTIVES = `[evaluate.objectives]
combine = "weighted"
of = [{ metric = "speedup", direction = "max", weight = 1000 }, { metric = "speed_ms", direction = "max" }]
`;
const axes = [
  { name: 'size', bin: 40, unit: 'characters' },
  { name: 'diversity', bin: 2, unit: '%' },
];

describe('the population of a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-population-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function read(scene: Scene) {
    const records = recordsOf(folder);
    const { run } = scene.run.state;
    return await records.history(run);
  }

  it('is divided into islands, whose parents are their own until champions migrate along the ring', async () => {
    const scene = await openScene(folder, scripted, 4, { settings: ISLANDS });
    await summaryOf(scene);
    const islands = scene.run.state.population.each();
    assert.equal(islands.length, 3);
    const home = new Map<string, Set<number>>();
    const { sha256: original } = scene.run.state.original;
    for (const event of scene.events) {
      if (event.type === 'generation' && (event.migrated ?? 0) > 0) break;
      if (event.type === 'mutated') home.set(event.sha256, new Set([event.slot.index % 3]));
      if (event.type === 'selected' && event.parent !== original) {
        assert.ok(home.get(event.parent)?.has(event.slot.index % 3), 'a parent from another island');
      }
    }
    const migrations = scene.events.flatMap((event) => (event.type === 'generation' ? [event.migrated] : []));
    assert.deepEqual(
      migrations.map((migrated, i) => migrated !== undefined && migrated > 0 && i % 2 === 0),
      migrations.map(() => false),
      'every second generation only',
    );
    assert.ok(migrations.some((migrated) => (migrated ?? 0) > 0));
    const { state, events } = await read(scene);
    assert.deepEqual(
      state.population.each().map((island) => island.champions()),
      islands.map((island) => island.champions()),
    );
    const report = reportRun(state.run, events, { population: state.population, prices: {} });
    assert.equal(report.islands.length, 3);
    assert.ok(report.migrated > 0);
  });

  it('comes out the same with one worker as with eight, on islands too, when deterministic', async () => {
    const from = { ...scripted, axes };
    const one = await summaryOf(await openScene(folder, from, 1, { settings: ISLANDS }));
    const eight = await summaryOf(await openScene(folder, from, 8, { settings: ISLANDS }));
    assert.equal(one.candidates_digest, eight.candidates_digest);
    assert.equal(one.qd_score, eight.qd_score);
  });

  it('keeps the Pareto front next to the grid, for several objectives, and reports and exports it', async () => {
    const scene = await openScene(folder, scripted, 4, { settings: OBJECTIVES });
    await summaryOf(scene);
    const front = scene.run.state.population.paretoFront();
    assert.ok(front.length > 1, 'fast and slow are different goals');
    for (const one of front) {
      const better = front.filter(
        ({ metrics }) =>
          (metrics['speedup'] ?? 0) >= (one.metrics['speedup'] ?? 0) &&
          (metrics['speed_ms'] ?? 0) >= (one.metrics['speed_ms'] ?? 0),
      );
      assert.deepEqual(
        better.map(({ sha256 }) => sha256),
        [one.sha256],
      );
    }
    const { state, events } = await read(scene);
    assert.deepEqual(state.population.paretoFront(), front);
    assert.equal(reportRun(state.run, events, { population: state.population, prices: {} }).front.length, front.length);
    const exported = JSON.parse(archiveJson(state.archive, state.population.paretoFront()));
    assert.deepEqual(
      exported.front.map(({ sha256 }: { sha256: string }) => sha256),
      front.map(({ sha256 }) => sha256),
    );
  });

  it('places programs by their distance to the elites, when diversity is an axis', async () => {
    const scene = await openScene(folder, { ...scripted, axes }, 4);
    await summaryOf(scene);
    const distances = scene.events.flatMap((event) =>
      event.type === 'evaluated' && event.fitness !== null ? [event.features[1] ?? Number.NaN] : [],
    );
    assert.ok(distances.every((distance) => distance >= 0 && distance <= 100));
    assert.ok(new Set(distances).size > 1 && Math.max(...distances) > 0);
  });
});
