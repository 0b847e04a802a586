/** Turns an answer to "how to judge" into the evaluator of a run. */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { type Call, Calls, type EvaluatorSpec } from '../../shared/judging.ts';
import type { TargetSpec } from '../../shared/run.ts';
import type { Judging } from './remembered.ts';

/** The shape of calls, said by example with the function's own parameters. */
export function callsExample(params: readonly string[]): string {
  if (params.length === 0) return '[[]]';
  const sample = (name: string) => (/s$|list|arr|items|values|xs/i.test(name) ? '[3, 1, 2]' : '5');
  return `[[${params.map(sample).join(', ')}]]`;
}

/** Calls from JSON; throws `invalid_input` with the reason and the shape that is meant. */
export function parseCalls(text: string, params: readonly string[]): Call[] {
  const shape = vscode.l10n.t('Expected a list of calls, each a list of arguments, such as {0}.', callsExample(params));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (caught) {
    throw new PeagenError(
      'invalid_input',
      vscode.l10n.t('Not JSON: {0}.', caught instanceof Error ? caught.message : String(caught)),
      {
        hint: shape,
      },
    );
  }
  const calls = Calls.safeParse(value);
  if (!calls.success) throw new PeagenError('invalid_input', shape);
  const required = params.filter((name) => !name.startsWith('*'));
  const long = calls.data.find(
    ({ args, kwargs }) => required.length === params.length && args.length + Object.keys(kwargs).length > params.length,
  );
  if (long !== undefined) {
    throw new PeagenError(
      'invalid_input',
      vscode.l10n.t('A call has {0} arguments, the function takes {1}.', long.args.length, params.length),
      {
        hint: shape,
      },
    );
  }
  return calls.data;
}

export async function evaluatorFor(judging: Judging, target: TargetSpec, params: readonly string[]): Promise<EvaluatorSpec> {
  if (judging.kind === 'way') return judging.evaluator;
  if (judging.kind === 'command') return { name: 'command', options: { command: judging.command } };
  if (target.entry_fn === undefined) {
    throw new PeagenError('invalid_input', vscode.l10n.t('Sample inputs need one function to call, and none is selected.'), {
      hint: vscode.l10n.t('Put the cursor in a function, or judge by a command.'),
    });
  }
  let text: string;
  if (judging.kind === 'typed') text = judging.text;
  else {
    text = await readFile(judging.path, 'utf8').catch((cause) => {
      throw new PeagenError('not_found', vscode.l10n.t('Cannot read the inputs {0}.', judging.path), {
        hint: vscode.l10n.t('Choose again how to judge.'),
        cause,
      });
    });
  }
  return {
    name: 'function',
    options: { entry: { path: target.path, fn: target.entry_fn }, calls: parseCalls(text, params) },
  };
}
