/** Sample inputs as a person gives them: a JSON file, or the calls themselves as JSON. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { type Call, Calls } from '../../shared/judging.ts';

const SHAPE =
  'Give a list of calls, each a list of positional arguments or {"args": [...], "kwargs": {...}}, such as [[[3, 1, 2]], [[]]].';

/** `text` is JSON when it starts like a list, else a path relative to `folder`. Throws `not_found` or `invalid_input`. */
export async function readInputs(text: string, folder: string): Promise<Call[]> {
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

async function readInputFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (caught) {
    throw new PeagenError('not_found', `The inputs file ${path} cannot be read (${(caught as NodeJS.ErrnoException).code}).`, {
      hint: 'Give a JSON file, or the calls themselves as JSON.',
    });
  }
}
