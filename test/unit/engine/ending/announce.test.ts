import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepsGain } from '../../../../daemon/engine/ending/minimise-best.ts';
import { RunRecords } from '../../../../daemon/engine/records/run-records.ts';
import type { Run } from '../../../../daemon/engine/run/run.ts';
import { infoOf } from '../../../../daemon/engine/run/state/run-view.ts';
import { createLog } from '../../../../daemon/telemetry/log.ts';
import { type FollowedState, followRun, newRunState } from '../../../../shared/follow.ts';
import { gainOf, skippedText } from '../../../../shared/gain.ts';
import { History } from '../../../../shared/history.ts';
import type { Execution } from '../../../../shared/judging.ts';
import type { EffortName } from '../../../../shared/payloads.ts';
import type { Program } from '../../../../shared/program.ts';
import type { RunRequest } from '../../../../shared/protocol/runs.ts';
import type { RunEvent, RunInfo } from '../../../../shared/run.ts';
import { openScene, registry, request, shortness, summaryOf } from '../scene.ts';
import { ScriptedClock } from '../scripted-clock.ts';

/** Its children delete a line, which counts, and write a number, which does not. */
const padded = request({ mutator: 'scripted', population: 4, stop: { max_generations: 4 } });

type Look = (effort: EffortName, program: Program, exact: Execution, withinMs?: number) => Execution;
let look: Look;
/** What careful measurements say of a program is up to the test; the search knows its length. */
registry.register(
  'evaluator',
  'looked-at',
  async () => () => ({
    ...shortness,
    judge: async (program, basis, context) => {
      const exact = await shortness.judge(program, basis, context);
      return context.effort === 'quick' || context.deterministic ? exact : look(context.effort, program, exact, context.withinMs);
    },
  }),
  'test',
);
const between = (low: number, high: number, { metrics, ...rest }: Execution): Execution => ({
  ...rest,
  metrics: { ...metrics, speedup_low: low, speedup_high: high },
});
const lookedAt = request({
  mutator: 'scripted',
  evaluator: { name: 'looked-at', options: {} },
  population: 4,
  stop: { max_generations: 4 },
});

