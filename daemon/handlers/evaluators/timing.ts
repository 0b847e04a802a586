/**
 * How fast a correct candidate is against the original: fresh runners of both in turns, the least time of each. What a
 * runner claims is believed as far as the kernel's account of its sandbox bears it out, and checked against what is seen here.
 */
import type { Metrics, Outcome } from '../../../shared/judging.ts';
import {
  decide,
  efforts,
  floorOf,
  hastened,
  type Laps,
  lapFloorOf,
  lapRatioOf,
  type Ratio,
  ratioOf,
  speedupOf,
} from '../../sandbox/measure.ts';
import { type Account, floorsOf } from './account.ts';
import { outcome } from './correctness.ts';
import { sparedMs } from './first-sight.ts';
import { couldGain, type Doubt, disbelief, overclaims, type Profile, waitsTooMuch, worthCheating } from './honesty.ts';
import type { Plan } from './laps.ts';
import type { Lap } from './reading.ts';
import { remembersInputs } from './remembering.ts';
import { type Contest, takeSample } from './sample.ts';

export interface Measured {
  readonly outcome: Outcome;
  readonly metrics: Metrics;
}

/**
 * Nothing is called forged after fewer: a busy machine can make an honest one look as if it hid its work, but seldom in all of
 * so many.
 */
const DOUBT_ROUNDS = 12;
/** The same of one that hides all that it does. */
const PLAIN_ROUNDS = 6;
/** Of the original's pass: who is charged more, by the low ends that a search goes by, is measured in as many processes. */
const CHARGED = 0.15;
/** Of a pass of the original: a shorter one is no longer than the account may be off around it. */
const ACCOUNTED_MS = 0.7;
/** Of a claim: charges up to this are lost in the noise. */
const UNCHARGED = 1.02;
/** Starting and ending a runner, roughly; counts towards the budget. */
const START_MS = 35;
/** Of the time that a person waits, so much counts at least: on a busy machine the end of a run would take minutes. */
const WAITED = 0.5;

