/**
 * Whether the time that a command reports of itself is borne out by the clock out here. The program shares a process with the
 * benchmark's clock and its printing, so that neither proves anything by itself. Pure.
 */

import { tuned } from '../tuned.ts';

/** One run of the command, in milliseconds: what it reported, and what went by out here. */
export interface Timed {
  readonly reported: number;
  readonly wall: number;
}

export interface ReportedRuns {
  readonly original: readonly Timed[];
  readonly candidate: readonly Timed[];
  /** The same programs with as many more steps in each call; undefined where that cannot be done. */
  readonly slowedOriginal: Timed | undefined;
  readonly slowedCandidate: Timed | undefined;
}

export interface ReportedVerdict {
  /** Why the reports are forged. */
  readonly forged?: string;
  /** What is believed of the candidate at best, in the unit of its reports. */
  readonly leastMs: number;
  /** Nothing out here says whether the reports are true. */
  readonly unverified: boolean;
}

/** Steps per millisecond, roughly, and the least and the most milliseconds that are shared among all calls of a run. */
const STEPS_PER_MS = { python: 40_000, node: 800_000 } as const;
const [LEAST_MS, MOST_MS] = [300, 4000];

/** Steps for each of `calls` calls, so that a run that takes `wallMs` gets clearly longer. */
export function stepsFor(runtime: keyof typeof STEPS_PER_MS, wallMs: number, calls: number): number {
  const ms = Math.min(MOST_MS, Math.max(LEAST_MS, wallMs));
  return Math.ceil((ms * STEPS_PER_MS[runtime]) / Math.max(1, calls));
}

export function reportVerdict({ original, candidate, slowedOriginal, slowedCandidate }: ReportedRuns): ReportedVerdict {
  const own = least(candidate.map(({ reported }) => reported));
  const usual = least(original.map(({ reported }) => reported));
  const saved = usual - own;
  if (saved <= 0) return { leastMs: own, unverified: false };
  const rise = slowedOriginal === undefined ? 0 : slowedOriginal.reported - usual;
  // What chance does to the original's reports is not a rise.
  const conclusive = rise > 2 * (greatest(original.map(({ reported }) => reported)) - usual) && rise > usual * tuned.half;
  if (conclusive && slowedCandidate !== undefined && slowedCandidate.reported - own < rise * tuned.half) {
    const times = rise / Math.max(slowedCandidate.reported - own, rise / 1000);
    const forged =
      `it reports a ${times.toFixed(1)}th of the time that the same steps take in the original: ` +
      'its clock or what it prints of it was changed';
    return { forged, leastMs: own, unverified: false };
  }
  const walls = { usual: original.map(({ wall }) => wall), own: candidate.map(({ wall }) => wall) };
  const runs = conclusive && slowedOriginal !== undefined ? (slowedOriginal.wall - least(walls.usual)) / rise : undefined;
  if (runs !== undefined && runs < tuned.half) return { leastMs: own, unverified: true };
  // At most what the longest run of the original and the shortest of the candidate differ by, for each of the runs it reports.
  const seen = Math.max(0, greatest(walls.usual) - least(walls.own)) / Math.max(1, (runs ?? 1) * tuned.most);
  return { leastMs: Math.max(own, usual - seen), unverified: runs === undefined };
}

const least = (values: readonly number[]): number => Math.min(...values);
const greatest = (values: readonly number[]): number => Math.max(...values);
