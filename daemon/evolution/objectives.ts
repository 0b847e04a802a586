/** Several objectives as one number, higher is better: what the archive, the selectors and the user compare by. */
import { PeagenError } from '../../shared/errors.ts';
import type { Metrics, Objective, Objectives } from '../../shared/judging.ts';

/** What a run's fitness is made of. */
export interface FitnessRule {
  readonly metric: string;
  readonly objectives?: Objectives | undefined;
}

/** A folder's evaluator measures no speed: its ratio is that of its scores. */
export function measuresSpeed(evaluator: string): boolean {
  return evaluator !== 'openevolve' && evaluator !== 'shinka';
}

/** Whether fitness depends on how long something takes. */
export function isTimed({ metric, objectives }: FitnessRule, evaluator: string): boolean {
  const names = objectives?.of.map((one) => one.metric) ?? [metric];
  return measuresSpeed(evaluator) && names.some((name) => name.startsWith('speed') || name.startsWith('baseline'));
}

/** Throws `invalid_input` that names a metric which is none of those that can be measured. */
export function requireMetrics({ metric, objectives }: FitnessRule, metrics: readonly string[]): void {
  const names = objectives?.of.map((one) => one.metric) ?? [metric];
  const missing = names.find((name) => !metrics.includes(name));
  if (missing === undefined) return;
  throw new PeagenError('invalid_input', `There is no metric "${missing}", which fitness is to be made of.`, {
    hint: `Set ${objectives === undefined ? 'metric' : 'objectives'} under [evaluate] to some of: ${metrics.join(', ')}.`,
  });
}

/** Throws `invalid_input` that names a metric which was not measured. */
export function fitnessOf({ metric, objectives }: FitnessRule, metrics: Metrics): number {
  if (objectives !== undefined) return combinedFitness(objectives, metrics);
  const fitness = metrics[metric];
  if (fitness !== undefined) return fitness;
  throw new PeagenError('invalid_input', `The evaluation gave no "${metric}", the metric that fitness is made of.`, {
    hint: `Set metric under [evaluate] to one of: ${Object.keys(metrics).join(', ') || 'none'}.`,
  });
}

/** Throws `invalid_input` that names a metric which was not measured. */
export function combinedFitness({ combine, of }: Objectives, metrics: Metrics): number {
  const values = objectiveValues(of, metrics);
  if (values === undefined) {
    const missing = of.filter(({ metric }) => metrics[metric] === undefined).map(({ metric }) => `"${metric}"`);
    throw new PeagenError('invalid_input', `The evaluation gave no ${missing.join(', ')}, which fitness is made of.`, {
      hint: `Set objectives under [evaluate] to some of: ${Object.keys(metrics).join(', ') || 'none'}.`,
    });
  }
  return combine === 'weighted' ? weighted(of, values) : lexicographic(of, values);
}

/** What is wrong with a program that does not meet a limit, in words; undefined when it meets all. */
export function beyondLimit({ objectives }: FitnessRule, metrics: Metrics): string | undefined {
  for (const { metric, direction, limit } of objectives?.of ?? []) {
    const value = metrics[metric];
    if (limit === undefined || value === undefined) continue;
    if (direction === 'max' ? value < limit : value > limit) {
      return `${metric} is ${value}, ${direction === 'max' ? 'below' : 'above'} ${limit}, the limit of this objective`;
    }
  }
  return undefined;
}

/** One per objective, turned so that higher is better; undefined when one was not measured. */
export function objectiveValues(objectives: readonly Objective[], metrics: Metrics): number[] | undefined {
  const values = objectives.flatMap(({ metric, direction }) => {
    const value = metrics[metric];
    return value === undefined ? [] : [direction === 'max' ? value : -value];
  });
  return values.length === objectives.length ? values : undefined;
}

function weighted(objectives: readonly Objective[], values: readonly number[]): number {
  return objectives.reduce((sum, { weight = 1, step = 1 }, i) => sum + (weight * (values[i] ?? 0)) / step, 0);
}

/**
 * The first objective in whole steps; what comes after it moves the number by less than one step, so it only decides
 * between equals. Exact up to a hundred thousand steps in each of two objectives, a thousand in three; beyond, what
 * comes last is lost in rounding.
 */
function lexicographic(objectives: readonly Objective[], values: readonly number[]): number {
  let behind = 0;
  for (let i = objectives.length - 1; i > 0; i--) {
    behind = squash(Math.floor((values[i] ?? 0) / (objectives[i]?.step ?? 1)) + behind);
  }
  const step = objectives[0]?.step ?? 1;
  return (Math.floor((values[0] ?? 0) / step) + behind) * step;
}

/** Rising, from the numbers into (0, 1). */
function squash(value: number): number {
  return 0.5 + value / (2 * (1 + Math.abs(value)));
}
