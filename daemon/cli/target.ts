/** What a command works on: a folder with a `.peagen.toml`, or a file and a function given by flags. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type Config, judgingCommand } from '../../shared/config.ts';
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
  if (options.inputs !== undefined && options.command !== undefined) {
    throw new PeagenError('invalid_input', 'There are both --inputs and --command to judge by.', { hint: 'Give one of them.' });
  }
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
  const file = options.targetFile === undefined ? config.mutate.target_file : fileIn(folder, options.targetFile);
  if (file === undefined) {
    throw new PeagenError('invalid_input', `There is nothing to evolve in ${folder}.`, {
      hint: 'Give --target-file, or target_file under [mutate] in a .peagen.toml there.',
    });
  }
  const fn = options.entryFn ?? config.evolve.entry_fn ?? config.mutate.entry_fn;
  return { root: folder, path: file, ...(fn === undefined ? {} : { entry_fn: fn }) };
}

/** A file's place in the folder; it may be named from where the person is, or from there. */
function fileIn(folder: string, file: string): string {
  const path = [resolve(file), resolve(folder, file)].find((each) => existsSync(each));
  if (path === undefined)
    throw new PeagenError('not_found', `The file ${file} does not exist.`, { hint: 'Check --target-file.' });
  // The file's own name stays, should it be a link; its folder's may be another by now.
  const place = relative(folder, join(realpathSync(dirname(path)), basename(path)));
  if (!place.startsWith('..') && !isAbsolute(place)) return place.replaceAll('\\', '/');
  throw new PeagenError('invalid_input', `The file ${file} is not in ${folder}.`, {
    hint: 'Leave the folder away, or name the one that the file is in.',
  });
}

/** Flags first, then the configuration. `inputs` stay as the person wrote them; the engine reads them. */
export function evaluatorSpec(options: TargetOptions, config: Config): EvaluatorSpec {
  const { evaluate } = config;
  const command = options.command ?? (options.inputs === undefined ? judgingCommand(config) : undefined);
  if (command !== undefined) return { name: 'command', options: { command } };
  if (options.inputs === undefined && evaluate.evaluator !== 'function') return { name: evaluate.evaluator, options: {} };
  const given = options.inputs;
  // A path in a flag is relative to where the person is; one in the file, to the file.
  const inputs = given === undefined ? evaluate.inputs : given.trim().startsWith('[') ? given : resolve(given);
  return { name: 'function', options: inputs === undefined ? {} : { inputs } };
}
