/**
 * What a search with the noise of real machines comes to, by the rule that decides how often a candidate is measured:
 * `node test/bench/race.ts` prints a row for the race and for a single reading. Seeded, so that it repeats itself.
 */
import { createRandom, type Random } from '../../daemon/evolution/random.ts';
import { estimate, race } from '../../daemon/judging/timing/race.ts';

/** Standard deviation of a pair's logarithm, as pooled over a run with this noise. */
const POOLED = 0.075;
const EVALUATIONS = 400;

/** A rule returns what it believes of a candidate when that takes the lead, and how many pairs it took. */
type Rule = (truth: number, best: number, random: Random) => { believed: number | undefined; pairs: number };

/** A pair as recorded: 5 % of noise, and one process in eight that is slower by 12 to 20 % for its whole life. */
function pairOf(truth: number, random: Random): number {
  const slow = (): number => (random.next() < 1 / 8 ? 0.12 + 0.08 * random.next() : 0);
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.log(truth) + normal * 0.05 + slow() - slow();
}

export const raced: Rule = (truth, best, random) => {
  const readings = [pairOf(truth, random)];
  const goal = { mustBeat: best, best };
  while (race(readings, POOLED, goal) === 'more') readings.push(pairOf(truth, random));
  const won = race(readings, POOLED, goal) === 'won';
  return { believed: won ? estimate(readings, POOLED).ratio : undefined, pairs: readings.length };
};

export const readOnce: Rule = (truth, best, random) => {
  const believed = Math.exp(pairOf(truth, random));
  return { believed: believed > best ? believed : undefined, pairs: 1 };
};

/** One child in twenty is faster than the champion, by up to 25 %; the others are slower. */
function search(seed: number, rule: Rule): { truth: number; believed: number; pairs: number } {
  const random = createRandom(seed, 'search');
  let champion = { truth: 1, believed: 1 };
  let pairs = 0;
  for (let evaluation = 0; evaluation < EVALUATIONS; evaluation++) {
    const step = random.next() < 0.05 ? 0.25 * random.next() : -0.15 * random.next();
    const truth = champion.truth * Math.exp(step);
    const judged = rule(truth, champion.believed, random);
    pairs += judged.pairs;
    if (judged.believed !== undefined) champion = { truth, believed: judged.believed };
  }
  return { ...champion, pairs: pairs / EVALUATIONS };
}

/** Medians over runs: what the champion is worth, its fitness (the low end of its interval) over that, and pairs a candidate. */
export function summary(rule: Rule, runs: number): { truth: number; fitnessOverTruth: number; pairs: number } {
  const all = Array.from({ length: runs }, (_, seed) => search(seed, rule));
  const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const low = ({ believed }: { believed: number }): number => estimate([Math.log(believed)], POOLED / 2).low;
  return {
    truth: median(all.map(({ truth }) => truth)),
    fitnessOverTruth: median(all.map((one) => low(one) / one.truth)),
    pairs: median(all.map(({ pairs }) => pairs)),
  };
}

if (import.meta.main) {
  console.log('rule       champion  fitness/truth  pairs');
  for (const [name, rule] of Object.entries({ race: raced, 'one pair': readOnce })) {
    const { truth, fitnessOverTruth, pairs } = summary(rule, 101);
    console.log(
      `${name.padEnd(10)} ${truth.toFixed(2).padStart(8)} ${fitnessOverTruth.toFixed(3).padStart(14)} ${pairs.toFixed(2).padStart(6)}`,
    );
  }
}
