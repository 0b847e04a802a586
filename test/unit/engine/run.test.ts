import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunRecords } from '../../../daemon/engine/records/run-records.ts';
import { infoOf } from '../../../daemon/engine/run/state/run-view.ts';
import type { Mutator } from '../../../daemon/evolution/mutators/mutator.ts';
import { createRandom } from '../../../daemon/random.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import type { RunId } from '../../../shared/ids.ts';
import { replaceRange, spanText } from '../../../shared/program.ts';
import { RunEvent, type RunSummary } from '../../../shared/run.ts';
import { openScene, registry, request, summaryOf, text } from './scene.ts';

describe('a run', () => {
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
    it(`makes the same candidates with one worker as with eight, and others with another seed, when deterministic (${mutator})`, async () => {
      const asked = request({ mutator, population: 4, stop: { max_generations: 6 } });
      const [one, eight] = [
        await summaryOf(await openScene(folder, asked, 1)),
        await summaryOf(await openScene(folder, asked, 8)),
      ];
      assert.equal(one.candidates_digest, eight.candidates_digest);
      assert.deepEqual(one.best, eight.best);
      const other = await summaryOf(await openScene(folder, { ...asked, seed: 2 }));
      assert.notEqual(other.candidates_digest, one.candidates_digest);
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

  it('edits the original while there is nothing to cross it with', async () => {
    const scene = await openScene(folder, request({ mutator: 'crossover-tree', population: 4, stop: { max_generations: 4 } }));
    await summaryOf(scene);
    const chosen = scene.events.flatMap((event) => (event.type === 'selected' ? [event] : []));
    assert.deepEqual(new Set(chosen.map(({ mutator }) => mutator)), new Set(['structural', 'crossover-tree']));
    for (const { mutator, inspirations } of chosen) assert.equal(mutator === 'crossover-tree', inspirations.length > 0);
  });

  /** The run as it is taken up again after each of its events: what it comes to, with its events of before and after. */
  async function* killedRuns(run: RunId, settings = '') {
    const lines = (await readFile(journalOf(folder, run), 'utf8')).trimEnd().split('\n');
    const stopped = lines.findIndex((line) => line.includes('"type":"stopped"'));
    assert.ok(stopped > 20);
    for (let kept = 1; kept <= stopped; kept++) {
      const home = join(folder, `killed-${kept}`);
      await mkdir(join(home, '.peagen', 'runs', run), { recursive: true });
      await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
      await writeFile(journalOf(home, run), `${lines.slice(0, kept).join('\n')}\n{"type":"torn`);
      const scene = await openScene(home, run, 4, { settings });
      const before = lines.slice(0, kept).map((line) => RunEvent.parse(JSON.parse(line)));
      yield { kept, summary: await summaryOf(scene), events: [...before, ...scene.events] };
    }
  }

  for (const mutator of ['structural', 'auto']) {
    it(`goes on from a kill after any event, into the same candidates, evaluating nothing that was finished again (${mutator})`, async () => {
      const whole = await summaryOf(await openScene(folder, request({ mutator, stop: { max_generations: 2 } })));
      for await (const { kept, summary, events } of killedRuns(whole.run)) {
        assert.equal(summary.candidates_digest, whole.candidates_digest, `after ${kept} events`);
        assert.equal(summary.evaluated, whole.evaluated, `after ${kept} events`);
        assert.deepEqual(summary.best, whole.best, `after ${kept} events`);
        assert.equal(events.filter(({ type }) => type === 'evaluated').length, whole.evaluated, `after ${kept} events`);
      }
    });
  }

  describe('whose original fails', () => {
    const broken = request({
      target: { root: '/', path: 'busy.py', text: text.replace('    return total\n', ''), entry_fn: 'busy' },
      mutator: 'rewrite',
      seed: 6,
      population: 4,
      stop: { max_generations: 2 },
    });
    const settings = '[[llm.backends]]\nname = "one"\nmodel = "m"\npreset = "seeded"\n';
    const telling = ({ candidates_digest, mended, evaluated, correct, best }: RunSummary) => ({
      candidates_digest,
      mended,
      evaluated,
      correct,
      best,
    });

    it('makes the same candidates with one worker as with eight, when deterministic', async () => {
      const one = await summaryOf(await openScene(folder, broken, 1, { settings }));
      const eight = await summaryOf(await openScene(folder, broken, 8, { settings }));
      assert.deepEqual(telling(one), telling(eight));
    });

    it('goes on from a kill after any event, into the same candidates, compared with the same fixed program', async () => {
      const scene = await openScene(folder, broken, 4, { settings });
      const whole = await summaryOf(scene);
      const made = scene.events.flatMap((event) => (event.type === 'mutated' ? [event] : []));
      // In the middle of a generation: some were judged by themselves before, others are compared with it.
      const at = made.find(({ sha256 }) => sha256 === whole.mended)?.slot.index ?? 0;
      assert.ok(at > 0 && (at + 1) % 4 !== 0, `fixed by candidate ${at}`);
      for await (const { kept, summary } of killedRuns(whole.run, settings))
        assert.deepEqual(telling(summary), telling(whole), `after ${kept} events`);
    });
  });

  it('stops in the middle of a generation when asked, and keeps what it has', async () => {
    const scene = await openScene(folder, request({ stop: { max_generations: 200 } }));
    while (scene.events.filter((event) => event.type === 'inserted').length < 4) await new Promise(setImmediate);
    scene.run.stop();
    const summary = await summaryOf(scene);
    assert.equal(summary.stopped, 'user');
    assert.ok(summary.evaluated >= 4 && summary.generations < 200);
    const state = await new RunRecords(folder, createLog({ level: 'silent' }), async () => scene.run.state.selectors.of(0)).load(
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

  it('never judges the original again, whatever makes it', async () => {
    // Left until now: a run that chooses among all mutators would take it as well.
    registry.register('mutator', 'undoing', async () => () => undoing, 'test');
    const asked = request({ mutator: 'undoing', population: 3, stop: { max_generations: 4 } });
    const scene = await openScene(folder, asked);
    const { original } = scene.run.state;
    await summaryOf(scene);
    assert.ok(scene.events.some((event) => event.type === 'rejected' && event.twin === original.sha256));
    for (const event of scene.events)
      if (event.type === 'mutated' || event.type === 'evaluated') assert.notEqual(event.sha256, original.sha256);
    assert.deepEqual(infoOf(scene.run.state, false).baseline, { fitness: 1, is_speedup: true });
  });

  it('makes a program once that several slots come to at the same moment', async () => {
    registry.register('mutator', 'agreeing', async () => () => agreeing, 'test');
    const asked = request({ mutator: 'agreeing', population: 16, deterministic: false, stop: { max_generations: 2 } });
    const scene = await openScene(folder, asked, 16);
    await summaryOf(scene);
    const made = scene.events.flatMap((event) => (event.type === 'mutated' ? [event.normal] : []));
    assert.ok(made.length > 1 && scene.events.some((event) => event.type === 'rejected' && event.twin !== undefined));
    assert.equal(new Set(made).size, made.length, 'no program is judged twice');
  });
});

/** Comes to one of three programs, whatever it is given. */
const agreeing: Mutator = {
  name: 'agreeing',
  requires: [],
  mutate: async ({ original, seed }) => {
    const [span] = original.spans;
    const tokens = { prompt: 0, completion: 0 };
    if (span === undefined) return { kind: 'rejected', reason: 'nothing may change', tokens };
    const text = spanText(original, span).replace('[1, 2, 3]', `[${createRandom(seed).int(3)}]`);
    return { kind: 'child', program: replaceRange(original, span, text), origin: { mutator: 'agreeing', summary: '' }, tokens };
  },
};

/** Makes every child of the original shorter, with a number of its own, and every child of those the original again. */
const undoing: Mutator = {
  name: 'undoing',
  requires: [],
  mutate: async ({ parent: { program }, seed }) => {
    const [span] = program.spans;
    const tokens = { prompt: 0, completion: 0 };
    if (span === undefined) return { kind: 'rejected', reason: 'nothing may change', tokens };
    const before = spanText(program, span);
    const [unused, numbered] = ['unused = [1, 2, 3]', /unused = \[\d{7}\]/];
    const given = `unused = [${1_000_000 + createRandom(seed).int(9_000_000)}]`;
    const [kept, gone] = ['total = total + item\n', '        total = total - 0\n'];
    const text = numbered.test(before)
      ? before.replace(numbered, unused).replace(kept, kept + gone)
      : before.replace(unused, given).replace(gone, '');
    return { kind: 'child', program: replaceRange(program, span, text), origin: { mutator: 'undoing', summary: '' }, tokens };
  },
};
