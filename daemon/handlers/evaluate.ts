/** Handles evaluate tasks: turns metrics into fitness and features. Runs nothing. */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { type Evaluation, isCorrect } from '../../shared/judging.ts';
import { EvaluatePayload } from '../../shared/payloads.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { type Feature, featureValues } from '../evolution/features.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';

export class EvaluateHandler implements TaskHandler {
  readonly kind = 'evaluate';
  readonly name = 'evaluate';
  readonly version = '1';
  readonly provides: readonly CapTag[] = ['cpu'];

  accepts(task: Task): boolean {
    return task.kind === this.kind;
  }

  async handle(task: Task, { registry }: HandlerContext): Promise<Handled> {
    const parsed = EvaluatePayload.safeParse(task.payload);
    if (!parsed.success) {
      const detail = z.prettifyError(parsed.error);
      throw new PeagenError('invalid_input', `The payload of evaluate task ${task.id} is malformed: ${detail}`);
    }
    const features = await loadFeatures(registry, parsed.data);
    return { status: 'ok', data: evaluate(parsed.data, features) };
  }
}

/** Correctness gates everything: what is not correct has neither fitness nor a place. */
export function evaluate({ execution, program, scoring }: EvaluatePayload, features: ReadonlyMap<string, Feature>): Evaluation {
  if (!isCorrect(execution.outcome)) return { ...execution, fitness: null, features: [] };
  const { metrics } = execution;
  const fitness = metrics[scoring.metric];
  if (fitness === undefined) {
    throw new PeagenError('invalid_input', `The metric "${scoring.metric}", which fitness is made of, was not measured.`, {
      hint: `Set [evaluate] metric to one of: ${Object.keys(metrics).join(', ') || 'none'}.`,
    });
  }
  return {
    ...execution,
    fitness,
    features: featureValues(scoring.axes, features, { program, metrics, generation: scoring.generation }),
  };
}

async function loadFeatures(registry: Registry, { scoring }: EvaluatePayload): Promise<Map<string, Feature>> {
  const features = new Map<string, Feature>();
  for (const { name } of scoring.axes) {
    if (registry.has('feature', name)) features.set(name, (await registry.load('feature', name))());
  }
  return features;
}
