/** Sample inputs as a user gives them: a JSON file, the calls themselves as JSON, or a function that makes them. */
import { readFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { type Call, Calls } from '../../../shared/judging.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { importedFiles } from '../../evolution/imports.ts';
import { loadTarget } from '../../evolution/target.ts';
import { codeOrigin, openSandboxes } from '../../executors/open.ts';
import { makeCalls } from '../../judging/function/maker.ts';
import { tryCalls } from '../../judging/function/trial.ts';
import type { Registry } from '../../registry.ts';

const SHAPE =
  'Give a list of calls, each a list of positional arguments or {"args": [...], "kwargs": {...}}, such as [[[3, 1, 2]], [[]]].';

type MakeInputs = (file: string, fn: string) => Promise<Call[]>;

/** `inputs.py:make_inputs`: a file of the target's folder and a function in it. */
const maker = /^(.+\.(?:py|[cm]?[jt]s)):([\w$.]+)$/;

/**
 * `text` is JSON when it starts like a list, else a path relative to `folder`, with a function's name behind a colon when
 * it makes the inputs: then it runs in a sandbox. Throws `not_found` or `invalid_input`.
 */
export async function readInputs(text: string, folder: string, make: MakeInputs): Promise<Call[]> {
  const made = maker.exec(text.trim());
  if (made !== null) return await make(made[1] ?? '', made[2] ?? '');
  const literal = text.trim().startsWith('[');
  const name = literal ? 'The inputs' : `The inputs in ${text}`;
  const json = literal ? text : await readInputFile(resolve(folder, text));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (caught) {
    throw new PeagenError('invalid_input', `${name} are not valid JSON: ${(caught as Error).message}.`, { hint: SHAPE });
  }
  const calls = Calls.safeParse(value);
  if (calls.success) return calls.data;
  const [issue] = calls.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (at ${issue.path.join('.')})`;
  throw new PeagenError('invalid_input', `${name} are not a list of calls${where}.`, { hint: SHAPE });
}

/** Runs a function of a file of the folder `root`. */
export async function makeInputs(
  root: string,
  file: string,
  fn: string,
  config: Config,
  registry: Registry,
  signal = new AbortController().signal,
): Promise<Call[]> {
  const path = relative(root, resolve(root, file)).split(sep).join('/');
  const { program } = await loadTarget({ root, path, entry_fn: fn });
  const files = [...program.files, ...(await importedFiles(root, program.language, program.files))];
  const sandboxes = await openSandboxes(config, registry, codeOrigin(config, true));
  return await makeCalls({ ...program, files }, { path, fn }, sandboxes, signal);
}

/** Calls of a file that are tried on the original before the file is offered. */
const TRIED = 3;

/**
 * Whether the original accepts one of the first calls. Returns false where they cannot be read, and when the signal aborts first.
 */
export async function acceptsInputs(
  text: string,
  target: TargetSpec,
  { config, registry, signal }: { config: Config; registry: Registry; signal: AbortSignal },
): Promise<boolean> {
  try {
    const { program, entry } = await loadTarget(target);
    if (entry === undefined) return false;
    const calls = await readInputs(text, target.root, (file, fn) => makeInputs(target.root, file, fn, config, registry, signal));
    const files = [...program.files, ...(await importedFiles(target.root, program.language, program.files))];
    const sandboxes = await openSandboxes(config, registry, codeOrigin(config, true));
    for (const call of calls.slice(0, TRIED)) {
      const [tried] = await tryCalls({ ...program, files }, entry, [call], sandboxes, signal);
      if (tried?.kind === 'done' && tried.raised === undefined) return true;
    }
    return false;
  } catch {
    return false;
  }
}

async function readInputFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (caught) {
    throw new PeagenError('not_found', `The inputs file ${path} cannot be read (${(caught as NodeJS.ErrnoException).code}).`, {
      hint: 'Give a JSON file, the calls themselves as JSON, or file.py:function for a function that makes them.',
    });
  }
}
