/** What a run does with programs that are right on the calls that the search sees, and wrong on others. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withAttack } from '../../../../daemon/engine/ending/attack.ts';
import { infoOf } from '../../../../daemon/engine/run/state/run-view.ts';
import type { Evaluator } from '../../../../daemon/judging/evaluator.ts';
import { Confidence } from '../../../../shared/confidence.ts';
import type { Counterexample, Execution } from '../../../../shared/judging.ts';
import type { AttackOptions, AttackReport, EffortName } from '../../../../shared/payloads.ts';
import type { Program } from '../../../../shared/program.ts';
import { listeners, openScene, registry, request, shortness, summaryOf } from '../scene.ts';
import { ScriptedClock } from '../scripted-clock.ts';

const counterexample: Counterexample = {
  call: { args: [[1, 1]], kwargs: {} },
  expected: 'returned 2',
  actual: 'returned 1',
};

const derivedCalls = Confidence.parse({
  given: 1,
  derived: 20,
  heldout: 0,
  lines: { hit: 1, of: 1 },
  mutants: { hit: 1, of: 1 },
});
let attacking: (text: string, how: AttackOptions) => AttackReport;
let looked: (effort: EffortName, withinMs: number | undefined) => void;
let judging: (text: string, exact: Execution, isCounted: boolean) => Execution;
const textOf = ({ files }: Program): string => files[0]?.text ?? '';
const attacked: Evaluator = {
  ...shortness,
  judge: async (program, basis, context) => {
    looked(context.effort, context.withinMs);
    return judging(textOf(program), await shortness.judge(program, basis, context), context.deterministic);
  },
  attack: async (program, _, how) => attacking(textOf(program), how),
};
registry.register('evaluator', 'attacked', async () => () => attacked, 'test');

const asked = request({
  mutator: 'scripted',
  evaluator: { name: 'attacked', options: { derived: [] } },
  population: 4,
  stop: { max_generations: 4 },
});
const open = (folder: string, from: Parameters<typeof openScene>[1] = asked, more: Parameters<typeof openScene>[3] = {}) =>
  openScene(folder, from, 4, { evaluator: attacked, ...more });
const bounded = { ...asked, deterministic: false };

describe('a program that is right only on the calls that the search sees', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-attack-'));
    judging = (_, exact) => exact;
    looked = () => undefined;
    attacking = () => ({ calls: 100 });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is counted by itself, enters no archive, and its call feeds the next prompts; on that call others are plainly wrong', async () => {
    const isOverfit = (text: string) => /unused = \[\d{6}[02468]\]/.test(text);
    judging = (text, exact) =>
      isOverfit(text)
        ? {
            ...exact,
            outcome: { kind: 'overfit', counterexample, detail: 'Right on the calls that were shown, wrong on others: x' },
          }
        : exact;
    const failures: string[][] = [];
    const hear: Parameters<typeof listeners.add>[0] = (payload) => failures.push([...payload.failures]);
    listeners.add(hear);
    const scene = await open(folder);
    const summary = await summaryOf(scene).finally(() => listeners.delete(hear));
    const evaluated = scene.events.filter((event) => event.type === 'evaluated');
    const overfit = evaluated.filter(({ outcome }) => outcome.kind === 'overfit');
    assert.ok(overfit.length > 0);
    assert.deepEqual(
      new Set(overfit.map(({ slot }) => slot.generation)).size,
      1,
      'the call is known from the next generation on',
    );
    const wrong = evaluated.filter(({ outcome }) => outcome.kind === 'wrong');
    assert.ok(wrong.length > 0 && wrong.every(({ outcome }) => outcome.detail === 'x'));
    assert.equal(summary.overfit, overfit.length);
    const inserted = scene.events.filter((event) => event.type === 'inserted');
    for (const { sha256 } of [...overfit, ...wrong])
      assert.equal(inserted.find((event) => event.sha256 === sha256)?.status, 'rejected');
    assert.ok(failures.some((lines) => lines.includes('on ([1,1]) the original returned 2, and so must every program')));
    assert.ok(failures.some((lines) => lines.some((line) => line.includes('overfit: Right on the calls that were shown'))));
    assert.equal(infoOf(scene.run.state, false).overfit, summary.overfit);
  });

  it('is not announced when a fresh call refutes it, and the next leader is', async () => {
    let first: string | undefined;
    attacking = (text) => {
      first ??= text;
      return text === first ? { calls: 7, counterexample } : { calls: 100 };
    };
    const scene = await open(folder);
    const summary = await summaryOf(scene);
    const [refuted] = scene.events.filter((event) => event.type === 'refuted');
    assert.deepEqual(refuted?.counterexample, counterexample);
    assert.equal(refuted?.calls, 7);
    assert.ok(summary.best !== null && summary.best.sha256 !== refuted?.sha256);
    assert.deepEqual(summary.overfitted, [refuted?.sha256]);
    assert.deepEqual(summary.refuted, [{ sha256: refuted?.sha256, counterexample }]);
    assert.equal(scene.run.state.archive.find(refuted?.sha256 ?? summary.best.sha256), undefined);
  });

  it('is not what is announced where nothing is measured either, and the operations of what is are counted meanwhile', async () => {
    const efforts = new Set<EffortName>();
    looked = (effort) => efforts.add(effort);
    judging = (_, exact, isCounted) => ({
      ...exact,
      metrics: { ...exact.metrics, ...(isCounted ? { cost: 5, baseline_cost: 10 } : {}) },
    });
    let first: string | undefined;
    attacking = (text) => {
      first ??= text;
      return text === first ? { calls: 7, counterexample } : { calls: 100 };
    };
    const { best, refuted } = await summaryOf(await open(folder, { ...bounded, confirm: 'none' }));
    assert.ok(best !== null && best.sha256 !== refuted?.[0]?.sha256);
    assert.deepEqual([best.cost, best.baseline_cost], [5, 10]);
    assert.deepEqual([...efforts], ['quick']);
  });

  it('is the smaller one, and then the winner that it was made of is announced as it is', async () => {
    attacking = (text) => (text.includes('unused = [1, 2, 3]') ? { calls: 7, counterexample } : { calls: 100 });
    const scene = await open(folder);
    const { best, overfitted, refuted } = await summaryOf(scene);
    const [winner] = scene.events.filter((event) => event.type === 'confirmed');
    assert.ok(best !== null);
    assert.equal(best.sha256, winner?.best?.sha256);
    assert.deepEqual(overfitted, [], 'it was no elite');
    assert.equal(refuted?.length, 1);
  });

  it('refutes the winner as well when that is wrong on the call of the smaller one', async () => {
    let winner: string | undefined;
    attacking = (text) => {
      winner ??= text;
      return text.includes('unused = [1, 2, 3]') ? { calls: 7, counterexample } : { calls: 100 };
    };
    let refuted = false;
    judging = (text, exact) => {
      refuted ||= winner !== undefined && text !== winner && text.includes('unused = [1, 2, 3]');
      return exact;
    };
    const scene = await open(folder);
    // The winner is judged again after the smaller program: on the refuting call.
    const before = judging;
    judging = (text, exact) => {
      const judged = before(text, exact, false);
      return refuted && text === winner ? { ...exact, outcome: { kind: 'wrong', counterexample, detail: 'x' } } : judged;
    };
    const { best, refuted: named } = await summaryOf(scene);
    assert.ok((named?.length ?? 0) >= 2);
    const first = scene.events.find((event) => event.type === 'confirmed');
    assert.notEqual(best?.sha256, first?.best?.sha256);
  });

  it('goes on from a kill at any of its events, and announces the same', async () => {
    let first: string | undefined;
    attacking = (text) => {
      first ??= text;
      return text === first ? { calls: 7, counterexample } : { calls: 100 };
    };
    const whole = await summaryOf(await open(folder));
    const runFolder = (home: string) => join(home, '.peagen', 'runs', whole.run);
    const lines = (await readFile(join(runFolder(folder), 'journal.jsonl'), 'utf8')).trimEnd().split('\n');
    const from = lines.findIndex((line) => line.includes('"type":"confirmed"'));
    for (let kept = from; kept < lines.length; kept++) {
      const home = join(folder, `killed-${kept}`);
      await mkdir(runFolder(home), { recursive: true });
      await cp(join(folder, '.peagen', 'objects'), join(home, '.peagen', 'objects'), { recursive: true });
      await writeFile(join(runFolder(home), 'journal.jsonl'), `${lines.slice(0, kept).join('\n')}\n`);
      const resumed = await summaryOf(await open(home, whole.run));
      assert.deepEqual(resumed.best, whole.best);
      assert.deepEqual(resumed.overfitted, whole.overfitted);
    }
  });

  it('is looked for before anything is measured with care, in two seconds where there are no more', async () => {
    const clock = new ScriptedClock();
    const order: string[] = [];
    attacking = (_, how) => {
      order.push(`fresh calls within ${how.cpu_ms} ms`);
      clock.advance(1000);
      return { calls: 100 };
    };
    looked = (effort, withinMs) => {
      if (effort !== 'quick') order.push(`${effort} within ${withinMs} ms`);
    };
    const scene = await open(folder, bounded, { clock });
    const summary = await summaryOf(scene);
    const [confirming] = scene.events.filter((event) => event.type === 'confirming');
    assert.equal(confirming?.within_ms, 2000);
    assert.deepEqual(order, ['fresh calls within 1600 ms', 'compare within 750 ms', 'final within 750 ms']);
    assert.deepEqual(summary.best?.skipped, ['minimise']);
  });

  it('counts when a loaded machine finds it later than the time of the announcement', async () => {
    const clock = new ScriptedClock();
    attacking = () => {
      clock.advance(7000);
      return { calls: 7, counterexample };
    };
    const { best, refuted } = await summaryOf(await open(folder, bounded, { clock }));
    assert.equal(best, null);
    assert.equal(refuted?.length, 4, 'the first, and three more that have the time again');
  });

  it('is not looked for any longer than ten seconds, and what is announced says so', async () => {
    const clock = new ScriptedClock();
    attacking = () => {
      clock.advance(10_100);
      return { calls: 7, counterexample };
    };
    const scene = await open(folder, bounded, { clock });
    const { best, refuted } = await summaryOf(scene);
    assert.ok(best !== null && refuted === undefined);
    assert.deepEqual(withAttack({ ...derivedCalls, limits: ['a'] }, 0).limits, [
      'a',
      'There was no time to search for a counter-example among fresh calls.',
    ]);
  });

  it('leaves the next leader the whole time again, which is said', async () => {
    const clock = new ScriptedClock();
    let first = true;
    attacking = () => {
      if (!first) return { calls: 100 };
      first = false;
      clock.advance(1900);
      return { calls: 7, counterexample };
    };
    looked = (effort) => {
      if (effort !== 'quick') clock.advance(900);
    };
    const scene = await open(folder, bounded, { clock });
    const { best, refuted } = await summaryOf(scene);
    assert.equal(refuted?.length, 1);
    assert.ok(best !== null && best.sha256 !== refuted[0]?.sha256);
    assert.equal(best.skipped?.includes('compare'), false);
    const confirming = scene.events.filter((event) => event.type === 'confirming');
    assert.deepEqual(
      confirming.map((event) => event.within_ms),
      [2000, 2000],
    );
  });

  it('does not take the result with it when measuring the next leader, which is right on its call, takes all the time', async () => {
    const clock = new ScriptedClock();
    let first = true;
    attacking = () => {
      if (!first) return { calls: 100 };
      first = false;
      return { calls: 7, counterexample };
    };
    looked = (effort) => {
      if (effort === 'quick') return;
      clock.advance(2500);
      throw new Error('nobody waits for it');
    };
    const { best, refuted } = await summaryOf(await open(folder, bounded, { clock }));
    assert.equal(refuted?.length, 1);
    assert.ok(best !== null && best.sha256 !== refuted[0]?.sha256);
    assert.deepEqual(best.skipped, ['compare', 'minimise', 'measure']);
  });

  it('does not take the result with it either when its call has refuted the next leader as well', async () => {
    const clock = new ScriptedClock();
    const refutedFirst: string[] = [];
    attacking = (text) => {
      if (refutedFirst.length > 0) return { calls: 100 };
      refutedFirst.push(text);
      return { calls: 7, counterexample };
    };
    judging = (text, exact, isCounted) => {
      // The first that is judged on the call of the first.
      if (isCounted && refutedFirst.length === 1) refutedFirst.push(text);
      const isWrong = isCounted && text === refutedFirst[1];
      return isWrong ? { ...exact, outcome: { kind: 'wrong', counterexample, detail: 'x' } } : exact;
    };
    looked = (effort) => {
      if (effort === 'quick') return;
      clock.advance(2500);
      throw new Error('nobody waits for it');
    };
    const { best, refuted } = await summaryOf(await open(folder, bounded, { clock }));
    assert.deepEqual(
      refuted?.map((one) => one.counterexample),
      [counterexample, counterexample],
    );
    assert.ok(best !== null && !refuted.some(({ sha256 }) => sha256 === best.sha256));
  });

  it('leaves nothing to announce when every leader is refuted, however many there are', async () => {
    attacking = () => ({ calls: 7, counterexample });
    const scene = await open(folder);
    const { best, refuted } = await summaryOf(scene);
    assert.equal(best, null);
    assert.ok((refuted?.length ?? 0) > 0 && (refuted?.length ?? 0) <= 12);
  });
});
