/**
 * Whether the time that a command reports of itself is borne out by the clock out here. The program shares a process with the
 * benchmark's clock and its printing, so that neither proves anything by itself: both programs are run with more steps in each
 * call, and no verdict rests on a single run.
 */

import { derived, tuned } from '../tuned.ts';

/** One run of the command, in milliseconds: what it reported, and what went by out here. */
export interface Timed {
  readonly reported: number;
  readonly wall: number;
}

/** Runs of each program as it is, and with as many more steps in each call; none of the latter where that cannot be done. */
export type ReportedRuns = Readonly<Record<'original' | 'candidate' | 'slowedOriginal' | 'slowedCandidate', readonly Timed[]>>;

export interface ReportedVerdict {
  /** Why the reports are forged. */
  readonly forged?: string;
  /** What is believed of the candidate at best, in the unit of its reports. */
  readonly leastMs: number;
  /** The clock outside of the sandbox does not show whether the reports are true. */
  readonly unverified: boolean;
}

/** Milliseconds that are shared among all calls of a run. */
const [LEAST_MS, MOST_MS] = [300, 4000];
/** Runs of each kind. */
const MOST_ROUNDS = 3;

/** Steps for each of `calls` calls, so that a run that takes `wallMs` gets clearly longer. */
export function stepsFor(runtime: 'python' | 'node', wallMs: number, calls: number): number {
  const ms = Math.min(MOST_MS, Math.max(LEAST_MS, wallMs));
  return Math.ceil((ms * (runtime === 'python' ? tuned.stepsPython : tuned.stepsNode)) / Math.max(1, calls));
}

/**
 * Has runs taken, in addition to those that there are, until no single one decides. `take` returns undefined where a program
 * cannot be slowed. What stays open is bounded by the clock out here.
 */
export async function judgeReports(
  first: Readonly<Record<'original' | 'candidate', readonly Timed[]>>,
  take: (which: keyof ReportedRuns) => Promise<Timed | undefined>,
): Promise<ReportedVerdict> {
  const runs = { original: [...first.original], candidate: [...first.candidate], slowedOriginal: [], slowedCandidate: [] } as {
    [which in keyof ReportedRuns]: Timed[];
  };
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const wanted = { original: Math.max(2, round), candidate: Math.max(2, round), slowedOriginal: round, slowedCandidate: round };
    for (const which of ['original', 'slowedOriginal', 'slowedCandidate', 'candidate'] as const) {
      while (runs[which].length < wanted[which]) {
        const taken = await take(which);
        if (taken === undefined) break;
        runs[which].push(taken);
      }
    }
    const verdict = reportVerdict(runs);
    if (isSettled(runs, kindOf(verdict))) return verdict;
  }
  const { original, candidate } = runs;
  return boundedVerdict({ original, candidate, slowedOriginal: [], slowedCandidate: [] });
}

const kindOf = ({ forged, unverified }: ReportedVerdict): string => (forged === undefined ? `${unverified}` : 'forged');

/** Whether the verdict stays the same when any one of the runs is left out. */
function isSettled(runs: ReportedRuns, kind: string): boolean {
  return (['original', 'candidate', 'slowedOriginal', 'slowedCandidate'] as const).every((which) =>
    runs[which].every((_, index) => {
      const others = runs[which].toSpliced(index, 1);
      return others.length > 0 && kindOf(reportVerdict({ ...runs, [which]: others })) === kind;
    }),
  );
}

/** The verdict of all these runs together. A busy machine can only make a run longer. */
export function reportVerdict(runs: ReportedRuns): ReportedVerdict {
  const { rise, conclusive, wallRises } = slowed(runs);
  const own = least(runs.candidate, 'reported');
  if (least(runs.original, 'reported') <= own || !conclusive || runs.slowedCandidate.length === 0) return boundedVerdict(runs);
  const shown = least(runs.slowedCandidate, 'reported') - own;
  // The steps took no longer there than they took out here.
  const share = wallRises.original < rise * tuned.half ? 1 : wallRises.candidate / wallRises.original;
  if (shown >= rise * Math.min(1, Math.max(tuned.half, share)) * tuned.half) return boundedVerdict(runs);
  const times = rise / Math.max(shown, rise / 1000);
  const forged =
    `it reports a ${times.toFixed(1)}th of the time that the same steps take in the original: ` +
    'its clock or what it prints of it was changed';
  return { forged, leastMs: own, unverified: false };
}

/** The reports, as far as the run got shorter by the clock out here. */
function boundedVerdict(runs: ReportedRuns): ReportedVerdict {
  const { rise, conclusive, wallRises } = slowed(runs);
  const [own, usual] = [least(runs.candidate, 'reported'), least(runs.original, 'reported')];
  if (usual <= own) return { leastMs: own, unverified: false };
  const perReport = conclusive ? wallRises.original / rise : undefined;
  // The command runs for a fixed time, whatever it reports.
  if (perReport !== undefined && perReport < tuned.half) return { leastMs: own, unverified: true };
  // The original's usual run may be as far above the middle one as the least is below it: a single slow one counts for nothing.
  const walls = runs.original.map(({ wall }) => wall).sort((a, b) => a - b);
  const middle = walls[Math.floor((walls.length - 1) / 2)] ?? 0;
  const seen = Math.max(0, 2 * middle - least(runs.original, 'wall') - least(runs.candidate, 'wall'));
  const each = Math.max(1, (perReport ?? 1) * derived.most);
  return { leastMs: Math.max(own, usual - seen / each), unverified: perReport === undefined };
}

/** What more steps add to the reports of the original and to the clock out here, and whether that is more than chance. */
function slowed(runs: ReportedRuns) {
  const { original, candidate, slowedOriginal, slowedCandidate } = runs;
  const usual = least(original, 'reported');
  const rise = slowedOriginal.length === 0 ? 0 : least(slowedOriginal, 'reported') - usual;
  const reports = original.map(({ reported }) => reported).sort((a, b) => a - b);
  const chance = (reports[Math.floor(reports.length / 2)] ?? usual) - usual;
  return {
    rise,
    conclusive: rise > 2 * chance && rise > usual * tuned.half,
    wallRises: {
      original: least(slowedOriginal, 'wall') - least(original, 'wall'),
      candidate: least(slowedCandidate, 'wall') - least(candidate, 'wall'),
    },
  };
}

const least = (runs: readonly Timed[], clock: keyof Timed): number => Math.min(...runs.map((run) => run[clock]));
