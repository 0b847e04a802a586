/** Turns an answer to "how to judge" into the evaluator of a run. */
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { type Call, Calls, type EvaluatorSpec } from '../../shared/judging.ts';
import type { Selected } from '../commands/selection/selection.ts';
import type { Judging } from './remembered.ts';

/** Calls from JSON; throws `invalid_input` with the reason, and with the parameters as the shape that is expected. */
export function parseCalls(text: string, params: readonly string[]): Call[] {
  const hint = vscode.l10n.t('Give a list of calls, each a list of arguments: [[{0}], …].', params.join(', '));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (caught) {
    const reason = caught instanceof Error ? caught.message : String(caught);
    throw new PeagenError('invalid_input', vscode.l10n.t('The inputs are not JSON: {0}.', reason), { hint });
  }
  const calls = Calls.safeParse(value);
  if (!calls.success) throw new PeagenError('invalid_input', vscode.l10n.t('The inputs are not a list of calls.'), { hint });
  const takesMore = params.some((name) => name.startsWith('*') || name.startsWith('...'));
  const long = calls.data.find(({ args, kwargs }) => !takesMore && args.length + Object.keys(kwargs).length > params.length);
  if (long !== undefined) {
    const message = vscode.l10n.t('A call has {0} arguments, the function takes {1}.', long.args.length, params.length);
    throw new PeagenError('invalid_input', message, { hint });
  }
  return calls.data;
}

export async function evaluatorFor(judging: Judging, selected: Selected): Promise<EvaluatorSpec> {
  if (judging.kind === 'way') return judging.evaluator;
  if (judging.kind === 'command') return { name: 'command', options: { command: judging.command } };
  const { target, params } = selected;
  if (target.entry_fn === undefined) {
    throw new PeagenError('invalid_input', vscode.l10n.t('Sample inputs need one function to call, and none is selected.'), {
      hint: vscode.l10n.t('Put the cursor in a function, or check candidates by a command.'),
    });
  }
  if (judging.kind === 'made') return { name: 'function', options: {} };
  if (judging.kind === 'calls') {
    const { calls, derived, heldout } = judging;
    return { name: 'function', options: { calls, derived, heldout } };
  }
  const text = judging.kind === 'typed' ? judging.text : await readInputs(judging.path);
  // Checked here for the sooner message; the daemon derives more calls from them.
  parseCalls(text, params);
  return { name: 'function', options: { inputs: judging.kind === 'typed' ? text : judging.path } };
}

async function readInputs(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((cause) => {
    throw new PeagenError('not_found', vscode.l10n.t('Cannot read the inputs {0}.', path), {
      hint: vscode.l10n.t('Choose again how candidates are checked.'),
      cause,
    });
  });
}
