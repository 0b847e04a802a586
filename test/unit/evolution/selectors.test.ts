import assert from 'node:assert/strict';
import type { EvoDB } from '../../../daemon/evolution/evodb.ts';
import { AgeSelector } from '../../../daemon/evolution/selectors/age.ts';
import { EpsilonSelector } from '../../../daemon/evolution/selectors/epsilon.ts';
import { IslandSelector } from '../../../daemon/evolution/selectors/island.ts';
import { LexicaseSelector } from '../../../daemon/evolution/selectors/lexicase.ts';
import { RankSelector } from '../../../daemon/evolution/selectors/rank.ts';
import { RatiosSelector } from '../../../daemon/evolution/selectors/ratios.ts';
import type { ParentSelector } from '../../../daemon/evolution/selectors/selector.ts';
import { ThompsonSelector } from '../../../daemon/evolution/selectors/thompson.ts';
import { TournamentSelector } from '../../../daemon/evolution/selectors/tournament.ts';
import { UcbSelector } from '../../../daemon/evolution/selectors/ucb.ts';
import { createRandom } from '../../../daemon/random.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { archiveOf, shaOf } from '../../conformance/selector.ts';

const config = (selector: Record<string, unknown> = {}) => Config.parse({ selector });

/** Champions 0 to n−1, of fitness 1 to n, each in a niche of its own. */
const ladder = (n: number): EvoDB => archiveOf(Array.from({ length: n }, (_, i) => ({ id: i, fitness: i + 1, feature: i })));

/** How often each champion is selected, in the order of the niches. */
function tally(selector: ParentSelector, archive: EvoDB, draws: number, seed = 'tally'): number[] {
  const random = createRandom(seed);
  const counts = new Map(archive.champions().map((elite) => [elite.sha256, 0]));
  for (let i = 0; i < draws; i++) {
    const { sha256 } = selector.select(archive, random);
    counts.set(sha256, (counts.get(sha256) ?? Number.NaN) + 1);
  }
  return [...counts.values()];
}

/** Pearson's statistic; cells without an expectation must be empty. */
function chiSquare(counts: readonly number[], chances: readonly number[]): number {
  const draws = counts.reduce((a, b) => a + b);
  return counts.reduce((sum, count, i) => {
    const expected = (chances[i] ?? 0) * draws;
    if (expected === 0) return sum + (count === 0 ? 0 : Number.POSITIVE_INFINITY);
    return sum + (count - expected) ** 2 / expected;
  }, 0);
}

/** Exceeded by chance once in 1,000, for 4 and 9 degrees of freedom. */
const LIMIT_5_CELLS = 18.47;
const LIMIT_10_CELLS = 27.88;

/** Fraction of selections that hit each champion while the world answers with `gain`. */
function play(
  selector: ParentSelector,
  archive: EvoDB,
  rounds: number,
  gain: (niche: number, round: number) => number,
): number[] {
  const random = createRandom('play');
  const world = createRandom('world');
  const counts = archive.champions().map(() => 0);
  for (let round = 0; round < rounds; round++) {
    const parent = selector.select(archive, random);
    const niche = Number(parent.niche);
    counts[niche] = (counts[niche] ?? Number.NaN) + 1;
    selector.feedback(parent.sha256, world.next() < 0.5 ? gain(niche, round) : 0);
  }
  return counts.map((count) => count / rounds);
}

