/**
 * Rules against candidates that look faster than they are. A candidate shares its interpreter with the runner, so none
 * of these rules trusts what is said in there: they compare what was seen from outside, with the original as the measure.
 */
import type { Program } from '../../../shared/program.ts';
import { times } from '../../../shared/words/ratio.ts';
import { type Ratio, ratioOf } from '../timing/statistics/measure.ts';
import { derived, tuned } from '../tuned.ts';

/** One side of a contest: a number per runner in each list, in milliseconds. */
export interface Profile {
  /** The least time that the runner claimed for one pass. */
  readonly floors: readonly number[];
  /** The time that it claimed for the first pass of the process. */
  readonly firsts: readonly number[];
  /** First pass, as seen from outside: readying its inputs, around the clock without what was claimed, showing its outputs. */
  readonly before: readonly number[];
  readonly around: readonly number[];
  readonly after: readonly number[];
}

const phases = {
  before: 'before the clock started',
  around: 'around what the clock says',
  after: 'after the clock had stopped',
} as const;

/** Whether the gain is large enough to be worth forging. */
export function worthCheating(gain: Ratio): boolean {
  return gain.low >= tuned.worth;
}

/** Whether the measurements allow a gain of that size. */
export function couldGain(gain: Ratio): boolean {
  return gain.high >= tuned.worth;
}

/** The reason why a speed is not believed. Unless `sure`, it may be noise, which more measuring would remove. */
export interface Doubt {
  readonly reason: string;
  readonly sure: boolean;
  /** Nearly a whole pass is hidden in every process, which fewer of them show. */
  readonly plain?: boolean;
}

/**
 * Undefined when the claimed speed is believed. `compiles`: code becomes faster as it runs. `accounted`: work outside the clock
 * is charged by the kernel's account, so only sleep can still hide there, behind a clock that was changed.
 */
export function disbelief(
  baseline: Profile,
  candidate: Profile,
  { compiles, accounted }: { readonly compiles: boolean; readonly accounted: boolean },
): Doubt | undefined {
  const gain = ratioOf(baseline.floors, candidate.floors);
  if (gain.low < tuned.worth) return undefined;
  const work = Math.min(...baseline.floors);
  for (const [phase, words] of [
    ['before', phases.before],
    ['around', phases.around],
    ['after', phases.after],
  ] as const) {
    if (accounted && phase !== 'around') continue;
    const usual = Math.min(...baseline[phase]);
    const own = Math.min(...candidate[phase]);
    // Noise may double what is usual; work that was moved is as long as a pass of the original.
    if (own <= Math.max(usual * 2 + 0.5, usual * 1.25 + work / 2)) continue;
    const reason =
      `It claims ${ms(Math.min(...candidate.floors))} per pass, but ${ms(own)} went by ${words} (${ms(usual)} for the ` +
      'original): its work is done elsewhere, or the clock was changed.';
    // The time around the readings is measured outside of the sandbox, and includes every wait of a busy machine.
    return { reason, sure: phase !== 'around' };
  }
  // A first pass compiles, and loads what was never used: there, operations tell (first-sight.ts).
  if (compiles) return undefined;
  const firstGain = ratioOf(baseline.firsts, candidate.firsts);
  const least = Math.min(1 + (gain.low - 1) / 4, tuned.worth);
  if (Math.min(...baseline.firsts) < tuned.reading || firstGain.ratio >= least) return undefined;
  if (Math.min(...candidate.firsts) - Math.min(...candidate.floors) < work * tuned.slightShare) return undefined;
  return { reason: remembering(gain, firstGain), sure: firstGain.high < least };
}

/** The least share of the original's pass that went by, as far as the intervals tell, beyond what was claimed for a pass. */
const hiddenShare = (claimed: Ratio, seen: Ratio): number => 1 / seen.high - 1 / claimed.low;

/**
 * `claimed` by the runners, `worked` with what the kernel counted in addition to their claims, `believed` with what is spared on
 * inputs that were seen before, too. What is reported is the believed speed in any case; this finds a program that hides
 * its work from one that the account only treats a little too strictly. Of a huge gain the smallest error of the account leaves
 * little, so that the share of the original's pass counts, and not what is left of the gain.
 */
export function overclaims(claimed: Ratio, worked: Ratio, believed: Ratio): Doubt | undefined {
  const least = 1 + (claimed.low - 1) / 2;
  if (claimed.low < tuned.worth) return undefined;
  if (worked.high < least) {
    const reason =
      `It claims to be ${times(claimed.ratio)} as fast, but with the processor time that the kernel counted outside its clock it is ` +
      `${times(worked.ratio)}: its work is done elsewhere, or the clock was changed.`;
    const hidden = hiddenShare(claimed, worked);
    return { reason, sure: hidden >= tuned.half, plain: hidden >= derived.most };
  }
  if (believed.high >= least) return undefined;
  return { reason: remembering(claimed, believed), sure: hiddenShare(claimed, believed) >= derived.most };
}

const remembering = (seen: Ratio, first: Ratio): string =>
  `It is ${times(seen.ratio)} as fast on inputs that it has seen before, but only ${times(first.ratio)} on first sight: ` +
  'it remembers results across calls.';

const ms = (value: number): string => `${value.toFixed(value < 1 ? 3 : 1)} ms`;

/** Names that no honest change needs, because they reach into the runner. */
const reaching: readonly (readonly [RegExp, string])[] = [
  [/__peagen|\bpeagen_runner\b/, 'the names of the runner'],
  [/\btracemalloc\b/, 'the tracer of memory'],
  [/\b_getframe\b|\btb_frame\b|\bf_back\b|\bcurrentframe\b/, 'the frames of its caller'],
  [/\bgc\s*\.\s*get_(objects|referrers|referents)\b/, 'all objects of the interpreter'],
  [/\bset(trace|profile)\b/, 'tracing'],
  [/\bctypes\b/, 'raw memory'],
  [/\b__main__\b/, 'the main module, which starts the runner'],
  [/\b(node:)?inspector\b/, 'the inspector'],
  [/\bprocess\s*\.\s*(binding|hrtime|cpuUsage|reallyExit)\b/, 'the internals of the process'],
];

/** This applies to a benchmark that shares its process with the candidate: no honest change needs another clock. */
const clockChange =
  /\b(?:time|timeit|performance|Date|process|Performance\.prototype)\s*\.\s*(?:time|perf_counter|monotonic|process_time|thread_time|default_timer|now|hrtime)(?:_ns|\.bigint)?\s*=(?![=>])/;

/** That the candidate puts something else in the place of a clock, which the original does not; undefined when it does not. */
export function changesClocks(original: Program, candidate: Program): string | undefined {
  return newIn(original, candidate, clockChange, 'a clock of its own in place of the usual one');
}

/** The name that the candidate uses to reach into the runner and that the original does not use; undefined when there is none. */
export function tampering(original: Program, candidate: Program): string | undefined {
  for (const [pattern, what] of reaching) {
    const found = newIn(original, candidate, pattern, what);
    if (found !== undefined) return found;
  }
  return undefined;
}

function newIn(original: Program, candidate: Program, pattern: RegExp, what: string): string | undefined {
  if (original.files.some(({ text }) => pattern.test(text))) return undefined;
  for (const { path, text } of candidate.files) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const line = text.slice(0, match.index).split('\n').length;
    const own = text.split('\n')[line - 1]?.trim().slice(0, MOST_SHOWN) ?? '';
    return `It uses ${what} (${match[0]}), which the original does not: ${path}:${line}: ${own}`;
  }
  return undefined;
}

/** Characters of a line. */
const MOST_SHOWN = 200;
