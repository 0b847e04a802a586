import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunRecords } from '../../../daemon/engine/run-records.ts';
import { infoOf } from '../../../daemon/engine/run-view.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { openScene, request, summaryOf } from './scene.ts';

describe('a run', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-run-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const journalOf = (home: string, run: string) => join(home, '.peagen', 'runs', run, 'journal.jsonl');

  it('fills every slot of every generation, and announces a confirmed best', async () => {
    const scene = await openScene(folder, request({ stop: { max_generations: 4 } }));
    const summary = await summaryOf(scene);
    assert.equal(summary.stopped, 'max_generations');
    assert.equal(summary.generations, 4);
    assert.equal(summary.candidates, 12);
    assert.equal(summary.evaluated, 12);
    assert.ok(summary.best !== null && summary.best.speedup > 1);
    assert.equal(
      await readFile(join(folder, '.peagen', 'runs', summary.run, 'best', 'busy.py'), 'utf8').then((text) =>
        text.includes('return'),
      ),
      true,
    );
    const hashes = scene.events.flatMap((event) => (event.type === 'mutated' ? [event.normal] : []));
    assert.equal(new Set(hashes).size, hashes.length, 'no program is tried twice');
  });

  it('is steady-state unless deterministic, and then fills the same number of slots', async () => {
    const summary = await summaryOf(await openScene(folder, request({ deterministic: false })));
    assert.equal(summary.candidates, 9);
  });

  for (const mutator of ['structural', 'auto']) {
    it(`makes the same candidates with one worker as with eight, when deterministic (${mutator})`, async () => {
      const asked = request({ mutator, population: 4, stop: { max_generations: 6 } });
      const [one, eight] = [
        await summaryOf(await openScene(folder, asked, 1)),
        await summaryOf(await openScene(folder, asked, 8)),
      ];
      assert.equal(one.candidates_digest, eight.candidates_digest);
      assert.deepEqual(one.best, eight.best);
    });
  }

  it('chooses a mutator for each slot by what they gain, when it is left to the run', async () => {
    const scene = await openScene(folder, request({ mutator: 'auto', population: 8, stop: { max_generations: 12 } }));
    await summaryOf(scene);
    const chosen = scene.events.flatMap((event) => (event.type === 'selected' ? [event] : []));
    assert.deepEqual(new Set(chosen.map(({ mutator }) => mutator)), new Set(['structural', 'crossover-tree', 'scripted']));
    for (const { mutator, inspirations } of chosen) assert.ok(mutator !== 'crossover-tree' || inspirations.length > 0);
    for (const event of scene.events)
      if (event.type === 'mutated')
        assert.equal(
          event.origin.mutator,
          chosen.find(({ slot }) => slot.index === event.slot.index && slot.attempt === event.slot.attempt)?.mutator,
        );
  });

  for (const mutator of ['structural', 'auto']) {
    it(`goes on from a kill after any event, into the same candidates, evaluating nothing that was finished again (${mutator})`, async () => {
      const whole = await summaryOf(await openScene(folder, request({ mutator, stop: { max_generations: 2 } })));
      const lines = (await readFile(journalOf(folder, whole.run), 'utf8')).trimEnd().split('\n');
      const stopped = lines.findIndex((line) => line.includes('"type":"stopped"'));
      assert.ok(stopped > 20);
      for (let kept = 1; kept <= stopped; kept++) {
        const home = join(folder, `killed-${kept}`);
        await mkdir(join(home, '.peagen', 'runs', whole.run), { recursive: true });
        await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
        await writeFile(journalOf(home, whole.run), `${lines.slice(0, kept).join('\n')}\n{"type":"torn`);
        const before = lines.slice(0, kept).filter((line) => line.includes('"type":"evaluated"')).length;
        const scene = await openScene(home, whole.run);
        const resumed = await summaryOf(scene);
        assert.equal(resumed.candidates_digest, whole.candidates_digest, `after ${kept} events`);
        assert.equal(resumed.evaluated, whole.evaluated, `after ${kept} events`);
        assert.deepEqual(resumed.best, whole.best, `after ${kept} events`);
        const news = scene.events.filter((event) => event.type === 'evaluated').length;
        assert.equal(before + news, whole.evaluated, `after ${kept} events`);
      }
    });
  }

  it('stops in the middle of a generation when asked, and keeps what it has', async () => {
    const scene = await openScene(folder, request({ stop: { max_generations: 200 } }));
    while (scene.events.filter((event) => event.type === 'inserted').length < 4) await new Promise(setImmediate);
    scene.run.stop();
    const summary = await summaryOf(scene);
    assert.equal(summary.stopped, 'user');
    assert.ok(summary.evaluated >= 4 && summary.generations < 200);
    const state = await new RunRecords(folder, createLog({ level: 'silent' }), async () => scene.run.state.selector(0)).load(
      summary.run,
    );
    assert.equal(infoOf(state, false).state, 'finished');
  });

  it('makes no new candidates while paused', async () => {
    const scene = await openScene(folder, request({ stop: { max_generations: 200 } }));
    const settled = () =>
      scene.events.filter((event) => event.type === 'inserted' || (event.type === 'rejected' && event.final)).length;
    while (settled() < 2) await new Promise(setImmediate);
    await scene.run.pause(true);
    const launched = scene.run.state.nextIndex;
    while (settled() < launched) await new Promise(setImmediate);
    for (let i = 0; i < 200; i++) await new Promise(setImmediate);
    assert.equal(scene.run.state.nextIndex, launched);
    await scene.run.pause(false);
    while (settled() < launched + 2) await new Promise(setImmediate);
    scene.run.stop();
    await summaryOf(scene);
  });
});
