/**
 * Turns metrics into fitness and features, in an execute task or, for an execution that another task made, in an evaluate
 * task. Runs nothing.
 */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { type Evaluation, isCorrect } from '../../shared/judging.ts';
import { EvaluatePayload, type Scoring } from '../../shared/payloads.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { type Feature, featureValues } from '../evolution/features.ts';
import { beyondLimit, fitnessOf } from '../evolution/objectives.ts';
import type { Registry } from '../registry.ts';
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
    const features = await loadFeatures(registry, parsed.data.scoring);
    return { status: 'ok', data: evaluate(parsed.data, features) };
  }
}

/**
 * Correctness gates everything: what is not correct has neither fitness nor a place. A candidate whose evaluation lacks
 * a number that the original's had has crashed in it; for the original itself (generation 0), `invalid_input` says so.
 */
export function evaluate(payload: EvaluatePayload, features: ReadonlyMap<string, Feature>): Evaluation {
  const { execution, program, scoring } = payload;
  if (!isCorrect(execution.outcome)) return { ...execution, fitness: null, features: [] };
  try {
    const { metrics } = execution;
    const { axes, generation, neighbours } = scoring;
    const beyond = beyondLimit(scoring, metrics);
    if (beyond !== undefined && generation === 0) {
      throw new PeagenError('invalid_input', `The original does not meet the objectives: ${beyond}.`, {
        hint: 'Change limit under [evaluate.objectives], or the original.',
      });
    }
    if (beyond !== undefined)
      return { ...execution, outcome: { kind: 'wrong', detail: `${beyond}.` }, fitness: null, features: [] };
    const fitness = fitnessOf(scoring, metrics);
    const place = featureValues(axes, features, { program, metrics, generation, neighbours });
    return { ...execution, fitness, features: place };
  } catch (caught) {
    if (scoring.generation === 0 || !(caught instanceof PeagenError)) throw caught;
    return { ...execution, outcome: { kind: 'crashed', detail: caught.message }, fitness: null, features: [] };
  }
}

export async function loadFeatures(registry: Registry, { axes }: Scoring): Promise<Map<string, Feature>> {
  const features = new Map<string, Feature>();
  for (const { name } of axes) {
    if (registry.has('feature', name)) features.set(name, (await registry.load('feature', name))());
  }
  return features;
}
