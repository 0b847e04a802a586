/**
 * Selects a champion with a probability that grows with what its children have gained: softmax over a running mean, as in
 * R. Sutton, A. Barto, "Reinforcement Learning", section 2.8. A champion without children counts as a good one.
 */
import type { Elite, Plugin } from 'peagen/plugin';
import * as z from 'zod';

/** The table [selector.softmax] of .peagen.toml. */
const Options = z.strictObject({
  /** The gain that makes a champion e times as likely; small values prefer the best strongly. */
  temperature: z.number().positive().default(0.1),
  /** The weight of the newest gain in a parent's mean. */
  rate: z.number().gt(0).max(1).default(0.3),
});

/** A mean of more counts as this much, so that one lucky child does not end the search elsewhere. */
const MOST = 1;

export default {
  options: Options,
  make({ temperature, rate }, { name }) {
    const means = new Map<string, number>();
    const weightOf = ({ sha256 }: Elite) => Math.exp(Math.min(means.get(sha256) ?? MOST, MOST) / temperature);
    return {
      name,
      select(archive, random) {
        const champions = archive.champions();
        const weights = champions.map(weightOf);
        let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
        const chosen = champions.find((_, index) => {
          left -= weights[index] ?? 0;
          return left < 0;
        });
        return chosen ?? random.pick(champions);
      },
      inspirations(archive, k, parent, random) {
        // A program can be the champion of several niches.
        const others = new Map(archive.champions().map((each) => [each.sha256, each]));
        others.delete(parent);
        return random.shuffle([...others.values()]).slice(0, k);
      },
      feedback(parent, gain) {
        const mean = means.get(parent) ?? gain;
        means.set(parent, mean + rate * (gain - mean));
      },
    };
  },
} satisfies Plugin<'selector', z.infer<typeof Options>>;
