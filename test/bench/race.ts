/**
 * What a search with the noise of real machines comes to, by the rule that decides how often a candidate is measured, and how
 * often the intervals hold the truth: `npm run bench -- race`. Seeded, so that it repeats itself.
 */

import { LIFE, TURNS } from '../../daemon/judging/timing/kept-originals.ts';
import { middleOf } from '../../daemon/judging/timing/statistics/measure.ts';
import { estimate, pooledNoise } from '../../daemon/judging/timing/statistics/posterior.ts';
import { MATCH_PAIRS, race, SETTLED } from '../../daemon/judging/timing/statistics/race.ts';
import { table } from '../../daemon/judging/tuned.ts';
import { createRandom, type Random } from '../../daemon/random.ts';

const EVALUATIONS = 400;

/** A pair as recorded: 5 % of noise, and one process in eight that is slower by 12 to 20 % for its whole life. */
const slow = (random: Random): number => (random.next() < 1 / 8 ? 0.12 + 0.08 * random.next() : 0);
export function pairOf(truth: number, random: Random, original?: number, candidate?: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.log(truth) + normal * 0.05 + (original ?? slow(random)) - (candidate ?? slow(random));
}

/** What a run with this noise pools it to. */
const POOLED = pooledNoise(
  Array.from({ length: 40 }, (_, program) => {
    const random = createRandom(program, 'noise');
    return Array.from({ length: 3 }, () => pairOf(1, random));
  }),
);

interface Measured {
  readonly truth: number;
  /** The original has none: its ratio is 1. */
  readonly readings: number[];
}

const original: Measured = { truth: 1, readings: [] };
const posterior = ({ readings }: Measured) =>
  readings.length === 0 ? { ratio: 1, low: 1, high: 1 } : estimate(readings, POOLED);

interface Rule {
  /** Takes the candidate's readings until it is clear what it is worth. */
  measure(candidate: Measured, best: number, random: Random): void;
  /** Takes the readings of a challenge, before the candidate may be the champion. */
  challenge(candidate: Measured, champion: Measured, random: Random): void;
}

/** As fast as the processes of the original that take turns in a search, each for a few pairs. */
function keptOriginals(): (random: Random) => number {
  const kept: { slow: number; left: number }[] = [];
  return (random) => {
    const next = kept.length < TURNS ? undefined : kept.shift();
    const used = next ?? { slow: slow(random), left: kept.length === 0 ? LIFE / 2 : LIFE };
    used.left--;
    if (used.left > 0) kept.push(used);
    return used.slow;
  };
}

const take = (count: number, { truth, readings }: Measured, random: Random): void => {
  for (let taken = 0; taken < count; taken++) readings.push(pairOf(truth, random));
};

export const defended: Rule = {
  measure: (candidate, best, random) => {
    do take(1, candidate, random);
    while (race(candidate.readings, POOLED, { mustBeat: best, best }) === 'more');
  },
  challenge: (candidate, champion, random) => {
    take(MATCH_PAIRS, candidate, random);
    if (champion !== original && champion.readings.length < SETTLED) take(MATCH_PAIRS, champion, random);
  },
};

/** Pairs of one process of the candidate with originals that are kept, in all but a match. */
export function keeping(): Rule {
  const original = keptOriginals();
  return {
    ...defended,
    measure: (candidate, best, random) => {
      const own = slow(random);
      do candidate.readings.push(pairOf(candidate.truth, random, original(random), own));
      while (race(candidate.readings, POOLED, { mustBeat: best, best }) === 'more');
    },
  };
}

const rules: Readonly<Record<string, Rule>> = {
  keeping: keeping(),
  defended,
  'race only': { ...defended, challenge: () => undefined },
  'one pair': { measure: (candidate, _, random) => take(1, candidate, random), challenge: () => undefined },
};

/** One child in twenty is faster than the champion, by up to 25 %; the others are slower. */
function search(seed: number, rule: Rule): { truth: number; bias: number; pairs: number } {
  const random = createRandom(seed, 'search');
  let champion = original;
  let pairs = 0;
  for (let evaluation = 0; evaluation < EVALUATIONS; evaluation++) {
    const step = random.next() < 0.05 ? 0.25 * random.next() : -0.15 * random.next();
    const candidate: Measured = { truth: champion.truth * Math.exp(step), readings: [] };
    const before = champion.readings.length;
    rule.measure(candidate, posterior(champion).ratio, random);
    if (posterior(candidate).low > posterior(champion).low) rule.challenge(candidate, champion, random);
    pairs += candidate.readings.length + champion.readings.length - before;
    if (posterior(candidate).low > posterior(champion).low) champion = candidate;
  }
  return { truth: champion.truth, bias: posterior(champion).ratio / champion.truth - 1, pairs: pairs / EVALUATIONS };
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Medians over runs: what the champion is worth, how far its posterior is above that, and pairs a candidate. */
export function summary(rule: Rule, runs: number): { truth: number; bias: number; pairs: number } {
  const all = Array.from({ length: runs }, (_, seed) => search(seed, rule));
  return {
    truth: median(all.map(({ truth }) => truth)),
    bias: median(all.map(({ bias }) => bias)),
    pairs: median(all.map(({ pairs }) => pairs)),
  };
}

type Interval = (readings: readonly number[]) => { low: number; high: number };

/** How often an interval of that number of readings holds the truth. */
export function coverage(interval: Interval, count: number, trials: number): number {
  const random = createRandom(count, 'coverage');
  let held = 0;
  for (let trial = 0; trial < trials; trial++) {
    const { low, high } = interval(Array.from({ length: count }, () => pairOf(2, random)));
    if (low <= 2 && 2 <= high) held++;
  }
  return held / trials;
}

export const searching: Interval = (readings) => estimate(readings, POOLED);
export const announced: Interval = (readings) => middleOf(readings.map(Math.exp));

if (import.meta.main) {
  console.log('rule       champion   bias  pairs');
  for (const [name, rule] of Object.entries(rules)) {
    const { truth, bias, pairs } = summary(rule, 101);
    const cells = [truth.toFixed(2).padStart(8), `${(100 * bias).toFixed(1)} %`.padStart(7), pairs.toFixed(2).padStart(6)];
    console.log(`${name.padEnd(10)} ${cells.join(' ')}`);
  }
  console.log('\npairs  searching  announced   (share of 95 % intervals that hold the truth)');
  for (const count of [1, 2, 3, 4, 6, 8, 12, 24, 40]) {
    const [one, other] = [coverage(searching, count, 2000), count < 6 ? undefined : coverage(announced, count, 400)];
    console.log(`${String(count).padStart(5)} ${one.toFixed(3).padStart(10)} ${(other?.toFixed(3) ?? '').padStart(10)}`);
  }
  console.log(`\n| ${Object.keys(table).length} tuned numbers | value | unit | why | bench |\n| --- | --- | --- | --- | --- |`);
  for (const [name, { value, unit, why, bench }] of Object.entries(table)) {
    console.log(`| ${name} | ${value} | ${unit} | ${why} | ${bench} |`);
  }
}
