/**
 * How fast a correct candidate is against the original: rounds of fresh runners of both, next to each other. What a runner
 * claims is believed as far as the kernel's account of its sandbox bears it out, and checked against what is seen here.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { Metrics, Outcome } from '../../../shared/judging.ts';
import type { EffortName } from '../../../shared/payloads.ts';
import { times } from '../../../shared/words/ratio.ts';
import { sparedMs } from '../forgery/first-sight.ts';
import { onFreshInputs } from '../forgery/fresh-inputs.ts';
import { couldGain, type Doubt, disbelief, overclaims, type Profile, worthCheating } from '../forgery/honesty.ts';
import { outcome } from '../function/result.ts';
import { derived, tuned } from '../tuned.ts';
import { type CpuAccount, type Floors, floorsOf } from './cpu-account.ts';
import type { PairedRun, Side } from './paired-runner.ts';
import { type Round, type Rounds, takeRound } from './round.ts';
import { decide, efforts, FEWEST, floorOf, hastened, medianOf, middleOf, type Ratio, ratioOf } from './statistics/measure.ts';
import { estimate, pooledNoise } from './statistics/posterior.ts';
import { race } from './statistics/race.ts';

interface Measured {
  readonly outcome: Outcome;
  readonly metrics: Metrics;
  /** Logarithms of the ratios original / candidate, one for each pair of processes. */
  readonly readings?: readonly number[];
}

/** When to stop, and the interval by which that is decided. */
interface StopRule {
  /** `hopeless`: clearly slower than what the candidate must beat. */
  verdict(ratios: readonly number[], believed: Ratio, spentMs: number): ReturnType<typeof decide>;
  interval(ratios: readonly number[]): Ratio;
}

/** While searching, a race against what the candidate must beat; else until the interval is narrow. */
function stopRule({ effort, withinMs, goal, noise, pairs }: PairedRun): StopRule {
  const logs = (ratios: readonly number[]): number[] => ratios.map(Math.log);
  const noiseOf = (ratios: readonly number[]): number => noise ?? pooledNoise([logs(ratios)]);
  const posterior = (ratios: readonly number[]): Ratio => estimate(logs(ratios), noiseOf(ratios));
  if (effort === 'quick') {
    return {
      interval: posterior,
      verdict: (ratios) => {
        if (pairs !== undefined) return ratios.length < pairs ? 'more' : 'enough';
        if (noise === undefined && goal.mustBeat === undefined && ratios.length < FEWEST) return 'more';
        const came = race(logs(ratios), noiseOf(ratios), goal);
        return came === 'more' ? 'more' : came === 'lost' ? 'hopeless' : 'enough';
      },
    };
  }
  const bounds = withinMs === undefined ? efforts[effort] : hastened(efforts[effort], withinMs);
  return {
    // The sign test needs six readings for an interval; of fewer the noise of all pairs makes one.
    interval: (ratios) => (ratios.length < efforts.compare.minRounds ? posterior(ratios) : middleOf(ratios)),
    verdict: (ratios, believed, spentMs) => decide(ratios.length, believed, spentMs, bounds),
  };
}

/** A busy machine can make an honest candidate look as if it hid its work, but seldom in all of this many rounds. */
const DOUBT_ROUNDS = 2 * FEWEST;

const accountsOf = (rounds: readonly Round[], side: Side): CpuAccount[] => rounds.map((round) => round[side].account);
const floorsIn = (rounds: readonly Round[], side: Side): number[] => accountsOf(rounds, side).map(({ floor }) => floor);

function profileOf(rounds: readonly Round[], side: Side): Profile {
  const of = (phase: 'before' | 'around' | 'after'): number[] => rounds.map((round) => round[side][phase]);
  return {
    floors: floorsIn(rounds, side),
    firsts: accountsOf(rounds, side).map(({ first }) => first),
    before: of('before'),
    around: of('around'),
    after: of('after'),
  };
}

