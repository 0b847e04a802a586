import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plateauLevel, reachesLevel, straysAt, temperatureAt } from '../../../daemon/evolution/plateau.ts';
import { createRandom } from '../../../daemon/random.ts';
import { openScene, recordsOf, request, summaryOf } from '../engine/scene.ts';

describe('a plateau', () => {
  it('has a level for each number of generations without a better best, up to a highest, and none without a length', () => {
    assert.deepEqual(
      [0, 4, 5, 9, 10, 15, 100].map((generation) => plateauLevel(generation, 0, 5)),
      [0, 0, 1, 1, 2, 3, 3],
    );
    assert.equal(plateauLevel(12, 8, 5), 0);
    assert.equal(plateauLevel(100, 0, undefined), 0);
    assert.deepEqual(
      [7, 8, 12, 13, 18, 19].map((generation) => reachesLevel(generation, 8, 5)),
      [false, false, false, true, true, false],
    );
  });

  it('draws more parents from all champions with each level, and draws no number at level 0', () => {
    const share = (level: number) => {
      const random = createRandom('strays', level);
      return Array.from({ length: 2000 }, () => straysAt(level, random)).filter(Boolean).length / 2000;
    };
    assert.ok(share(1) > 0.1 && share(1) < 0.2 && share(3) > 0.4 && share(3) < 0.5, `${share(1)} and ${share(3)}`);
    const [one, other] = [createRandom(1), createRandom(1)];
    straysAt(0, one);
    assert.equal(one.next(), other.next());
  });

  it('raises the temperature, but never above 1 by itself', () => {
    assert.deepEqual(
      [0, 1, 3].map((level) => Number(temperatureAt(level, 0.7).toFixed(2))),
      [0.7, 0.8, 1],
    );
    assert.equal(temperatureAt(3, 1.4), 1.4);
  });
});

describe('a search on a plateau', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-plateau-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const settings = '[evolve]\nplateau = 2\n[evolve.islands]\ncount = 3\ninterval = 2\n';
  const asked = request({ mutator: 'scripted', population: 6, stop: { max_generations: 16 } });

  it('shows more programs, begins the worst island again, and leaves the level in the journal', async () => {
    const scene = await openScene(folder, asked, 4, { settings });
    const summary = await summaryOf(scene);
    const selected = scene.events.flatMap((event) => (event.type === 'selected' ? [event] : []));
    const levels = new Set(selected.map(({ plateau = 0 }) => plateau));
    assert.deepEqual([...levels].sort(), [0, 1, 2, 3]);
    const most = (level: number) =>
      Math.max(...selected.filter(({ plateau = 0 }) => plateau === level).map(({ inspirations }) => inspirations.length));
    assert.ok(most(0) <= 3 && most(3) > 3, `${most(0)} and ${most(3)}`);
    const restarted = scene.events.flatMap((event) => (event.type === 'generation' ? (event.restarted ?? []) : []));
    assert.ok(restarted.length > 0);
    const state = await recordsOf(folder).load(scene.run.id);
    assert.deepEqual(
      state.population.each().map((island) => island.champions()),
      scene.run.state.population.each().map((island) => island.champions()),
    );
    assert.equal((await summaryOf(await openScene(folder, asked, 2, { settings }))).candidates_digest, summary.candidates_digest);
  });

  it('is resumed after a restart of an island with the same candidates', async () => {
    const whole = await summaryOf(await openScene(folder, asked, 4, { settings }));
    const cut = await openScene(folder, asked, 4, {
      settings,
      hear: (event, run) => {
        if (event.type === 'generation' && event.restarted !== undefined) run?.interrupt();
      },
    });
    await cut.run.done.catch(() => undefined);
    await cut.close();
    const resumed = await summaryOf(await openScene(folder, cut.run.id, 4, { settings }));
    assert.equal(resumed.candidates_digest, whole.candidates_digest);
  });
});