describe('selectors', () => {
  describe('epsilon', () => {
    it('takes the best, or with probability ε any champion', () => {
      const epsilon = 0.15;
      const chances = [0, 1, 2, 3, 4].map((i) => epsilon / 5 + (i === 4 ? 1 - epsilon : 0));
      assert.ok(chiSquare(tally(new EpsilonSelector(config()), ladder(5), 20_000), chances) < LIMIT_5_CELLS);
    });

    it('explores less after a gain, by 0.96 down to 0.02, and more without, by 1.05 up to 0.5', () => {
      const selector = new EpsilonSelector(config());
      assert.equal(selector.epsilon, 0.15);
      selector.feedback(shaOf(1), 0.2);
      assert.equal(selector.epsilon, 0.15 * 0.96);
      selector.feedback(shaOf(1), 0);
      assert.equal(selector.epsilon, 0.15 * 0.96 * 1.05);
      for (let i = 0; i < 200; i++) selector.feedback(shaOf(1), 0);
      assert.equal(selector.epsilon, 0.5);
      for (let i = 0; i < 200; i++) selector.feedback(shaOf(1), 1);
      assert.equal(selector.epsilon, 0.02);
    });

    it('takes its numbers from the configuration', () => {
      const selector = new EpsilonSelector(config({ epsilon: { eps_init: 0.8, decay: 0.5, floor: 0.3 } }));
      selector.feedback(shaOf(1), 0);
      assert.ok(selector.epsilon >= 0.8 && selector.epsilon <= 0.84);
      selector.feedback(shaOf(1), 1);
      selector.feedback(shaOf(1), 1);
      assert.equal(selector.epsilon, 0.3);
    });
  });

  describe('ratios', () => {
    it('explores any champion, exploits the best few, and takes any program for the rest', () => {
      const selector = new RatiosSelector(config({ ratios: { exploration: 0.3, exploitation: 0.6, archive: 2 } }));
      const chances = [0, 1, 2, 3, 4].map((i) => 0.4 / 5 + (i >= 3 ? 0.6 / 2 : 0));
      assert.ok(chiSquare(tally(selector, ladder(5), 20_000), chances) < LIMIT_5_CELLS);
    });

    it('inspires by the best others for a share, and by others for the rest', () => {
      const archive = ladder(10);
      const random = createRandom('inspirations');
      const fitness = (elites: number) =>
        new RatiosSelector(config({ ratios: { elites } }))
          .inspirations(archive, 4, shaOf(9), random)
          .map((elite) => elite.fitness);
      assert.deepEqual(fitness(1), [9, 8, 7, 6]);
      for (let i = 0; i < 50; i++) assert.deepEqual(fitness(0.5).slice(0, 2), [9, 8]);
      assert.ok(Array.from({ length: 50 }, () => fitness(0)[0]).some((first) => first !== 9));
    });
  });

  describe('tournament', () => {
    it('gives rank i of n the chance of being the best of three', () => {
      const n = 10;
      const chances = Array.from({ length: n }, (_, i) => ((i + 1) ** 3 - i ** 3) / n ** 3);
      assert.ok(chiSquare(tally(new TournamentSelector(config()), ladder(n), 20_000), chances) < LIMIT_10_CELLS);
    });

    it('is uniform for a tournament of one', () => {
      const counts = tally(new TournamentSelector(config({ tournament: { size: 1 } })), ladder(10), 20_000);
      assert.ok(chiSquare(counts, new Array<number>(10).fill(0.1)) < LIMIT_10_CELLS);
    });
  });

  describe('island', () => {
    /** Boltzmann's distribution over five champions, in units of their range. */
    const boltzmann = (temperature: number) => {
      const weights = [0, 1, 2, 3, 4].map((i) => Math.exp((i - 4) / 4 / temperature));
      return weights.map((weight) => weight / weights.reduce((sum, each) => sum + each));
    };

    it('draws by Boltzmann, and cools down evenly with what the island was offered', () => {
      for (const [temperature, period] of [
        [1, 10],
        [0.3, 20],
      ] as const) {
        const counts = tally(new IslandSelector(config({ island: { temperature, period } })), ladder(5), 20_000);
        assert.ok(chiSquare(counts, boltzmann(temperature * (1 - 5 / period))) < LIMIT_5_CELLS, `${counts}`);
      }
    });

    it('is warm again after a period, and never so cold that only the best is drawn', () => {
      const draw = (period: number) =>
        tally(new IslandSelector(config({ island: { temperature: 100, period } })), ladder(5), 20_000);
      assert.ok(chiSquare(draw(5), boltzmann(100)) < LIMIT_5_CELLS);
      const offered = archiveOf(Array.from({ length: 999 }, (_, i) => ({ id: i, fitness: (i % 5) + 1, feature: i % 5 })));
      const cold = tally(new IslandSelector(config({ island: { temperature: 100, period: 1000 } })), offered, 20_000);
      assert.ok(chiSquare(cold, boltzmann(1)) < LIMIT_5_CELLS, `${cold}`);
    });
  });

  describe('rank', () => {
    it('lets the chance fall evenly with the rank', () => {
      const n = 10;
      for (const pressure of [1, 1.5, 1.8, 2]) {
        const chances = Array.from({ length: n }, (_, i) => (2 - pressure) / n + (2 * (pressure - 1) * i) / (n * (n - 1)));
        const counts = tally(new RankSelector(config({ rank: { pressure } })), ladder(n), 20_000);
        assert.ok(chiSquare(counts, chances) < LIMIT_10_CELLS, `pressure ${pressure}`);
      }
    });

    it('looks at ranks, not at how far apart fitness is', () => {
      const near = ladder(5);
      const far = archiveOf([0, 1, 2, 3, 4].map((i) => ({ id: i, fitness: 10 ** (3 * i), feature: i })));
      assert.deepEqual(tally(new RankSelector(config()), near, 500), tally(new RankSelector(config()), far, 500));
    });
  });

  describe('age', () => {
    it('never takes one that is older and less fit than another that it has drawn', () => {
      // With the whole archive drawn again and again, only the front is left: 2 is beaten by 1, and 3 by 0.
      const archive = archiveOf([
        { id: 0, fitness: 9, feature: 0, generation: 1 },
        { id: 1, fitness: 5, feature: 1, generation: 8 },
        { id: 2, fitness: 4, feature: 2, generation: 7 },
        { id: 3, fitness: 8, feature: 3, generation: 0 },
        { id: 4, fitness: 1, feature: 4, generation: 9 },
      ]);
      const counts = tally(new AgeSelector(config({ age: { size: 100 } })), archive, 3000);
      assert.deepEqual([counts[2], counts[3]], [0, 0]);
      for (const i of [0, 1, 4]) assert.ok((counts[i] ?? 0) > 600, `${i}: ${counts[i]}`);
    });

    it('prefers the young among equally fit ones', () => {
      const archive = archiveOf(Array.from({ length: 10 }, (_, i) => ({ id: i, fitness: 1, feature: i, generation: i })));
      const chances = Array.from({ length: 10 }, (_, i) => ((i + 1) ** 4 - i ** 4) / 10 ** 4);
      assert.ok(chiSquare(tally(new AgeSelector(config()), archive, 20_000), chances) < LIMIT_10_CELLS);
    });
  });

  describe('ucb', () => {
    it('tries newcomers best first, and every champion in the end', () => {
      const archive = ladder(5);
      const selector = new UcbSelector(config());
      assert.equal(selector.select(archive, createRandom(0)).sha256, shaOf(4));
      assert.ok(play(selector, archive, 300, () => 0).every((share) => share > 0.1));
    });

    it('settles on the champion whose children gain, also when it is not the fittest', () => {
      const shares = play(new UcbSelector(config()), ladder(5), 3000, (niche) => (niche === 1 ? 1 : 0));
      assert.ok((shares[1] ?? 0) > 0.7, `${shares}`);
    });

    it('does not care for the unit of fitness', () => {
      const small = play(new UcbSelector(config()), ladder(5), 500, (niche) => (niche === 1 ? 0.001 : 0));
      const large = play(new UcbSelector(config()), ladder(5), 500, (niche) => (niche === 1 ? 1000 : 0));
      assert.deepEqual(small, large);
    });
  });

  describe('thompson', () => {
    it('is uniform before it knows anything', () => {
      const counts = tally(new ThompsonSelector(config()), ladder(5), 20_000);
      assert.ok(chiSquare(counts, new Array<number>(5).fill(0.2)) < LIMIT_5_CELLS, `${counts}`);
    });

    it('settles on the champion whose children gain', () => {
      const shares = play(new ThompsonSelector(config()), ladder(5), 1000, (niche) => (niche === 3 ? 1 : 0));
      assert.ok((shares[3] ?? 0) > 0.9, `${shares}`);
    });

    it('goes elsewhere when a champion is exhausted and a new one turns up', () => {
      const selector = new ThompsonSelector(config());
      play(selector, ladder(3), 300, (niche) => (niche === 0 ? 1 : 0));
      for (let i = 0; i < 2000; i++) selector.feedback(shaOf(0), 0);
      const grown = archiveOf([0, 1, 2, 3].map((i) => ({ id: i, fitness: 1, feature: i })));
      const counts = tally(selector, grown, 1000);
      assert.ok((counts[3] ?? 0) > 300 && (counts[0] ?? 0) < 200, `${counts}`);
    });
  });

  describe('lexicase', () => {
    const specialists = archiveOf([
      { id: 'fast', fitness: 1, feature: 0, metrics: { speed_ms: 1, peak_kb: 100, samples: 3 } },
      { id: 'lean', fitness: 1, feature: 1, metrics: { speed_ms: 100, peak_kb: 1, samples: 9 } },
      { id: 'neither', fitness: 1, feature: 2, metrics: { speed_ms: 100, peak_kb: 100, samples: 99 } },
      { id: 'worse', fitness: 1, feature: 3, metrics: { speed_ms: 100, peak_kb: 100, samples: 99 } },
    ]);

    it('takes specialists: the best in whichever objective comes first', () => {
      const [fast = 0, lean = 0, ...others] = tally(new LexicaseSelector(config()), specialists, 2000);
      assert.deepEqual(others, [0, 0]);
      assert.ok(Math.abs(fast - lean) < 150, `${fast} and ${lean}`);
    });

    it('counts what differs by less than the usual as equal', () => {
      const near = [1, 2, 3, 4, 100].map((speed_ms, i) => ({ id: i, fitness: 1, feature: i, metrics: { speed_ms } }));
      const counts = tally(new LexicaseSelector(config()), archiveOf(near), 1000);
      // Median 3, median deviation 1: what is within 1 of the best stays.
      assert.ok((counts[0] ?? 0) > 400 && (counts[1] ?? 0) > 400, `${counts}`);
      assert.deepEqual(counts.slice(2), [0, 0, 0]);
    });

    it('goes by the objectives of the configuration', () => {
      const counts = tally(new LexicaseSelector(config({ lexicase: { maximize: ['samples'] } })), specialists, 100);
      assert.equal((counts[2] ?? 0) + (counts[3] ?? 0), 100);
    });

    it('leaves out a champion that lacks the objective, unless all do', () => {
      const archive = archiveOf([
        { id: 0, fitness: 1, feature: 0, metrics: {} },
        { id: 1, fitness: 1, feature: 1, metrics: { accuracy: 0.1 } },
      ]);
      assert.deepEqual(tally(new LexicaseSelector(config({ lexicase: { maximize: ['accuracy'] } })), archive, 50), [0, 50]);
      const none = tally(new LexicaseSelector(config({ lexicase: { maximize: ['nothing'] } })), archive, 50);
      assert.ok(none.every((count) => count > 0));
    });
  });

  it('name a key of the configuration that they do not understand', () => {
    const cases: [() => unknown, RegExp][] = [
      [() => new TournamentSelector(config({ tournament: { size: 0 } })), /selector\.tournament\.size/],
      [() => new RankSelector(config({ rank: { presure: 2 } })), /selector\.rank\.presure/],
      [() => new UcbSelector(config({ ucb: { exploration: 'much' } })), /selector\.ucb\.exploration/],
    ];
    for (const [make, pattern] of cases) {
      assert.throws(
        make,
        (error) => error instanceof PeagenError && error.code === 'invalid_config' && pattern.test(error.message),
      );
    }
  });
});
