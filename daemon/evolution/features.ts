/** Features: the numbers that place a program in the archive. Any metric's name is a feature too. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Metrics } from '../../shared/judging.ts';
import type { FeatureAxis } from '../../shared/niche.ts';
import type { Program } from '../../shared/program.ts';
import { minHashDistance, minHashOf } from './min-hash.ts';
import { grammarOf } from './syntax/languages.ts';

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

export const size = (): Feature => ({
  name: 'size',
  unit: 'characters',
  value: ({ program }) => codeSize(program),
});

/** Characters in the part that may change. */
export function codeSize({ spans }: Pick<Program, 'spans'>): number {
  return spans.reduce((sum, span) => sum + span.end - span.start, 0);
}

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
    const own = minHashOf(program);
    const nearest = neighbours.map((other) => minHashDistance(own, other)).sort((a, b) => a - b);
    const counted = nearest.slice(0, NEAREST);
    return (100 * counted.reduce((sum, distance) => sum + distance, 0)) / counted.length;
  },
});

/** The bins of the feature `approach` (syntax/approach.ts), in order; journals hold their numbers, so new ones are appended. */
export const approaches = [
  'straight-line',
  'one loop',
  'nested loops',
  'recursive',
  'comprehension-based',
  'set-based',
  'dictionary-based',
  'sorting-based',
  'array-based',
] as const;
/** What decides which axes are useful. */
export interface RunKind {
  readonly language: string;
  /** Fitness is the speed-up over the original; else it is a score. */
  readonly speed: boolean;
}

/** Bins of the features that can be named in `[evolve.archive] features` without more. */
function axisNamed(name: string, config: Config): FeatureAxis {
  const { speed_bin_ms, mem_bin_kb, size_bin_ch } = config.evolve.archive;
  const known: Readonly<Record<string, FeatureAxis>> = {
    speed: { name, bin: speed_bin_ms, unit: 'ms' },
    memory: { name, bin: mem_bin_kb, unit: 'KB' },
    size: { name, bin: size_bin_ch, unit: 'characters' },
    age: { name, bin: 1, unit: '' },
    complexity: { name, bin: 2, unit: 'paths' },
    approach: { name, bin: 1, unit: '', labels: [...approaches] },
    diversity: { name, bin: 10, unit: '%' },
  };
  const axis = known[name];
  if (axis !== undefined) return axis;
  throw new PeagenError('invalid_input', `The feature "${name}" under [evolve.archive] has no default bins.`, {
    hint: `Write { name = "${name}", bin = WIDTH }, or one of: ${Object.keys(known).join(', ')}.`,
  });
}

/**
 * The axes of a run: those of `[evolve.archive]`, else by the kind of the run. They never depend on a clock: a program
 * that is measured again has to fall into its niche again.
 */
export function defaultAxes(config: Config, { language, speed }: RunKind): FeatureAxis[] {
  const { features } = config.evolve.archive;
  const parsed = grammarOf(language) !== undefined;
  const usual = [parsed ? 'complexity' : 'size', parsed && speed ? 'approach' : 'diversity'];
  return (features ?? usual).map((axis) => (typeof axis === 'string' ? axisNamed(axis, config) : axis));
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

declare module '../registry.ts' {
  interface PluginKinds {
    feature: () => Feature;
  }
}
