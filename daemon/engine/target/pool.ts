/**
 * The evaluator of a run, with the pool that its execute tasks go to: `[evaluate] pool` names tags that their workers must
 * have.
 */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { CapTag } from '../../../shared/task.ts';
import type { Evaluator } from '../../judging/evaluator.ts';
import type { Registry } from '../../registry.ts';

/** Throws `not_found` for an unknown evaluator and `invalid_config` for a pool that is not a list of tags. */
export async function loadEvaluator(name: string, config: Config, registry: Registry): Promise<Evaluator> {
  const evaluator = (await registry.load('evaluator', name))(config);
  const pool = poolTags(config.evaluate.pool);
  if (pool.length === 0) return evaluator;
  const { derive, attack } = evaluator;
  return {
    name: evaluator.name,
    metric: evaluator.metric,
    parse: (spec) => evaluator.parse(spec),
    requires: (language) => [...evaluator.requires(language), ...pool],
    prepare: (original, spec, context) => evaluator.prepare(original, spec, context),
    judge: (candidate, basis, context) => evaluator.judge(candidate, basis, context),
    ...(derive === undefined ? {} : { derive: derive.bind(evaluator) }),
    ...(attack === undefined ? {} : { attack: attack.bind(evaluator) }),
    outputs: (basis) => evaluator.outputs?.(basis) ?? { calls: [], heldout: [] },
  };
}

/** `gpu+cuda12` → `gpu`, `cuda12`. Tasks of a GPU pool run in containers, so that they need `docker` too. */
export function poolTags(pool: string | undefined): CapTag[] {
  const tags = (pool ?? '').split('+').filter((tag) => tag !== '');
  const wrong = tags.find((tag) => !CapTag.safeParse(tag).success);
  if (wrong !== undefined) {
    throw new PeagenError('invalid_config', `evaluate.pool = "${pool}": "${wrong}" is not a capability tag.`, {
      hint: 'Write tags joined by "+", such as "gpu" or "gpu+cuda12".',
    });
  }
  return tags.includes('gpu') && !tags.includes('docker') ? [...tags, 'docker'] : tags;
}
