/**
 * ε-lexicase: goes through the objectives in random order and keeps, each time, those that are nearly the best
 * (L. Spector, "Assessment of problem modality by differential performance of lexicase selection", 2012; ε by the median
 * absolute deviation: W. La Cava, L. Spector, K. Danai, "Epsilon-lexicase selection for regression", 2016).
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Metrics } from '../../../shared/judging.ts';
import type { Elite } from '../../../shared/niche.ts';
import type { Random } from '../../random.ts';
import type { EvoDB } from '../evodb.ts';
import { drawInspirations } from './inspirations.ts';
import { selectorOptions } from './options.ts';
import { poolOf } from './pool.ts';
import type { ParentSelector } from './selector.ts';

/** The cases: metrics to be high or low. Default: all, those in `lowIsGood` to be low. */
const Options = z.strictObject({
  maximize: z.array(z.string().min(1)).optional(),
  minimize: z.array(z.string().min(1)).optional(),
});

const lowIsGood: ReadonlySet<string> = new Set(['speed_ms', 'peak_kb', 'cost']);
/** They say how it was measured, or repeat another metric. */
const noCase = /^(samples|baseline_.*|.*_low|.*_high)$/;

interface Case {
  readonly metric: string;
  readonly sign: 1 | -1;
}

export class LexicaseSelector implements ParentSelector {
  readonly name = 'lexicase';
  private readonly given: readonly Case[];

  constructor(config: Config) {
    const { maximize = [], minimize = [] } = selectorOptions(config, this.name, Options);
    this.given = [
      ...maximize.map((metric): Case => ({ metric, sign: 1 })),
      ...minimize.map((metric): Case => ({ metric, sign: -1 })),
    ];
  }

  /** O(champions × cases), bounded in the champions. */
  select(archive: EvoDB, random: Random): Elite {
    const pool = poolOf(archive, random);
    const cases = this.given.length > 0 ? this.given : casesOf(pool);
    let left = pool;
    for (const { metric, sign } of random.shuffle(cases)) {
      if (left.length === 1) break;
      const values = left.map((elite) => valueFor(elite.metrics, metric, sign));
      const best = values.reduce((a, b) => Math.max(a, b));
      // One that was not measured (−∞) stays only when none was.
      const floor = best === Number.NEGATIVE_INFINITY ? best : best - spread(values.filter(Number.isFinite));
      left = left.filter((_, i) => (values[i] ?? Number.NEGATIVE_INFINITY) >= floor);
    }
    return random.pick(left);
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    return drawInspirations(archive, k, parent, random);
  }

  feedback(): void {
    // Every selection draws its own order of the cases.
  }
}

function valueFor(metrics: Metrics, metric: string, sign: 1 | -1): number {
  const value = metrics[metric];
  return value === undefined ? Number.NEGATIVE_INFINITY : sign * value;
}

/** In the order in which the metrics are met, so that the same archive gives the same cases. */
function casesOf(pool: readonly Elite[]): Case[] {
  const names = new Set(pool.flatMap((elite) => Object.keys(elite.metrics)).filter((name) => !noCase.test(name)));
  return [...names].map((metric) => ({ metric, sign: lowIsGood.has(metric) ? -1 : 1 }));
}

/** Median absolute deviation from the median. */
function spread(values: readonly number[]): number {
  const middle = median(values);
  return median(values.map((value) => Math.abs(value - middle)));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >>> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}
