/**
 * Makes calls that are longer than the timed ones, where those are so short that a better algorithm could not show: enlarged
 * until the original takes about a millisecond. Only calls on which it returns, and the same in two processes, are kept.
 */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import { tuned } from '../tuned.ts';
import { LEAST_STEPS } from './explore.ts';
import type { Original } from './original.ts';
import type { Patience, Sighting, Survey } from './survey.ts';
import { type Draft, keyOf, sizeOf, writeCall } from './values/data.ts';
import { enlarged, keepsDistinct, leavesIn, type Manner, manners, type Surroundings } from './values/enlarge.ts';

/** What one trial may take, and how large a call may be: of larger ones, handing them over takes longer than most functions do. */
const MOST_PATIENCE: Patience = { steps: 1_000_000, cpuMs: 100 };
const [MOST_VALUES, MOST_CHARACTERS] = [3000, 40_000];
const MOST_LONGER = 3;
/** Calls that are enlarged in each manner. */
const MOST_SEEDS = 4;
/** Copies that are tried first; of what grows fast only fewer return in time. */
const MOST_AT_FIRST = 8;

interface Longer {
  readonly original: Original;
  readonly surveys: { readonly traced: Survey; readonly plain: Survey };
  /** By steps, which are the same on every machine. */
  readonly deterministic: boolean;
  readonly random: Random;
}

interface Trial {
  readonly seed: Draft;
  readonly manner: Manner;
  readonly copies: number;
  readonly draft: Draft;
  readonly call: Call;
}

interface Seen extends Trial {
  /** Milliseconds, or steps. */
  readonly cost: number;
  /** 0 where they are not counted. */
  readonly steps: number;
  readonly hash: number;
}

/** `timed`: calls that return. */
export async function longerCalls(timed: readonly Draft[], how: Longer): Promise<Call[]> {
  const goal = how.deterministic ? LEAST_STEPS : tuned.longMs;
  const own = await measured(timed.map(asTrial), how);
  if (own.reduce((sum, { cost }) => sum + cost, 0) >= goal) return [];
  const seeds = timed.toSorted((a, b) => sizeOf(b) - sizeOf(a)).slice(0, MOST_SEEDS);
  const ownOf = new Map(own.map((one) => [one.seed, one]));
  const found: Seen[] = [];
  for (let copies = MOST_AT_FIRST; copies > 1; copies /= 2) {
    const open = seeds.filter((seed) => !found.some((one) => one.seed === seed));
    const wanted = open.flatMap((seed) => manners.map((manner) => ({ seed, manner, copies })));
    const returning = await tried(wanted, timed, how);
    // A call whose cost does not grow with its length shows nothing.
    found.push(...returning.filter((one) => isTwice(one, ownOf.get(one.seed))));
  }
  // A manner that keeps distinct values distinct comes first; the one that costs the original most shows best what its work grows with.
  const first = seeds.flatMap((seed) => {
    const ways = found.filter((one) => one.seed === seed).toSorted((a, b) => b.cost - a.cost);
    const [distinct, repeated] = [true, false].map((wanted) => ways.find(({ manner }) => keepsDistinct(manner) === wanted));
    return [distinct, repeated].flatMap((one) => one ?? []).slice(0, seeds.length === 1 ? 2 : 1);
  });
  const second = await tried(
    first.flatMap((one) => larger(one, one.copies * 4)),
    timed,
    how,
  );
  const third = await tried(
    second.flatMap((one) => {
      const before = first.find(({ seed, manner }) => seed === one.seed && manner === one.manner);
      return before === undefined ? [] : larger(one, copiesFor(goal, before, one));
    }),
    timed,
    how,
  );
  const ends = first.flatMap(({ seed, manner }) => {
    const sizes = [...first, ...second, ...third].filter((one) => one.seed === seed && one.manner === manner);
    const fits = sizes.filter(({ cost }) => cost <= 2 * goal).toSorted((a, b) => b.cost - a.cost);
    return fits.slice(0, 1);
  });
  const chosen = ends.toSorted((a, b) => b.cost - a.cost).slice(0, MOST_LONGER);
  const calls = chosen.map(({ call }) => call);
  const other = how.deterministic ? how.surveys.plain : how.surveys.traced;
  const again = await other.run(calls, MOST_PATIENCE, false);
  return calls.filter((_, at) => again[at]?.hash === chosen[at]?.hash);
}

