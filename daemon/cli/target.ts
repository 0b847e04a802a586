/** What a command works on: a folder with a `.peagen.toml`, or a file and a function given by flags. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import { FindTarget, type FindTargetRequest, type FoundTarget } from '../../shared/protocol/targets.ts';
import type { CommandSession } from './session.ts';

export interface TargetOptions {
  targetFile?: string;
  entryFn?: string;
  entryOnly?: boolean;
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

/** What the flags name, and how it is judged; the rest is as the configuration says. `evaluators`: see FindTarget. */
export async function findTarget(
  { client }: CommandSession,
  folder: string,
  options: TargetOptions,
  how: Pick<FindTargetRequest, 'evaluators' | 'population'> = {},
): Promise<FoundTarget> {
  const found = await client.request(FindTarget, {
    root: folder,
    ...(options.targetFile === undefined ? {} : { path: fileIn(folder, options.targetFile) }),
    ...(options.entryFn === undefined ? {} : { entry_fn: options.entryFn }),
    ...how,
  });
  const evaluator = judgedByFlags(options);
  const target = options.entryOnly === true ? { ...found.target, functions: [] } : found.target;
  return { ...found, target, ...(evaluator === undefined ? {} : { evaluator }) };
}

/** A file's place in the folder; it may be named from where the user is, or from there. */
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

/** `inputs` stay as the user wrote them; the engine reads them. */
export function judgedByFlags({ command, inputs }: TargetOptions): EvaluatorSpec | undefined {
  if (command !== undefined) return { name: 'command', options: { command } };
  if (inputs === undefined) return undefined;
  // A path in a flag is relative to where the user is; one in the configuration, to its file.
  return { name: 'function', options: { inputs: inputs.trim().startsWith('[') ? inputs : resolve(inputs) } };
}