export async function pairedRun(settings: PairedRun): Promise<Measured> {
  const { options, effort, goal } = settings;
  const rule = stopRule(settings);
  const rounds: Round[] = [];
  let kept = settings.kept;
  const [keptRounds, freshRounds]: readonly [Rounds, Rounds] = [{ plans: {} }, { plans: {} }];
  let floors: Floors = { worked: [], believed: [] };
  // Nothing is spared either where every pass has a process of its own.
  const compiles = settings.pool.runtime === 'node' || settings.stateful;
  let refusal = '';
  const began = performance.now();
  // A program for which no time is left is not accused: the search had, and what the kernel counted is charged in any case.
  const isLate = (): boolean => settings.withinMs !== undefined && performance.now() - began >= settings.withinMs;
  let verdict: ReturnType<typeof decide> = 'more';
  // Rounds in which the original failed count as tried.
  const most = Math.max(effort === 'quick' ? 0 : efforts[effort].maxRounds, DOUBT_ROUNDS) * 2;
  for (let tried = 0; verdict === 'more' && tried <= most; ) {
    const first = tried % 2 === 0 ? 'baseline' : 'candidate';
    tried++;
    // A candidate that is measured more often than a search needs has raised a doubt.
    if (tried > tuned.repeats) kept = undefined;
    const taken = await takeRound({ ...settings, kept }, kept === undefined ? freshRounds : keptRounds, first);
    if ('outcome' in taken) {
      // The earlier work of the runners may be the cause.
      if (kept !== undefined) {
        kept = undefined;
        continue;
      }
      // The original has passed before, so that the failure is due to the machine.
      if (taken.side === 'candidate' || taken.outcome.kind === 'forged') return { outcome: taken.outcome, metrics: {} };
      refusal = taken.outcome.detail;
      continue;
    }
    rounds.push(taken);
    floors = floorsOf(accountsOf(rounds, 'candidate'), accountsOf(rounds, 'baseline'), compiles);
    const now = believed(rounds, chargedFloors(effort, claimOf(rounds), floors), settings, rule.interval);
    verdict = rule.verdict(now.ratios, now.ratio, performance.now() - began);
    const hides = overclaimed(rounds, floors);
    const needed = hides?.plain === true ? FEWEST : DOUBT_ROUNDS;
    if (hides?.sure === true && tried >= needed) return { outcome: outcome('forged', hides.reason), metrics: {} };
    if (isLate()) break;
    // What is charged may be the noise of a few processes, to the good or to the harm of a candidate: more of them tell.
    if (hides?.sure === true || (tried <= DOUBT_ROUNDS && isCharged(rounds, floors))) verdict = 'more';
    const seems = overclaimed(rounds, floors, exactly);
    if (seems?.sure === true && tried <= DOUBT_ROUNDS * 2) verdict = 'more';
    // A busy machine can make an honest candidate look as if it worked elsewhere, but not in every one of many rounds.
    if (verdict !== 'more' && tried <= DOUBT_ROUNDS * 2) {
      const doubt = doubtOf(rounds, compiles);
      if (doubt !== undefined && (tried <= DOUBT_ROUNDS || !doubt.sure)) verdict = 'more';
    }
  }
  if (rounds.length === 0) {
    throw new PeagenError('unavailable', `The original could not be measured next to the candidate: ${refusal}`);
  }
  const doubt = doubtOf(rounds, compiles);
  if (doubt !== undefined && !isLate()) return { outcome: outcome('forged', doubt.reason), metrics: {} };
  const seen = believed(rounds, chargedFloors(effort, claimOf(rounds), floors), settings, rule.interval);
  const { worth, leads } = doubtsOf(settings, seen.ratio, verdict === 'hopeless');
  const passes = Math.max(...rounds.map(({ candidate }) => candidate.passes));
  const remembers = compiles && !settings.stateful && worth ? await onFirstSight(seen, passes, settings) : seen;
  if ('outcome' in remembers) return { outcome: remembers.outcome, metrics: {} };
  const unseen =
    leads(remembers.ratio) && !settings.stateful
      ? await onFreshInputs(remembers.ratio, remembers.baseline_ms, settings)
      : undefined;
  if (unseen !== undefined && 'kind' in unseen) return { outcome: unseen, metrics: {} };
  const ratio = unseen ?? remembers.ratio;
  const { baseline_ms } = remembers;
  const speed_ms = (remembers.speed_ms * remembers.ratio.ratio) / ratio.ratio;
  const { p10, n } = floorOf(floorsIn(rounds, 'candidate'));
  const isSlow = verdict === 'hopeless' && ratio.high < (goal.best ?? goal.mustBeat ?? 1) * tuned.half;
  const detail = isSlow
    ? `${options.entry.fn} is correct, at ${times(ratio.ratio)} the original's speed; ${times(goal.best ?? goal.mustBeat ?? 1)} was to beat.`
    : '';
  return {
    outcome: outcome(isSlow ? 'slow' : 'correct', detail),
    // The same amount is subtracted from each reading as from the claim.
    readings: seen.ratios.map((each) => Math.log((each * ratio.ratio) / seen.ratio.ratio)),
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

/** Which gains are looked into: `worth`, whether it remembers inputs; `leads`, whether it gains on inputs that are new. */
function doubtsOf({ effort, goal, role }: PairedRun, claimed: Ratio, hopeless: boolean) {
  if (effort !== 'quick') {
    const worth = couldGain(claimed);
    return { worth, leads: () => worth };
  }
  // A candidate that does not lead gains nothing by a false claim in a search. A holder was looked at as a challenger, and is
  // again when it shows clearly more than what was left of its claim then.
  const best = goal.best ?? goal.mustBeat ?? 1;
  const worth = !hopeless && role !== 'newcomer' && worthCheating(exactly(claimed)) && (role !== 'holder' || claimed.low > best);
  return { worth, leads: ({ ratio }: Ratio) => worth && ratio > best };
}

interface Believed {
  readonly ratio: Ratio;
  /** The ratio of each pair of processes, by the clock that is believed and with what all of them are charged. */
  readonly ratios: readonly number[];
  readonly baseline_ms: number;
  readonly speed_ms: number;
}

/**
 * The ratio that is believed: of the clocks without waits for a processor, unless the clocks with waits, which are checked from
 * outside, show a clearly smaller gain, so that a false claim about waits gains nothing. In a race whose work the kernel counts, a
 * false claim gains nothing anyway, and the waits are ignored: on a busy machine they would cost honest candidates their place.
 * `floors`: the least time that a pass of each of the candidate's processes is believed to take. Noise raises the time of up to
 * half of the processes above their claim, which is harmless; hidden work raises it in all of them.
 */
function believed(
  rounds: readonly Round[],
  floors: readonly number[],
  { kept }: PairedRun,
  interval: StopRule['interval'],
): Believed {
  const charge = (index: number): number => {
    const claimed = rounds[index]?.candidate.account.floor ?? 1;
    return (floors[index] ?? claimed) / claimed;
  };
  const by = (clock: 'running' | 'wall'): { ratio: Ratio; ratios: number[] } => {
    const ratios = rounds.map((round) => round[clock]);
    const charged = rounds.map((round, index) => round[clock] / charge(index)).sort((a, b) => a - b);
    const share = Math.min(1, (charged[Math.ceil((charged.length - 1) * derived.most)] ?? 0) / medianOf(ratios));
    const own = ratios.map((ratio) => ratio * share);
    return { ratio: interval(own), ratios: own };
  };
  const [running, wall] = [by('running'), by('wall')];
  const isLess = running.ratio.low > wall.ratio.high && (kept === undefined || !isAccounted(rounds));
  const { ratio, ratios } = isLess ? wall : running;
  const baseline_ms = Math.min(...floorsIn(rounds, 'baseline'));
  return { ratio, ratios, baseline_ms, speed_ms: baseline_ms / ratio.ratio };
}

/** What is believed where code is compiled as it runs: without what is spared on inputs that were seen before. */
async function onFirstSight(
  claimed: Believed,
  passes: number,
  settings: PairedRun,
): Promise<Believed | { readonly outcome: Outcome }> {
  const spared = await sparedMs(settings, settings.effort, passes, claimed.baseline_ms);
  if (typeof spared !== 'number') return { outcome: spared };
  const speed_ms = claimed.speed_ms + spared;
  const slower = speed_ms / claimed.speed_ms;
  const { ratio, low, high } = claimed.ratio;
  const charged = { ratio: ratio / slower, low: low / slower, high: high / slower };
  // Counted operations are exact, so that they need no interval.
  const [before, after] = [exactly(claimed.ratio), exactly(charged)];
  const hides = overclaims(before, before, after);
  if (hides !== undefined) return { outcome: outcome('forged', hides.reason) };
  return { ...claimed, speed_ms, ratio: charged };
}

const exactly = ({ ratio }: Ratio): Ratio => ({ ratio, low: ratio, high: ratio });

/** The kernel counts all that the runners do. */
const isAccounted = (rounds: readonly Round[]): boolean =>
  rounds.every((round) =>
    [round.baseline, round.candidate].every(({ account, accounted }) => accounted && account.sight !== undefined),
  );

function doubtOf(rounds: readonly Round[], compiles: boolean): Doubt | undefined {
  const [baseline, candidate] = [profileOf(rounds, 'baseline'), profileOf(rounds, 'candidate')];
  return disbelief(baseline, candidate, { compiles, accounted: isAccounted(rounds) });
}

function overclaimed(
  rounds: readonly Round[],
  { worked, believed: floors }: Floors,
  as: (ratio: Ratio) => Ratio = (ratio) => ratio,
): Doubt | undefined {
  const [original, claimed] = [floorsIn(rounds, 'baseline'), floorsIn(rounds, 'candidate')];
  const gain = (own: readonly number[]): Ratio => as(ratioOf(original, own));
  const doubt = overclaims(gain(claimed), gain(worked), gain(floors));
  const hiddenMs = Math.min(...worked.map((took, index) => took - (claimed[index] ?? took)));
  if (doubt === undefined || Math.max(hiddenMs, Math.min(...original)) >= derived.accountedMs) return doubt;
  return { reason: doubt.reason, sure: false };
}

/**
 * While searching, a program that claims no gain hides nothing: charged by a single pair, one honest program in ten would be out of the race
 * for how long its first pass was compiled.
 */
export function chargedFloors(effort: EffortName, claimed: Ratio, { believed: floors }: Floors): readonly number[] {
  return effort === 'quick' && !worthCheating(claimed) ? [] : floors;
}

const claimOf = (rounds: readonly Round[]): Ratio => ratioOf(floorsIn(rounds, 'baseline'), floorsIn(rounds, 'candidate'));

/** Whether the account makes much of a difference to a candidate that claims a gain. */
function isCharged(rounds: readonly Round[], { believed: floors }: Floors): boolean {
  const claimed = claimOf(rounds);
  return worthCheating(claimed) && 1 / ratioOf(floorsIn(rounds, 'baseline'), floors).low - 1 / claimed.low > tuned.worth - 1;
}
