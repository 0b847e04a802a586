/**
 * Sample inputs as a JSON document in an editor tab. The document says which function they are for, so that the dialogue goes
 * on when the tab is confirmed, also after a reload of the window.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { asWritten, type Call } from '../../shared/judging.ts';
import type { Selected } from '../commands/selection/selection.ts';
import type { StepAnswer } from '../dialogue/steps.ts';
import { spaced } from './call-text.ts';
import { parseCalls } from './evaluator.ts';
import { INPUTS_SCHEME } from './input-files.ts';
import type { Judging } from './remembered.ts';

/** What goes on when the tab is confirmed. */
export type InputsFor = 'evolve' | 'judge';

/** Opens the tab with these calls, and leaves the dialogue. */
export type EditCalls = (calls: readonly Call[]) => Promise<StepAnswer<Judging>>;

const Query = z.object({
  uri: z.string().min(1),
  fn: z.string().min(1),
  functions: z.string(),
  /** The function's parameters, for messages. */
  params: z.string(),
  use: z.enum(['evolve', 'judge']),
});

/** Undefined, since the dialogue ends here: it goes on from the tab. */
export async function editInputs(selected: Selected, use: InputsFor, text: string): Promise<undefined> {
  const { uri, target, params, name } = selected;
  const { entry_fn: fn, functions = [] } = target;
  if (fn === undefined) return undefined;
  const query = new URLSearchParams({
    uri: uri.toString(),
    fn,
    functions: functions.join(' '),
    params: params.join(' '),
    use,
  });
  const path = `/${vscode.l10n.t('inputs of {0}', name).replaceAll('/', '-')}.json`;
  const file = vscode.Uri.from({ scheme: INPUTS_SCHEME, path, query: query.toString() });
  const isOpen = vscode.workspace.textDocuments.some((open) => !open.isClosed && open.uri.toString() === file.toString());
  if (!isOpen) await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(file);
  await vscode.window.showTextDocument(document, { preview: false });
  return undefined;
}

/** Calls as a text for the tab: a JSON list with one call in a line. */
export function callsDocument(calls: readonly Call[]): string {
  return calls.length === 0 ? '[]\n' : `[\n${calls.map((call) => `  ${spaced(asWritten(call))}`).join(',\n')}\n]\n`;
}

/** Peagen: Use These Inputs. Reads the tab in front, closes it and goes on with the dialogue that opened it. */
export async function useInputs(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const document = editor?.document;
  const query = Query.safeParse(Object.fromEntries(new URLSearchParams(document?.uri.query ?? ''))).data;
  if (document?.uri.scheme !== INPUTS_SCHEME || query === undefined) {
    throw new PeagenError('invalid_input', vscode.l10n.t('No tab with inputs is in front.'), {
      hint: vscode.l10n.t('Run Evolve Selection and choose to type the inputs.'),
    });
  }
  const text = document.getText();
  parseCalls(text, words(query.params));
  await document.save();
  await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  const judging: Judging = { kind: 'typed', text };
  const at = { uri: query.uri, fn: query.fn, functions: words(query.functions), judging };
  await vscode.commands.executeCommand(query.use === 'judge' ? 'peagen.judgeChange' : 'peagen.evolveSelection', at);
}

const words = (text: string) => text.split(' ').filter((word) => word !== '');
