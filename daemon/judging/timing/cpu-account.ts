/**
 * What a runner's sandbox really did, by the kernel's account of its processor time. Nothing in the sandbox can change it,
 * and no load distorts it: work that a program does not claim is charged to the program, whatever it did to its clock.
 */

import type { Runner } from '../../executors/runner.ts';
import { tuned } from '../tuned.ts';
import { floorOf } from './statistics/measure.ts';

/** Milliseconds of one runner: what it claims, and what it did beyond that. */
export interface CpuAccount {
  /** Claimed for one pass, at best, and for the very first. */
  readonly floor: number;
  readonly first: number;
  /** On first sight of the inputs: from before they arrive until their outputs are there, without what was claimed. */
  readonly sight: number | undefined;
  /** The same for every later pass. Undefined where there is none. */
  readonly later: number | undefined;
  /** To show the outputs of one of those. */
  readonly last: number | undefined;
}

export type Mark = { readonly cpuMs: number | undefined; readonly wallMs: number };

export function mark(runner: Runner): Mark {
  return { cpuMs: runner.accountMs(), wallMs: performance.now() };
}

/**
 * Processor time between two marks, at most the wall clock's: what several processors did at once took no longer than that.
 * Undefined where nobody counts it.
 */
export function spent(from: Mark, to: Mark): number | undefined {
  if (from.cpuMs === undefined || to.cpuMs === undefined) return undefined;
  return Math.min(to.cpuMs - from.cpuMs, to.wallMs - from.wallMs);
}

const sides = ['sight', 'later', 'last'] as const;
export interface Floors {
  /** The claims, and what was done beyond them and beyond what the original needs around its own. */
  readonly worked: number[];
  /** The time that a first pass takes longer than later ones, beyond what the original's first pass does. */
  readonly believed: number[];
}

/** What a pass takes, for each account. `compiles`: a first pass takes longer because the code is not compiled yet. */
export function floorsOf(accounts: readonly CpuAccount[], original: readonly CpuAccount[], compiles: boolean): Floors {
  const worked: number[] = [];
  const believed: number[] = [];
  if (original.length === 0) return { worked, believed };
  const work = floorOf(original.map(({ floor }) => floor)).floor;
  // What is seen once only is where a compiler or a collector happens to work in one program and not in the other.
  const alike = (side: (typeof sides)[number]): number => (compiles && side !== 'later' ? 1 / tuned.half : tuned.worth);
  const allowed = sides.map(
    (side) =>
      [
        side,
        allowance(
          original.map((account) => account[side]),
          alike(side),
        ),
      ] as const,
  );
  const warm = allowance(original.map(({ first, floor }) => Math.max(0, first - floor)));
  // Between floors: what a busy core adds to most first passes would hide that a whole one is spared.
  const leastWarm = (floorOf(original.map(({ first }) => first)).floor - work) * tuned.worth + tuned.noiseMs;
  for (const account of accounts) {
    const { floor, first } = account;
    // The same pass may show on each side, the first one on all that it could hide.
    const took = floor + Math.max(0, ...allowed.map(([side, usual]) => (account[side] ?? 0) - usual - work * tuned.slightShare));
    worked.push(took);
    believed.push(
      compiles ? took : took + Math.max(0, first - floor - (floor < work / 2 ? leastWarm : warm) - work * tuned.slightShare),
    );
  }
  return { worked, believed };
}

/**
 * The middle of what the original needs, since a single one of its runners may have been unlucky, and `times` as much for another
 * program. One that claims more than the kernel counts was delayed by the host: it says nothing.
 */
function allowance(seen: readonly (number | undefined)[], times: number = tuned.worth): number {
  const sorted = seen.flatMap((ms) => (ms === undefined || ms < 0 ? [] : [ms])).sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? Number.POSITIVE_INFINITY : middle * times + tuned.noiseMs;
}