export async function contest(settings: Contest): Promise<Measured> {
  const { original, candidate, options, effort, toBeat, withinMs } = settings;
  const bounds = withinMs === undefined ? efforts[effort] : hastened(efforts[effort], withinMs);
  const sides = { baseline: emptyProfile(), candidate: emptyProfile() };
  const walls = { baseline: [] as number[], candidate: [] as number[] };
  const accounts = { baseline: [] as Account[], candidate: [] as Account[] };
  const laps = { baseline: [] as (readonly Lap[])[], candidate: [] as (readonly Lap[])[] };
  const plans: Partial<Record<'baseline' | 'candidate', Plan>> = {};
  let times = timesOf(laps, [], [], []);
  // Nothing is spared either where every pass has a process of its own.
  const compiles = settings.pool.runtime === 'node' || settings.stateful;
  let spent = 0;
  /** Of one process of the candidate, at most. */
  let passes = 0;
  const began = performance.now();
  // The short measurements of a search always have others beside them.
  const share = withinMs !== undefined ? 1 : effort === 'quick' ? 0 : WAITED;
  const budgeted = () => Math.max(spent, share * (performance.now() - began));
  let verdict: ReturnType<typeof decide> = 'more';
  for (let round = 0; verdict === 'more'; round++) {
    // Alternating who goes first keeps a drift of the machine from favouring either.
    const order = round % 2 === 0 ? (['baseline', 'candidate'] as const) : (['candidate', 'baseline'] as const);
    for (const side of order) {
      settings.pool.prefetch(2);
      const sample = await settings.pool.use((runner) =>
        takeSample(runner, side === 'baseline' ? original : candidate, settings, plans[side]),
      );
      if ('outcome' in sample) {
        // The original does what it did before; only the machine can be to blame.
        if (side === 'baseline' && sample.outcome.kind !== 'forged') continue;
        return { outcome: sample.outcome, metrics: {} };
      }
      if (sample.plan !== undefined) plans[side] = sample.plan;
      if (side === 'candidate') passes = Math.max(passes, sample.passes);
      sides[side].floors.push(sample.account.floor);
      walls[side].push(sample.wall);
      accounts[side].push(sample.account);
      laps[side].push(sample.laps);
      sides[side].firsts.push(sample.account.first);
      for (const phase of ['before', 'around', 'after'] as const) sides[side][phase].push(sample[phase]);
      spent += sample.usedMs + START_MS;
    }
    const { worked, believed: floors } = floorsOf(accounts.candidate, accounts.baseline, compiles);
    times = timesOf(laps, sides.baseline.floors, sides.candidate.floors, floors);
    const rounds = Math.min(laps.baseline.length, laps.candidate.length);
    verdict = rounds === 0 ? 'more' : decide(rounds, believed(times).ratio, budgeted(), bounds, toBeat);
    const hides = overclaimed(sides, worked, floors);
    const needed = hides?.plain === true ? PLAIN_ROUNDS : DOUBT_ROUNDS;
    if (hides?.sure === true && round + 1 >= needed) return { outcome: outcome('forged', hides.reason), metrics: {} };
    // What is charged may be the noise of a few processes, to the good or to the harm of a candidate: the least of more tells.
    if (hides?.sure === true || (round < DOUBT_ROUNDS && isCharged(sides, floors))) verdict = 'more';
    const seems = overclaimed(sides, worked, floors, exactly);
    if (seems?.sure === true && round < DOUBT_ROUNDS * 2) verdict = 'more';
    // A busy machine can make an honest candidate look as if it worked elsewhere, but not in every one of many rounds.
    if (verdict !== 'more' && round < DOUBT_ROUNDS * 2) {
      const doubt = doubtOf(sides, walls, { compiles, accounted: isAccounted(accounts) });
      if (doubt !== undefined && (round < DOUBT_ROUNDS || !doubt.sure)) verdict = 'more';
    }
    if (round > Math.max(bounds.maxRounds, DOUBT_ROUNDS) * 2) break;
  }
  const doubt = doubtOf(sides, walls, { compiles, accounted: isAccounted(accounts) });
  if (doubt !== undefined) return { outcome: outcome('forged', doubt.reason), metrics: {} };
  const seen = believed(times);
  // A search goes by the low end, and people see the ratio: what shows no gain by that is not worth the counting there.
  const worth = effort === 'quick' ? worthCheating(exactly(seen.ratio)) : couldGain(seen.ratio);
  const remembers = compiles && !settings.stateful && worth ? await onFirstSight(seen, passes, settings) : seen;
  if ('outcome' in remembers) return { outcome: remembers.outcome, metrics: {} };
  const { ratio, baseline_ms, speed_ms } = remembers;
  const { p10, n } = floorOf(sides.candidate.floors);
  const detail =
    verdict === 'hopeless'
      ? `${options.entry.fn} is correct, at ${ratio.ratio.toFixed(2)} × the original's speed; ${toBeat?.toFixed(2)} × was to beat.`
      : '';
  return {
    outcome: outcome(verdict === 'hopeless' ? 'slow' : 'correct', detail),
    metrics: {
      speed_ms,
      speed_p10_ms: p10,
      baseline_ms,
      speedup: ratio.ratio,
      speedup_low: ratio.low,
      speedup_high: ratio.high,
      samples: n,
    },
  };
}

interface Believed {
  readonly ratio: Ratio;
  readonly baseline_ms: number;
  readonly speed_ms: number;
}

/**
 * By the laps without the waits for a processor, unless whole passes, whose claims the kernel's account bounds, or the clock
 * with the waits, which is checked from outside, show clearly less: who moves work between laps or lies about its waits gains
 * nothing.
 */
function believed({ running, pass, wall, charged }: Times): Believed {
  const by = ({ baseline }: Times['wall'], ratio: Ratio): Believed => {
    const baseline_ms = lapFloorOf(baseline);
    return { ratio, baseline_ms, speed_ms: baseline_ms / ratio.ratio };
  };
  // The middle of pairs would be off by what noise charges to most processes; the floors are not, as long as it spares some.
  let best = by(running, (charged ? lapRatioOf : speedupOf)(running.baseline, running.candidate));
  for (const check of [pass, wall]) {
    const ratio = lapRatioOf(check.baseline, check.candidate);
    if (best.ratio.low > ratio.high) best = by(check, ratio);
  }
  return best;
}

