/** What a command works on: a folder with a `.peagen.toml`, or a file and a function given by flags. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import type { TargetSpec } from '../../shared/run.ts';

export interface TargetOptions {
  targetFile?: string;
  entryFn?: string;
  inputs?: string;
  command?: string;
}

/** The folder whose configuration counts. Throws `not_found` or `invalid_input`. */
export function targetFolder(folder: string | undefined, options: TargetOptions): string {
  if (folder !== undefined) {
    const path = resolve(folder);
    if (!existsSync(path))
      throw new PeagenError('not_found', `The folder ${folder} does not exist.`, { hint: 'Check the path.' });
    if (!statSync(path).isDirectory()) {
      throw new PeagenError('invalid_input', `${folder} is a file.`, {
        hint: `Use --target-file ${folder} --entry-fn NAME --inputs I.`,
      });
    }
    return realpathSync(path);
  }
  if (options.targetFile === undefined) return resolve('.');
  const file = resolve(options.targetFile);
  if (!existsSync(file))
    throw new PeagenError('not_found', `The file ${options.targetFile} does not exist.`, { hint: 'Check --target-file.' });
  return realpathSync(dirname(file));
}

export function targetSpec(folder: string, options: TargetOptions, config: Config): TargetSpec {
  const file = options.targetFile === undefined ? config.mutate.target_file : basename(options.targetFile);
  if (file === undefined) {
    throw new PeagenError('invalid_input', `There is nothing to evolve in ${folder}.`, {
      hint: 'Give --target-file, or target_file under [mutate] in a .peagen.toml there.',
    });
  }
  const fn = options.entryFn ?? config.evolve.entry_fn ?? config.mutate.entry_fn;
  return { root: folder, path: file, ...(fn === undefined ? {} : { entry_fn: fn }) };
}

/** Flags first, then the configuration. `inputs` stay as the person wrote them; the engine reads them. */
export function evaluatorSpec(options: TargetOptions, config: Config): EvaluatorSpec {
  const { evaluate } = config;
  const command = options.command ?? (evaluate.evaluator === 'command' ? evaluate.command : undefined);
  if (command !== undefined) return { name: 'command', options: { command } };
  if (options.inputs === undefined && evaluate.evaluator !== 'function') return { name: evaluate.evaluator, options: {} };
  const given = options.inputs;
  // A path in a flag is relative to where the person is; one in the file, to the file.
  const inputs = given === undefined ? evaluate.inputs : given.trim().startsWith('[') ? given : resolve(given);
  return { name: 'function', options: inputs === undefined ? {} : { inputs } };
}
