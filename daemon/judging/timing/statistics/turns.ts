/**
 * What readings say that two processes took in turns. A compiler that stops a pass for its own work, as V8's does where it has no
 * thread of its own, makes single readings several times as long as others: such a process is read until readings agree, and
 * its shortest reading counts (the minimum, as in Chen and Revels, "Robust benchmarking in noisy environments", 2016). Pure.
 */
import { tuned } from '../../tuned.ts';
import { medianOf } from './measure.ts';

/** Milliseconds, next to each other. */
export type Turn = readonly [one: number, other: number];

/** Whether on each side at least `least` readings, or all, are about as long as the shortest. */
export function agree(turns: readonly Turn[], least = turns.length): boolean {
  return ([0, 1] as const).every((side) => {
    const all = turns.map((turn) => turn[side]);
    const shortest = Math.min(...all);
    return all.filter((ms) => ms < shortest * tuned.worth).length >= Math.min(least, all.length);
  });
}

/** How many times as long as the other the first side took. `warmsUp`: it is compiled as it runs. */
export function ratioIn(turns: readonly Turn[], warmsUp: boolean): number {
  if (!warmsUp || agree(turns)) return medianOf(turns.map(([one, other]) => one / other));
  return Math.min(...turns.map(([one]) => one)) / Math.min(...turns.map(([, other]) => other));
}
