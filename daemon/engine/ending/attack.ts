/**
 * The counter-example search before an announcement: a program that was right on every call of the search is compared with
 * the original on fresh calls. One that differs leaves the archive, and those after it are compared on its call first.
 */
import { type Confidence, verifiedLevel } from '../../../shared/confidence.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { isCorrect } from '../../../shared/judging.ts';
import { type AttackOptions, type AttackReport, ExecuteData, type ExecutePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { hunksBetween } from '../../evolution/hunks.ts';
import { rangesOf } from '../../judging/inputs/limits.ts';
import { createRandom } from '../../random.ts';
import { isCandidatesFault } from '../faults.ts';
import { namedExecuteTask } from '../tasks.ts';
import type { AnnounceDeps } from './announce.ts';
import { type Confirmer, HeldOut } from './confirm.ts';

/**
 * One search goes on for two seconds, and until it has made the least number of calls. What it may take of an announcement's time
 * is processor time of the original, so that a slow function is compared on fewer calls and a loaded machine finds the same.
 */
export const ATTACK = { calls: 1000, least: verifiedLevel.attacked, within_ms: 2000, cpu_ms: 6000, most_ms: 40_000 } as const;
/**
 * A search may take this share of the time that is left for an announcement, and at least this long. It ends a little before
 * that.
 */
const SHARE = 0.6;
const LEAST_MS = 2000;
const ENDS = 0.8;
/** The limit by the clock where no user has pressed Stop: on a loaded machine, correctness matters more than time. */
const LOADED_MS = 10_000;
/** A deterministic run makes this number of calls, however long they take; the time is a bound for what never ends. */
const COUNTED = { ...ATTACK, calls: 400, within_ms: 60_000, most_ms: 60_000 } as const;
/** A run announces nothing after this many of its programs were refuted. */
const MOST_REFUTED = 12;

export type Survival =
  | { readonly kind: 'survived'; readonly confidence?: Confidence }
  | { readonly kind: 'refuted' }
  /**
   * The program could not be compared on fresh calls. `untested`: a comparison on these calls would not show that it is wrong.
   */
  | { readonly kind: 'failed'; readonly why: string; readonly untested?: true };

/** Whether fresh calls may be made: not by every evaluator, nor where deriving calls is turned off. */
export function canAttack({ evaluator, basis }: Pick<Confirmer, 'evaluator' | 'basis'>): boolean {
  return evaluator.attack !== undefined && basis.evaluator.options['derived'] !== undefined;
}

/**
 * One search, as a task. `name` distinguishes it from others of its scope. When deterministic, only the number of calls ends
 * it.
 */
export async function attack(
  confirmer: Confirmer,
  name: string,
  program: Program,
  how: AttackOptions & Pick<ExecutePayload, 'deterministic'>,
): Promise<AttackReport> {
  const { scope, taskClient, evaluator, basis, signal } = confirmer;
  const { deterministic, ...options } = how;
  const payload: ExecutePayload = {
    mode: 'attack',
    attack: options,
    program,
    basis,
    deterministic,
    effort: 'quick',
  };
  const task = namedExecuteTask(scope, name, payload, evaluator.requires(program.language));
  const { attack: report } = ExecuteData.parse(await taskClient.run(task, signal));
  if (report === undefined) throw new PeagenError('internal', 'The evaluator made no report of its counter-example search.');
  return report;
}

/** The confidence after a search that compared that number of calls; a search that was cut short is marked. */
export function withAttack(confidence: Confidence, attacked: number): Confidence {
  if (attacked >= ATTACK.least) return { ...confidence, attacked };
  if (attacked === 0) {
    const none = 'There was no time to search for a counter-example among fresh calls.';
    return { ...confidence, attacked, limits: [...confidence.limits, none] };
  }
  const few = `Only ${attacked} fresh ${attacked === 1 ? 'call was' : 'calls were'} compared in the search for a counter-example.`;
  return { ...confidence, attacked, limits: [...confidence.limits, few] };
}

/** With fewer planted bugs than this, their share says nothing about the calls. */
const LEAST_PLANTED = 4;

/**
 * Returns why a match with the original says nothing about this program: no call runs the changed lines, or the calls notice too
 * few planted bugs.
 */
export function doubtOf({ missed = [], mutants }: Confidence, original: Program, program: Program): string | undefined {
  // A user's own change may add imports and helpers next to the function.
  const changed = hunksBetween(whole(original), whole(program)).flatMap(({ span: at, line, count }) => {
    const path = original.files[at]?.path;
    // What is inserted stands between two lines.
    const lines = count === 0 ? [line, line + 1] : [line + 1, line + count];
    return lines.filter((one) => original.spans.some((span) => span.path === path && isWithin(original, span, one)));
  });
  const [first, last] = [Math.min(...changed), Math.max(...changed)];
  const unseen = missed.filter((line) => first <= line && line <= last);
  if (unseen.length > 0) return `no call runs ${lowerFirst(rangesOf(unseen))}, where it differs from the original`;
  if (mutants.of < LEAST_PLANTED || mutants.hit * 2 >= mutants.of) return undefined;
  return `the calls do not notice ${mutants.of - mutants.hit} of ${mutants.of} planted bugs, so they may not notice a mistake in it either`;
}

const whole = (program: Program): Program => ({
  ...program,
  spans: program.files.map(({ path, text }) => ({ path, start: 0, end: text.length })),
});

/** Whether the line, counted from 1, is one of the span's. */
function isWithin({ files }: Program, { path, start, end }: Program['spans'][number], line: number): boolean {
  const text = files.find((file) => file.path === path)?.text ?? '';
  return line >= text.slice(0, start).split('\n').length && line <= text.slice(0, end).split('\n').length;
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Compares the program on the calls that refuted others, then on fresh ones; records what is found. */
export async function survive(deps: AnnounceDeps, sha256: Sha256, program: Program): Promise<Survival> {
  const { state, confirmer, deadline } = deps;
  const { confidence } = state.spec;
  const doubt = confidence === undefined ? undefined : doubtOf(confidence, confirmer.basis.original, program);
  if (doubt !== undefined) return { kind: 'failed', why: doubt, untested: true };
  if (!canAttack(confirmer)) return { kind: 'survived', ...(confidence === undefined ? {} : { confidence }) };
  if (state.refuted.has(sha256) || !(await passesRefuted(deps, sha256, program))) return { kind: 'refuted' };
  const shareMs = Math.max(LEAST_MS, deadline.leftMs * SHARE);
  const withinMs = deadline.isAsked || deadline.leftMs === 0 ? Math.min(deadline.leftMs, shareMs) : Math.max(LOADED_MS, shareMs);
  const bound = (ms: number, most: number): number => Math.max(1, Math.round(Math.min(most, ms * ENDS)));
  const seed = createRandom(state.spec.seed, 'attack', sha256).int(2 ** 32);
  const { deterministic } = state.spec;
  const timed = {
    ...ATTACK,
    within_ms: bound(shareMs, ATTACK.within_ms),
    cpu_ms: bound(shareMs, ATTACK.cpu_ms),
    most_ms: bound(withinMs, ATTACK.most_ms),
  };
  const bounds = deterministic ? COUNTED : timed;
  try {
    const { calls, counterexample } = (await deadline.inTime(withinMs, confirmer, (bounded) =>
      attack(bounded, `attack/${sha256}`, program, { seed, ...bounds, deterministic }),
    )) ?? { calls: 0 };
    if (counterexample !== undefined) {
      await deps.record({ type: 'refuted', sha256, counterexample, calls });
      return { kind: 'refuted' };
    }
    return { kind: 'survived', ...(confidence === undefined ? {} : { confidence: withAttack(confidence, calls) }) };
  } catch (caught) {
    const error = PeagenError.from(caught);
    if (!isCandidatesFault(error)) throw error;
    return { kind: 'failed', why: `it could not be compared with the original on fresh calls: ${error.message}`.slice(0, 1000) };
  }
}

/** Whether the program is right on the calls that others were refuted by; records it as refuted when it is not. */
export async function passesRefuted(deps: AnnounceDeps, sha256: Sha256, program: Program): Promise<boolean> {
  const { state, confirmer, deadline, passed } = deps;
  const found = [...state.refuted.values()].map(({ counterexample }) => counterexample);
  const all = [...new Map(found.map((one) => [JSON.stringify(one.call), one])).values()];
  const [first] = all;
  if (first === undefined || !canAttack(confirmer) || passed.get(sha256) === all.length) return true;
  const { name, options } = confirmer.basis.evaluator;
  const spec = { name, options: { ...options, derived: all.map(({ call }) => call), heldout: [] } };
  const heldOut = new HeldOut(spec, `refuted/${all.length}`);
  // A few calls take little time, and without an answer all that was found out about the program would be lost.
  const withinMs = deadline.isAsked ? deadline.leftMs : Math.max(LEAST_MS, deadline.leftMs);
  const judged = await deadline.inTime(withinMs, confirmer, (bounded) => heldOut.outcome(bounded, sha256, program));
  // A program that there is no time to check does not count as correct.
  if (judged === undefined) return false;
  const { outcome } = judged;
  if (isCorrect(outcome)) {
    passed.set(sha256, all.length);
    return true;
  }
  const counterexample = outcome.counterexample ?? { ...first, actual: outcome.detail.slice(0, 2000) };
  await deps.record({ type: 'refuted', sha256, counterexample, calls: 0 });
  return false;
}

/** Looking for another leader ends after this many, and when the time of the announcement is over. */
export function hasGivenUp({ state: { refuted }, deadline }: AnnounceDeps): boolean {
  return refuted.size >= MOST_REFUTED || (refuted.size > 0 && deadline.leftMs === 0);
}