/** In steps where they are known: the time of a short call is mostly that of making it. */
function isTwice(long: Seen, short: Seen | undefined): boolean {
  if (short === undefined) return true;
  return long.steps > 0 ? long.steps >= 2 * short.steps : long.cost >= 2 * short.cost;
}

const asTrial = (draft: Draft): Trial => ({ seed: draft, manner: 'same', copies: 1, draft, call: writeCall(draft) });

/** How many copies would cost the goal, if the cost grows on as it did. */
function copiesFor(goal: number, before: Seen, after: Seen): number {
  const power = Math.log(after.cost / before.cost) / Math.log(after.copies / before.copies);
  return Math.floor(after.copies * (goal / after.cost) ** (1 / Math.max(0.5, power)));
}

/** Returns the calls with another number of copies, as many as one call may hold. */
function larger({ seed, manner, copies, draft }: Seen, wanted: number): Pick<Trial, 'seed' | 'manner' | 'copies'>[] {
  const values = [...draft.args, ...Object.values(draft.kwargs)];
  const each = values.reduce<number>((sum, value) => sum + leavesIn(value), 0) / copies;
  const most = Math.min(MOST_VALUES / each, (MOST_CHARACTERS * copies) / sizeOf(draft));
  const many = Math.floor(Math.min(wanted, most));
  return many <= 1 || many === copies ? [] : [{ seed, manner, copies: many }];
}

/** Returns the calls on which the original returns. */
async function tried(
  wanted: readonly Pick<Trial, 'seed' | 'manner' | 'copies'>[],
  known: readonly Draft[],
  how: Longer,
): Promise<Seen[]> {
  const { original, random } = how;
  const { source, runtime } = original;
  const words = source?.words ?? [];
  const surroundings: Surroundings = { known, words, language: runtime };
  const made = new Map<string, Trial>();
  for (const one of wanted) {
    const draft = enlarged(one.seed, one.copies, one.manner, surroundings, random);
    if (draft !== undefined && !made.has(keyOf(draft))) made.set(keyOf(draft), { ...one, draft, call: writeCall(draft) });
  }
  return await measured([...made.values()], how);
}

/** The least of several runs, in each of which all are called twice: code is slow at first, and the machine may be busy. */
async function measured(trials: readonly Trial[], { surveys, original, deterministic }: Longer): Promise<Seen[]> {
  if (trials.length === 0) return [];
  const calls = trials.map(({ call }) => call);
  const times = deterministic ? [calls] : [calls, calls];
  const survey = deterministic ? surveys.traced : surveys.plain;
  const costOf = ({ wall, steps }: Sighting): number => {
    if (deterministic) return Math.max(1, steps);
    const own =
      original.runtime === 'node' ? Math.max(steps * tuned.operationNs, wall * 1e6 - steps * tuned.probeNs) / 1e6 : wall;
    return Math.max(1e-3, own);
  };
  const runs: Sighting[][] = [];
  for (let left = deterministic ? 1 : tuned.readings; left > 0; left--)
    runs.push(await survey.run(times.flat(), MOST_PATIENCE, deterministic));
  return trials.flatMap((trial, at) => {
    const seen = runs.flatMap((run) => times.flatMap((_, time) => run[at + time * calls.length] ?? []));
    const hash = seen[0]?.hash;
    if (hash === undefined || seen.some((one) => one.hash !== hash || one.raised !== undefined)) return [];
    return [{ ...trial, hash, cost: Math.min(...seen.map(costOf)), steps: seen[0]?.steps ?? 0 }];
  });
}
