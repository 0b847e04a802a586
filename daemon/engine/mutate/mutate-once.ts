/** One patch round without evaluation: `peagen mutate`, and Mutate Selection in an editor. */

import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { unifiedDiff } from '../../../shared/patch/unified.ts';
import { MutateData, type MutatePayload } from '../../../shared/payloads.ts';
import type { MutateAnswer, MutateRequest } from '../../../shared/protocol/targets.ts';
import { programSha } from '../../evolution/hash.ts';
import { loadTarget } from '../../evolution/target.ts';
import type { Registry } from '../../plugins/registry.ts';
import type { Desk } from '../desk.ts';
import { changesOf } from '../target/changes.ts';
import { defaultMutator } from '../target/resolve.ts';
import { soleMutateTask } from '../tasks.ts';

/** Throws `backend_failed` with the reason when the mutator found no child. */
export async function mutateOnce(request: MutateRequest, config: Config, registry: Registry, desk: Desk): Promise<MutateAnswer> {
  const { program, entry } = await loadTarget(request.target);
  const name = request.mutator ?? defaultMutator(config);
  const mutator = (await registry.load('mutator', name))(config);
  const instructions = request.instructions ?? config.mutate.instructions;
  const sha256 = programSha(program);
  const payload: MutatePayload = {
    mutator: name,
    seed: request.seed ?? Math.floor(Math.random() * 2 ** 32),
    original: program,
    ...(entry === undefined ? {} : { entry }),
    parent: { sha256, program, metrics: {}, note: '' },
    inspirations: [],
    failures: [],
    ...(instructions === undefined ? {} : { instructions }),
    backend: request.backend ?? config.mutate.backend,
    nextRequires: [],
  };
  const task = soleMutateTask(newTaskId(), payload, mutator.requires);
  const data = MutateData.parse(await desk.run(task, new AbortController().signal));
  if (data.kind === 'rejected') {
    throw new PeagenError('backend_failed', `The mutator "${name}" found no change: ${data.reason}`, {
      hint: 'Try again, or another mutator.',
    });
  }
  const changes = changesOf(program, data.program);
  return { changes, origin: { ...data.origin, parents: [sha256] }, tokens: data.tokens, diff: unifiedDiff(changes) };
}
