/**
 * Looks for a call on which a candidate differs from the original: fresh calls around those that are known, steered by the
 * steps that they reach in either program and by the constants of both, then shrunk to a small one.
 */
import { type Call, type Counterexample, FunctionOptions } from '../../../../shared/judging.ts';
import type { AttackOptions, AttackReport, Basis } from '../../../../shared/payloads.ts';
import type { Program } from '../../../../shared/program.ts';
import type { EvaluatorContext } from '../../evaluator.ts';
import { type Original, openOriginal } from '../original.ts';
import { type Patience, Survey } from '../survey.ts';
import { readCall } from '../values/data.ts';
import { smallerCalls } from '../values/shrink.ts';
import { Duel } from './duel.ts';
import { Fresh, Known, knownCalls } from './fresh.ts';

/** Steps that the original may take in a whole search: a slow function is compared on fewer calls. */
const MOST_STEPS = 12_000_000;
const MOST_SHRINK_ROUNDS = 40;
const MOST_SHRUNK = 40;
/** What a program ends in that is given a value of the wrong type. */
const fails = /^raised (?:Type|Attribute|Reference)Error\b/;
/** For shrinking, next to the time of the attack itself. */
const MOST_SHRINK_MS = 2000;

export async function attackWinner(
  candidate: Program,
  basis: Basis,
  how: AttackOptions,
  asked: EvaluatorContext,
): Promise<AttackReport> {
  const time = new AbortController();
  const timer = asked.deterministic ? undefined : setTimeout(() => time.abort(), how.most_ms);
  const context = { ...asked, signal: AbortSignal.any([asked.signal, time.signal]) };
  const report: AttackReport = { calls: 0 };
  try {
    await search(candidate, basis, how, context, report);
  } catch (caught) {
    // The results until then are kept.
    if (!time.signal.aborted || asked.signal.aborted) throw caught;
  } finally {
    clearTimeout(timer);
  }
  return report;
}

/** Keeps the report up to date: its time may be over at any moment. */
async function search(
  candidate: Program,
  basis: Basis,
  how: AttackOptions,
  context: EvaluatorContext,
  report: AttackReport,
): Promise<void> {
  const options = FunctionOptions.parse(basis.evaluator.options);
  const started = performance.now();
  const spent = (): number => (context.deterministic ? 0 : performance.now() - started);
  const isOver = (): boolean => spent() > how.most_ms || (report.calls >= how.least && spent() > how.within_ms);
  const isCostly = ({ steps, cpuMs }: Patience): boolean => steps > MOST_STEPS || (!context.deterministic && cpuMs > how.cpu_ms);
  const duel = new Duel(
    withSupport(basis.original, options),
    withSupport(candidate, options),
    options,
    Known.parse(basis.data).unstable_effects,
    knownCalls(options, basis).raised,
    context,
  );
  const [mine, theirs] = await Promise.all([
    openOriginal(basis.original, options.entry, options.support, context),
    openOriginal(candidate, options.entry, options.support, context),
  ]);
  const own = new Survey(context.sandboxes, mine.runtime, mine.surveyed, context.signal);
  const other = new Survey(context.sandboxes, theirs.runtime, theirs.surveyed, context.signal);
  try {
    own.start();
    other.start();
    const fresh = new Fresh(mine, theirs, knownCalls(options, basis), how.seed, own, other);
    while (report.calls < how.calls && !isOver() && !isCostly(fresh.used)) {
      const batch = (await fresh.next()).slice(0, how.calls - report.calls);
      if (batch.length === 0) break;
      const found = await duel.compare(batch);
      if (found === undefined) {
        report.calls += batch.length;
        continue;
      }
      const counterexample = await confirmed(duel, batch, found.at);
      report.calls += found.at + 1;
      const failed = counterexample !== undefined && fails.test(counterexample.found.actual);
      if (counterexample === undefined || (failed && (await fresh.isMisplaced(readCall(counterexample.found.call))))) {
        // The original gives different results on this call, or does not take it: the others are compared without it.
        fresh.forget(batch[found.at]);
        continue;
      }
      report.counterexample = counterexample.found;
      if (!counterexample.alone) return;
      report.counterexample = await shrunk(
        duel,
        fresh,
        counterexample.found,
        mine,
        () => spent() > Math.min(how.within_ms + MOST_SHRINK_MS, how.most_ms) || isCostly(fresh.used),
      );
      return;
    }
  } finally {
    await Promise.all([own.close(), other.close(), duel.close()]);
  }
}

function withSupport(program: Program, { support }: FunctionOptions): Program {
  const own = new Set(program.files.map(({ path }) => path));
  return { ...program, files: [...program.files, ...support.filter(({ path }) => !own.has(path))] };
}

/** Repeated in fresh processes, alone if it differs there too; undefined when the original is not steady. */
async function confirmed(
  duel: Duel,
  batch: readonly Call[],
  at: number,
): Promise<{ found: Counterexample; alone: boolean } | undefined> {
  const call = batch[at];
  if (call === undefined) return undefined;
  const alone = await duel.compare([call]);
  const calls = alone === undefined ? batch.slice(0, at + 1) : [call];
  const again = alone ?? (await duel.compare(calls));
  if (again === undefined || calls[again.at] !== call || !(await duel.isSteady(calls))) return undefined;
  const after = alone === undefined ? ` (after ${at} other calls)` : '';
  return {
    found: { call, expected: again.expected, actual: `${again.actual}${after}`.slice(0, 2000) },
    alone: alone !== undefined,
  };
}

/** Looks for a smaller call that differs as well, as long as the time allows. */
async function shrunk(
  duel: Duel,
  fresh: Fresh,
  start: Counterexample,
  { runtime }: Original,
  late: () => boolean,
): Promise<Counterexample> {
  let best = start;
  for (let round = 0; round < MOST_SHRINK_ROUNDS && !late(); round++) {
    const drafts = smallerCalls(readCall(best.call), runtime, (slot) => fresh.shapeAt(slot)).slice(0, MOST_SHRUNK);
    const calls = await fresh.smaller(drafts);
    const found = await duel.compare(calls);
    const call = found === undefined ? undefined : calls[found.at];
    if (found === undefined || call === undefined) break;
    best = { call, expected: found.expected, actual: found.actual };
  }
  if (best === start) return start;
  // A call that differs only after others is not better than the one that differs alone.
  const alone = await duel.compare([best.call]);
  return alone === undefined ? start : { call: best.call, expected: alone.expected, actual: alone.actual };
}