/** What is believed where code is compiled as it runs: without what is spared on inputs that were seen before. */
async function onFirstSight(
  claimed: Believed,
  passes: number,
  settings: Contest,
): Promise<Believed | { readonly outcome: Outcome }> {
  const spared = await sparedMs(settings, settings.effort, passes, claimed.baseline_ms);
  if (typeof spared !== 'number') return { outcome: spared };
  const speed_ms = claimed.speed_ms + spared;
  const slower = speed_ms / claimed.speed_ms;
  const { ratio, low, high } = claimed.ratio;
  const charged = { ratio: ratio / slower, low: low / slower, high: high / slower };
  // What is counted is exact: no interval is about that.
  const [before, after] = [exactly(claimed.ratio), exactly(charged)];
  const hides = overclaims(before, before, after);
  if (hides !== undefined) return { outcome: outcome('forged', hides.reason) };
  const remembers = worthCheating(charged) ? await remembersInputs(settings) : undefined;
  return remembers === undefined ? { ...claimed, speed_ms, ratio: charged } : { outcome: remembers };
}

const exactly = ({ ratio }: Ratio): Ratio => ({ ratio, low: ratio, high: ratio });

/** `floors`: what each of the candidate's processes is believed to take for a pass, in place of what it claims. */
function timesOf(
  laps: Readonly<Record<'baseline' | 'candidate', readonly (readonly Lap[])[]>>,
  original: readonly number[],
  claimed: readonly number[],
  floors: readonly number[],
): Times {
  const pass = { baseline: original.map((ms) => [ms]), candidate: floors.map((ms) => [ms]) };
  const wall = { baseline: laps.baseline.map((one) => one.map((lap) => lap.claimedMs)), candidate: [] as Laps[] };
  const running = { baseline: laps.baseline.map((one) => one.map((lap) => lap.runningMs)), candidate: [] as Laps[] };
  let charged = 0;
  for (const [index, one] of laps.candidate.entries()) {
    const claim = claimed[index] ?? 1;
    const charge = (floors[index] ?? claim) / claim;
    if (charge > UNCHARGED) charged++;
    running.candidate.push(one.map((lap) => lap.runningMs * charge));
    // What is charged to its running time is charged to its wall clock.
    wall.candidate.push(one.map((lap) => lap.claimedMs + lap.runningMs * (charge - 1)));
  }
  return { running, pass, wall, charged: charged * 4 > floors.length };
}

function doubtOf(sides: Profiles, walls: Sides, how: Parameters<typeof disbelief>[2]): Doubt | undefined {
  const { baseline, candidate } = sides;
  const running = ratioOf(baseline.floors, candidate.floors);
  return waitsTooMuch(running, ratioOf(walls.baseline, walls.candidate)) ?? disbelief(baseline, candidate, how);
}

const isAccounted = (accounts: Record<'baseline' | 'candidate', readonly Account[]>): boolean =>
  [...accounts.baseline, ...accounts.candidate].every(({ sight }) => sight !== undefined);

function overclaimed(
  sides: Profiles,
  worked: readonly number[],
  floors: readonly number[],
  as: (ratio: Ratio) => Ratio = (ratio) => ratio,
): Doubt | undefined {
  const { floors: original } = sides.baseline;
  if (original.length === 0 || floors.length === 0) return undefined;
  const gain = (own: readonly number[]): Ratio => as(ratioOf(original, own));
  const doubt = overclaims(gain(sides.candidate.floors), gain(worked), gain(floors));
  if (doubt === undefined || Math.min(...original) >= ACCOUNTED_MS) return doubt;
  return { reason: doubt.reason, sure: false };
}

/** Whether the account makes much of a difference to a candidate that claims a gain. */
function isCharged(sides: Profiles, floors: readonly number[]): boolean {
  if (sides.baseline.floors.length === 0 || floors.length === 0) return false;
  const claimed = ratioOf(sides.baseline.floors, sides.candidate.floors);
  return worthCheating(claimed) && 1 / ratioOf(sides.baseline.floors, floors).low - 1 / claimed.low > CHARGED;
}

type Profiles = Readonly<Record<'baseline' | 'candidate', Profile>>;

type Sides = Readonly<Record<'baseline' | 'candidate', readonly number[]>>;

/** A sample of each process. */
type Times = Readonly<Record<'running' | 'pass' | 'wall', Readonly<Record<'baseline' | 'candidate', Laps[]>>>> & {
  /** More than a quarter of the candidate's processes are charged for what they did beside their clocks. */
  readonly charged: boolean;
};

const emptyProfile = (): Record<keyof Profile, number[]> => ({ floors: [], firsts: [], before: [], around: [], after: [] });
