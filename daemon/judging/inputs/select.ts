/**
 * Chooses which of the tried calls are kept: first those that reach new steps, then those that tell mutants apart, then
 * different ones. Two halves are filled in turns, so that each covers what it can. Pure and deterministic.
 */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import { tuned } from '../tuned.ts';
import type { Sighting } from './survey.ts';

/** A call with what the original did on it. */
export interface TriedCall {
  readonly call: Call;
  readonly seen: Sighting;
  /** Length of its text: of two that do the same, the smaller one is kept. */
  readonly size: number;
  /** It notices a mutant that few others notice. */
  readonly notices?: boolean;
}

interface Halves {
  readonly visible: TriedCall[];
  readonly heldout: TriedCall[];
}

export interface Room {
  /** Calls in each half. */
  readonly each: number;
  /** Steps and milliseconds that all of them may take together. */
  readonly steps: number;
  readonly ms: number;
  /** Calls that raise the same in one line; 2 unless given. */
  readonly alike?: number;
}

/** At most this share of the kept calls may raise. */
const MOST_RAISING = 0.15;
const MOST_ALIKE = 2;

/** Errors that say that a value has the wrong type, unless the source raises them itself: such calls are not meant to be made. */
const misuse =
  /^(?:TypeError|AttributeError|NameError|UnboundLocalError|RecursionError|MemoryError|ReferenceError|RangeError|SyntaxError|InternalError|OverflowError)$/;

/** A line that rejects something on purpose. */
export const rejecting = /\b(?:raise|throw|assert)\b/;

/** Whether it was rejected on purpose, or as a given call was. */
export function isDeliberate(seen: Sighting, line: (number: number) => string, given: ReadonlySet<string>): boolean {
  return seen.raised !== undefined && (rejecting.test(line(seen.line)) || given.has(seen.raised));
}

/** Whether a call that raised says something about the function; `line` gives the text of a line of its file. */
export function isRejection(seen: Sighting, line: (number: number) => string, given: ReadonlySet<string>): boolean {
  if (seen.raised === undefined) return false;
  return isDeliberate(seen, line, given) || !misuse.test(seen.raised);
}

/** One of the calls before it was made with a value of the wrong type; `text` is the source. */
export function isMisused({ earlier }: Sighting, text: string): boolean {
  const isDeliberate = (raised: string): boolean => new RegExp(`\\b(?:raise|throw)\\b[^\\n]*\\b${raised}\\b`).test(text);
  return earlier.some((raised) => misuse.test(raised) && !isDeliberate(raised));
}

const alike = ({ raised, line }: Sighting): string => `${raised} ${line}`;

/** Keeps calls that return, and few that raise: at most two of a kind, and those that tell further mutants. */
function withFewRaising(
  tried: readonly TriedCall[],
  told: ReadonlyMap<TriedCall, ReadonlySet<number>>,
  most: number,
): TriedCall[] {
  const counts = new Map<string, number>();
  const known = new Set<number>();
  return tried.filter((one) => {
    if (one.seen.raised === undefined) return true;
    const mutants = told.get(one) ?? [];
    const more = count(mutants, known);
    for (const mutant of mutants) known.add(mutant);
    const kind = alike(one.seen);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return more > 0 || (counts.get(kind) ?? 0) <= most;
  });
}

/** `told`: for each call the mutants that it distinguishes. `covered`: steps that the given calls take. */
export function choose(
  tried: readonly TriedCall[],
  told: ReadonlyMap<TriedCall, ReadonlySet<number>>,
  covered: ReadonlySet<number>,
  room: Room,
): Halves {
  const bySize = tried.toSorted((a, b) => a.size - b.size || (JSON.stringify(a.call) < JSON.stringify(b.call) ? -1 : 1));
  const pool = new Set(withFewRaising(bySize, told, room.alike ?? MOST_ALIKE));
  const halves: Halves = { visible: [], heldout: [] };
  const left = { steps: room.steps, ms: room.ms, raising: Math.floor(room.each * 2 * MOST_RAISING) };
  const fits = ({ seen }: TriedCall): boolean =>
    seen.steps <= left.steps && seen.ms <= left.ms && (seen.raised === undefined || left.raising > 0);
  const take = (one: TriedCall, half: TriedCall[]): void => {
    half.push(one);
    pool.delete(one);
    left.steps -= one.seen.steps;
    left.ms -= one.seen.ms;
    if (one.seen.raised !== undefined) left.raising -= 1;
  };
  const fill = (
    gainIn: (half: 'visible' | 'heldout') => (one: TriedCall) => number,
    took: (one: TriedCall, half: 'visible' | 'heldout') => void,
  ): void => {
    const open = new Set<'visible' | 'heldout'>(['visible', 'heldout']);
    while (open.size > 0) {
      for (const half of [...open]) {
        const best = halves[half].length >= room.each ? undefined : bestOf(pool, gainIn(half), fits);
        if (best === undefined) {
          open.delete(half);
          continue;
        }
        take(best, halves[half]);
        took(best, half);
      }
    }
  };
  const steps = { visible: new Set(covered), heldout: new Set<number>() };
  const mutants = { visible: new Set<number>(), heldout: new Set<number>() };
  const took = (one: TriedCall, half: 'visible' | 'heldout'): void => {
    for (const feature of one.seen.features) steps[half].add(feature);
    for (const mutant of told.get(one) ?? []) mutants[half].add(mutant);
  };
  fill((half) => (one) => count(one.seen.features, steps[half]), took);
  fill((half) => (one) => count(told.get(one) ?? [], mutants[half]), took);
  // A call with another result or another path is better than one more of the same kind.
  const results = new Set<number>();
  const ways = new Map<string, number>();
  const wayOf = new Map([...pool].map((one) => [one, one.seen.features.toSorted((a, b) => a - b).join()]));
  const taken = (one: TriedCall): number => ways.get(wayOf.get(one) ?? '') ?? 0;
  fill(
    () => (one) => (results.has(one.seen.hash ?? 0) ? 0.1 : 1) / (1 + taken(one)) + 1e-9,
    (one) => {
      results.add(one.seen.hash ?? 0);
      ways.set(wayOf.get(one) ?? '', taken(one) + 1);
    },
  );
  const smallFirst = (a: TriedCall, b: TriedCall): number =>
    a.size - b.size || (JSON.stringify(a.call) < JSON.stringify(b.call) ? -1 : 1);
  return { visible: halves.visible.toSorted(smallFirst), heldout: halves.heldout.toSorted(smallFirst) };
}

function count(found: Iterable<number>, known: ReadonlySet<number>): number {
  let gain = 0;
  for (const one of found) if (!known.has(one)) gain += 1;
  return gain;
}

/** Returns the call with the largest gain, the first of equal ones; undefined when none gains anything. */
function bestOf(
  pool: Iterable<TriedCall>,
  gain: (one: TriedCall) => number,
  fits: (one: TriedCall) => boolean,
): TriedCall | undefined {
  let best: TriedCall | undefined;
  let most = 0;
  for (const one of pool) {
    const gained = gain(one);
    if (gained > most && fits(one)) {
      most = gained;
      best = one;
    }
  }
  return best;
}

/** Repeats some calls: a program that remembers a call shows it when the call is made again. */
export function withRepeats(calls: readonly Call[], random: Random): Call[] {
  return calls.flatMap((call) => (random.next() < tuned.minorShare ? [call, structuredClone(call)] : [call]));
}
