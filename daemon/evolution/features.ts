/** Features: the numbers that place a program in the archive. Any metric's name is a feature too. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Metrics } from '../../shared/judging.ts';
import type { FeatureAxis } from '../../shared/niche.ts';
import type { Program } from '../../shared/program.ts';
import { sketchDistance, sketchOf } from './sketch.ts';

export interface FeatureInput {
  readonly program: Program;
  readonly metrics: Metrics;
  readonly generation: number;
  /** Sketches of elites of the archive (sketch.ts). */
  readonly neighbours?: readonly string[] | undefined;
}

export interface Feature {
  readonly name: string;
  readonly unit: string;
  /** Undefined when the metrics lack what it needs. */
  value(input: FeatureInput): number | undefined;
}

/** The age axis comes round after this many generations, so that newcomers find empty niches. */
const AGES = 6;

/** Time of one pass over all calls. */
export const speed = (): Feature => ({ name: 'speed', unit: 'ms', value: ({ metrics }) => metrics['speed_ms'] });

/** Peak memory. */
export const memory = (): Feature => ({ name: 'memory', unit: 'KB', value: ({ metrics }) => metrics['peak_kb'] });

/** Characters in the part that may change. */
export const size = (): Feature => ({
  name: 'size',
  unit: 'characters',
  value: ({ program }) => program.spans.reduce((sum, span) => sum + span.end - span.start, 0),
});

/** Generation modulo six: an axis of time, on which a niche's champion has to prove itself again. */
export const age = (): Feature => ({ name: 'age', unit: '', value: ({ generation }) => generation % AGES });

/** Elites whose distance counts: the nearest ones (J. Lehman, K. Stanley, "Abandoning objectives", 2011). */
const NEAREST = 5;

/** Mean distance to the nearest elites in per cent of their tokens: 0 for a copy, 100 for a program with nothing in common. */
export const diversity = (): Feature => ({
  name: 'diversity',
  unit: '%',
  value: ({ program, neighbours = [] }) => {
    if (neighbours.length === 0) return undefined;
    const own = sketchOf(program);
    const nearest = neighbours.map((other) => sketchDistance(own, other)).sort((a, b) => a - b);
    const counted = nearest.slice(0, NEAREST);
    return (100 * counted.reduce((sum, distance) => sum + distance, 0)) / counted.length;
  },
});

/** The axes of a run: those of `[evolve.archive]`, else speed, memory, size and age. */
export function defaultAxes(config: Config): FeatureAxis[] {
  const { features, speed_bin_ms, mem_bin_kb, size_bin_ch } = config.evolve.archive;
  if (features !== undefined) return features;
  return [
    { name: 'speed', bin: speed_bin_ms, unit: 'ms' },
    { name: 'memory', bin: mem_bin_kb, unit: 'KB' },
    { name: 'size', bin: size_bin_ch, unit: 'characters' },
    { name: 'age', bin: 1, unit: '' },
  ];
}

/**
 * The values of the axes, in their order. A registered feature that has none leaves its axis flat at 0, since not
 * every evaluator measures time or memory; an axis that is neither a feature nor a metric is `invalid_input`.
 */
export function featureValues(
  axes: readonly FeatureAxis[],
  features: ReadonlyMap<string, Feature>,
  input: FeatureInput,
): number[] {
  return axes.map(({ name }) => {
    const feature = features.get(name);
    const value = feature === undefined ? input.metrics[name] : (feature.value(input) ?? 0);
    if (value === undefined) {
      throw new PeagenError(
        'invalid_input',
        `The archive's axis "${name}" is neither a feature nor a metric of this evaluator.`,
        {
          hint: `It may be one of: ${[...features.keys(), ...Object.keys(input.metrics)].join(', ') || 'none'}.`,
        },
      );
    }
    return value;
  });
}