describe('the announcement of a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-announce-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const runFolder = (home: string, run: string) => join(home, '.peagen', 'runs', run);

  for (const deterministic of [true, false]) {
    it(`leaves out of the best what does not contribute to it, judged by ${deterministic ? 'count' : 'time'}`, async () => {
      const scene = await openScene(folder, { ...padded, deterministic, confirm: 'precise' });
      const summary = await summaryOf(scene);
      assert.ok(summary.best !== null);
      const announced = scene.events.flatMap((event) => (event.type === 'confirmed' ? [event.best?.sha256] : []));
      const [minimised] = scene.events.filter((event) => event.type === 'minimised');
      assert.ok(minimised !== undefined);
      assert.deepEqual(announced, [minimised.from, summary.best.sha256]);
      assert.deepEqual(minimised.best, summary.best);
      assert.match(minimised.origin.summary, /; without 1 hunk that did not contribute$/);
      const saved = await readFile(join(runFolder(folder, summary.run), 'best', 'busy.py'), 'utf8');
      assert.ok(saved.includes('unused = [1, 2, 3]') && !saved.includes('total - 0'));
    });
  }

  it('names the smaller program as a child of the winner, also when the journal is read back', async () => {
    const scene = await openScene(folder, padded);
    const summary = await summaryOf(scene);
    const [minimised] = scene.events.filter((event) => event.type === 'minimised');
    assert.ok(summary.best !== null && minimised !== undefined);
    const records = new RunRecords(folder, createLog({ level: 'silent' }), async () => scene.run.state.selectors.of(0));
    const state = await records.load(summary.run);
    assert.deepEqual(state.best, summary.best);
    const detail = await records.eliteDetail(state, summary.best.sha256);
    assert.deepEqual(detail.origin, { parents: [minimised.from], mutator: 'minimise', summary: minimised.origin.summary });
    assert.equal(detail.elite.fitness, minimised.fitness);
    assert.equal(detail.changes.length, 1);
    assert.equal(state.archive.find(minimised.from)?.sha256, minimised.from);
  });

  it('ends its course with the best that was measured with care, for who follows it as for who asks afterwards', async () => {
    let followed: FollowedState | undefined;
    const hear = (event: RunEvent, live: Run | undefined) => {
      const now = live?.info();
      if (now === undefined) return;
      followed ??= { ...newRunState(now), history: new History() };
      followRun(followed, event, now);
    };
    const scene = await openScene(folder, padded, 4, { hear });
    const { run } = await summaryOf(scene);
    const records = new RunRecords(folder, createLog({ level: 'silent' }), async () => scene.run.state.selectors.of(0));
    const state = await records.load(run);
    const info = infoOf(state, false);
    const last = scene.events.find((event) => event.type === 'minimised');
    assert.equal(info.best, last?.fitness);
    for (const course of [state.history, followed?.history]) assert.equal(course?.points.at(-1)?.best, info.best);
    for (const key of ['best', 'baseline', 'ending', 'trend'] as const) assert.deepEqual(followed?.info[key], info[key], key);
    assert.deepEqual(gainOf(info), { kind: 'faster', speedup: last?.best.speedup_low });
  });

  it('goes on from a kill at any of its events, and announces the same', async () => {
    const whole = await summaryOf(await openScene(folder, padded));
    const lines = (await readFile(join(runFolder(folder, whole.run), 'journal.jsonl'), 'utf8')).trimEnd().split('\n');
    const first = lines.findIndex((line) => line.includes('"type":"confirmed"'));
    assert.equal(lines.length - first, 4, 'confirmed, minimised, confirmed, stopped');
    for (let kept = first; kept < lines.length; kept++) {
      const home = join(folder, `killed-${kept}`);
      await mkdir(runFolder(home, whole.run), { recursive: true });
      await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
      await writeFile(join(runFolder(home, whole.run), 'journal.jsonl'), `${lines.slice(0, kept).join('\n')}\n`);
      const scene = await openScene(home, whole.run);
      const resumed = await summaryOf(scene);
      assert.deepEqual(resumed.best, whole.best);
      const told = [...lines.slice(first, kept).map((line) => JSON.parse(line).type), ...scene.events.map((event) => event.type)];
      assert.deepEqual(
        told.filter((type) => type !== 'resumed'),
        ['confirmed', 'minimised', 'confirmed', 'stopped'],
      );
    }
  });

  it('announces what the search has measured when it is not to be confirmed', async () => {
    const efforts: EffortName[] = [];
    look = (effort, _, exact) => {
      efforts.push(effort);
      return exact;
    };
    const scene = await openScene(folder, { ...lookedAt, confirm: 'none' });
    const { best } = await summaryOf(scene);
    assert.deepEqual(efforts, []);
    assert.equal(best?.sha256, scene.run.state.archive.best()?.sha256);
    assert.equal(best?.speedup, scene.run.state.archive.best()?.metrics['speedup']);
    assert.ok(!scene.events.some(({ type }) => type === 'confirming' || type === 'minimised'));
  });

  it('says that it confirms the best, and for how long at most, to who follows the run', async () => {
    const shown: RunInfo['confirming'][] = [];
    const hear = (event: RunEvent, live: Run | undefined) => {
      if (event.type === 'confirming' || event.type === 'stopped') shown.push(live?.info().confirming);
    };
    const scene = await openScene(folder, { ...lookedAt, deterministic: false }, 4, { hear });
    await summaryOf(scene);
    const event = scene.events.find(({ type }) => type === 'confirming');
    assert.ok(event?.type === 'confirming' && event.within_ms !== undefined && event.within_ms <= 10_000);
    assert.deepEqual(shown, [{ since: event.at, within_ms: event.within_ms }, undefined]);
  });

  it('measures on what a brief comparison has left open, and announces a gain that this shows', async () => {
    const efforts: EffortName[] = [];
    look = (effort, _, exact) => {
      efforts.push(effort);
      return effort === 'compare' ? between(0.9, 3, exact) : exact;
    };
    const { best, unconfirmed } = await summaryOf(await openScene(folder, lookedAt));
    assert.ok(best !== null && best.speedup > 1);
    assert.deepEqual(unconfirmed, []);
    assert.ok(efforts.indexOf('final') > efforts.lastIndexOf('compare'));
  });

  it('announces the next leader when the whole measurement takes the gain of the first back', async () => {
    let first: string | undefined;
    let takenBack = false;
    look = (effort, { files }, exact) => {
      first ??= files[0]?.text;
      if (effort === 'compare' || takenBack) return exact;
      // Nor what it would be without what does not contribute.
      takenBack = files[0]?.text === first;
      return between(0.99, 1.2, exact);
    };
    const { best, unconfirmed } = await summaryOf(await openScene(folder, lookedAt));
    assert.ok(best !== null && best.speedup_low > 1);
    assert.equal(unconfirmed.length, 1);
    assert.notEqual(unconfirmed[0]?.sha256, best.sha256);
    assert.match(unconfirmed[0]?.why ?? '', /^measured with care at 1\.\d\d× \(0\.99 to 1\.20\), which is not clearly faster$/);
  });

  it('measures no more than two to the end before it announces nothing, and says why', async () => {
    let whole = 0;
    look = (effort, _, exact) => {
      if (effort === 'final') whole++;
      return between(0.9, effort === 'final' ? 1.1 : 3, exact);
    };
    const { best, unconfirmed } = await summaryOf(await openScene(folder, lookedAt));
    assert.equal(best, null);
    assert.equal(whole, 2);
    assert.equal(unconfirmed.length, 2);
  });

  it('takes nothing for open that is as fast as the original, or slower', async () => {
    const efforts = new Set<EffortName>();
    look = (effort, _, exact) => {
      efforts.add(effort);
      return between(0.98, 1.005, exact);
    };
    assert.equal((await summaryOf(await openScene(folder, lookedAt))).best, null);
    assert.deepEqual([...efforts], ['compare']);
  });

  it('lets no leader that cheats stand in the way of one that does not', async () => {
    let cheats = 3;
    look = (_, __, exact) => (cheats-- > 0 ? { ...exact, outcome: { kind: 'forged', detail: 'the clock was changed' } } : exact);
    const { best, unconfirmed } = await summaryOf(await openScene(folder, lookedAt));
    assert.ok(best !== null);
    assert.deepEqual(
      unconfirmed.map(({ why }) => why),
      Array.from({ length: 3 }, () => 'forged when it was measured with care: the clock was changed'),
    );
  });

  it('measures a leader once more when time ran out, which it did not in the search', async () => {
    let late = 1;
    look = (_, __, exact) => (late-- > 0 ? { ...exact, outcome: { kind: 'timeout', detail: 'took too long' } } : exact);
    const { best, unconfirmed } = await summaryOf(await openScene(folder, lookedAt));
    assert.ok(best !== null);
    assert.deepEqual(unconfirmed, []);
  });

  /** A run that is stopped by its user when something has been gained, with eight seconds on the clock from then on. */
  async function stopped(clock: ScriptedClock, settings: Partial<RunRequest> = {}) {
    const scene = await openScene(folder, { ...lookedAt, ...settings, stop: { max_generations: 1000 } }, 4, {
      clock,
      hear: (event, run) => {
        if (event.type === 'inserted' && (event.stats?.best ?? 0) > 1 && event.slot.index >= 8) run?.stop();
      },
    });
    const summary = await summaryOf(scene);
    assert.equal(summary.stopped, 'user');
    return { summary, told: scene.events.map(({ type }) => type), best: scene.run.state.archive.best() };
  }

  it('gives each measurement the greater part of the time that is left, and says nothing of what was done', async () => {
    const clock = new ScriptedClock();
    const within: (number | undefined)[] = [];
    look = (_, __, exact, withinMs) => {
      within.push(withinMs);
      return exact;
    };
    // A deterministic run is not bounded but by its user, whose eight seconds stand still here.
    const { summary, told } = await stopped(clock, { deterministic: true });
    assert.ok(summary.best !== null);
    assert.equal(summary.best.skipped, undefined);
    assert.ok(told.includes('minimised'), 'there is time to make it smaller');
    assert.deepEqual(new Set(within), new Set([6000]));
  });

  it('announces what the comparison has shown when the time is over after it, and says what it left out', async () => {
    const clock = new ScriptedClock();
    const efforts: EffortName[] = [];
    look = (effort, _, exact) => {
      efforts.push(effort);
      // Two leaders are compared side by side.
      clock.advance(3800);
      return exact;
    };
    const { summary, told } = await stopped(clock, { deterministic: true });
    assert.ok(summary.best !== null && summary.best.speedup_low > 1);
    assert.ok(efforts.length <= 2 && efforts.every((effort) => effort === 'compare'), efforts.join());
    assert.equal(told.includes('minimised'), false);
    assert.deepEqual(summary.best.skipped, ['minimise', 'measure']);
    assert.match(skippedText(summary.best) ?? '', /^There was no time to make it smaller or measure it longer/);
  });

  it('announces what the search has measured when a measurement takes longer than the time left, and says so', async () => {
    const clock = new ScriptedClock();
    look = () => {
      clock.advance(10_000);
      throw new Error('nobody waits for it');
    };
    const { summary, best } = await stopped(clock, { deterministic: true });
    assert.equal(summary.best?.sha256, best?.sha256);
    assert.equal(summary.best?.speedup, best?.metrics['speedup']);
    assert.deepEqual(summary.best?.skipped, ['compare', 'minimise', 'measure']);
  });

  it('announces nothing that was left open when the time is over, and says why', async () => {
    const clock = new ScriptedClock();
    look = (_, __, exact) => {
      // Two leaders are compared side by side.
      clock.advance(3800);
      return between(0.9, 3, exact);
    };
    const { summary } = await stopped(clock, { deterministic: true });
    assert.equal(summary.best, null);
    assert.match(summary.unconfirmed[0]?.why ?? '', /not clearly faster/);
  });

  it('offers the smaller change when it is as fast, or not to be told apart', () => {
    const best = (low: number, speedup: number, high: number) => ({ speedup_low: low, speedup, speedup_high: high });
    assert.equal(keepsGain(best(1.99, 2, 2.01), best(1.98, 2, 2.02)), true);
    assert.equal(keepsGain(best(1.9, 1.95, 1.99), best(1.98, 2, 2.02)), true);
    assert.equal(keepsGain(best(1.8, 1.85, 1.9), best(1.98, 2, 2.02)), false);
    assert.equal(keepsGain(best(2.4, 2.5, 2.6), best(1.98, 2, 2.02)), true);
  });
});
