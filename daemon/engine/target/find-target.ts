/** What a folder is evolved by, when the user names the folder and perhaps a file: from its configuration, or its own evaluator. */
import type * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { FindTarget, FoundTarget } from '../../../shared/protocol/targets.ts';
import { folderRequest } from '../../judging/folder/folder-request.ts';
import { configuredEvaluator } from './ways.ts';

/** Throws `invalid_input` when nothing names a file. */
export async function findTarget(asked: z.output<typeof FindTarget.params>, config: Config): Promise<FoundTarget> {
  const { root, population } = asked;
  const found = asked.evaluators && asked.path === undefined ? await folderRequest(root, config, { population }) : undefined;
  if (found !== undefined) {
    const { target, evaluator, ...settings } = found.request;
    return { target, evaluator, settings, warnings: [...found.warnings] };
  }
  const path = asked.path ?? config.mutate.target_file;
  if (path === undefined) {
    throw new PeagenError('invalid_input', `There is nothing to evolve in ${root}.`, {
      hint: 'Give --target-file, or target_file under [mutate] in a .peagen.toml there.',
    });
  }
  const fn = asked.entry_fn ?? config.evolve.entry_fn ?? config.mutate.entry_fn;
  const target = { root, path, ...(fn === undefined ? {} : { entry_fn: fn }) };
  return { target, evaluator: configuredEvaluator(config), settings: {}, warnings: [] };
}
