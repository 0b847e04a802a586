/** What the person has selected: a file and the function in it that the cursor is in. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { type FunctionInfo, InspectFile } from '../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../shared/run.ts';
import type { DaemonClient } from '../client/client.ts';
import type { Peagen } from '../peagen.ts';
import { rootOf } from '../roots.ts';

export interface Selected {
  readonly client: DaemonClient;
  readonly document: vscode.TextDocument;
  readonly target: TargetSpec;
  /** Parameters of the function, to explain what inputs look like. */
  readonly params: readonly string[];
}

/** Undefined when the person was asked which function and gave none. */
export async function selectedTarget(peagen: Peagen): Promise<Selected | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    throw new PeagenError('invalid_input', 'No file is open.', { hint: 'Open one and put the cursor in a function.' });
  }
  const { document, selection } = editor;
  if (document.uri.scheme !== 'file') {
    throw new PeagenError('unsupported', `${document.fileName} is not a file on disk.`, { hint: 'Save it first.' });
  }
  const { root, path } = rootOf(document.uri);
  const client = await peagen.daemon(root);
  const text = document.getText();
  const { supported, functions, hasMarkers, language } = await client.request(InspectFile, { path, text });
  if (!supported && !hasMarkers) {
    throw new PeagenError('unsupported', `Peagen finds no functions in ${language} files.`, {
      hint: 'Mark what may change with EVOLVE-BLOCK-START and EVOLVE-BLOCK-END comments.',
    });
  }
  const found = await chooseFunction(functions, selection);
  if (found === undefined && functions.length > 0 && !hasMarkers) return undefined;
  return {
    client,
    document,
    target: {
      root: root.fsPath,
      path,
      ...(document.isDirty ? { text } : {}),
      ...(found === undefined ? {} : { entry_fn: found.name }),
    },
    params: found?.params ?? [],
  };
}

async function chooseFunction(
  functions: readonly FunctionInfo[],
  selection: vscode.Selection,
): Promise<FunctionInfo | undefined> {
  const around = functions
    .filter(({ start_line, end_line }) => start_line <= selection.start.line && selection.end.line <= end_line)
    .sort((a, b) => a.end_line - a.start_line - (b.end_line - b.start_line));
  if (around[0] !== undefined) return around[0];
  const inside = functions.filter(
    ({ start_line, end_line }) => selection.start.line <= start_line && end_line <= selection.end.line,
  );
  if (inside.length === 1) return inside[0];
  const choices = inside.length > 0 ? inside : functions;
  const pick = await vscode.window.showQuickPick(
    choices.map((info) => ({ label: `$(symbol-method) ${info.name}`, description: `line ${info.start_line + 1}`, info })),
    { title: 'Which function?', ignoreFocusOut: true },
  );
  return pick?.info;
}
