/**
 * What the user means: the function that the cursor is in, several functions or a class that are selected, a file, or a
 * folder that brings its own evaluator. Asks only where it is not plain.
 */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { DetectJudging } from '../../../shared/protocol/judging.ts';
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import type { EditorClient } from '../../client/client.ts';
import { pickOne } from '../../dialogue/steps.ts';
import { inspect } from '../../functions/find.ts';
import { Judging } from '../../judging/remembered.ts';
import type { Peagen } from '../../peagen.ts';
import { rootOf } from '../../roots.ts';
import { type SelectedFunctions, selectedFunctions } from './functions.ts';

export interface Selected {
  readonly client: EditorClient;
  readonly uri: vscode.Uri;
  readonly target: TargetSpec;
  /** For a user: `bad_sort`, `3 functions of sort.py`. */
  readonly name: string;
  /** Parameters of the function, to explain what inputs look like. */
  readonly params: readonly string[];
  /** A folder says itself how it is judged; so does a tab of inputs that was confirmed. */
  readonly judging?: Judging;
}

/** What lenses, code actions and other extensions call a command with. */
const FunctionAt = z.object({
  uri: z.string().min(1),
  fn: z.string().min(1),
  /** What may change as well; left out, what nothing else uses. */
  functions: z.array(z.string().min(1)).optional(),
  judging: Judging.optional(),
});
type FunctionAt = z.output<typeof FunctionAt>;

/**
 * `at`: a file or folder of the explorer, a function, or nothing, which means the editor; so does a file without `marked`, the
 * rows that the explorer names as well. Undefined when the user left the question.
 */
export async function selectedTarget(peagen: Peagen, at?: unknown, marked?: unknown): Promise<Selected | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (at instanceof vscode.Uri) {
    // The context menu of an editor names its document, and means the cursor.
    if (!Array.isArray(marked) && editor?.document.uri.toString() === at.toString())
      return await fileTarget(peagen, editor.document, editor.selection);
    const { type } = await vscode.workspace.fs.stat(at);
    if ((type & vscode.FileType.Directory) !== 0) return await folderTarget(peagen, at);
    return await fileTarget(peagen, await vscode.workspace.openTextDocument(at), undefined);
  }
  const named = FunctionAt.safeParse(at).data;
  if (named !== undefined) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(named.uri, true));
    return await fileTarget(peagen, document, named);
  }
  if (editor === undefined) {
    throw new PeagenError('invalid_input', vscode.l10n.t('No file is open.'), {
      hint: vscode.l10n.t('Open one and put the cursor in a function.'),
    });
  }
  return await fileTarget(peagen, editor.document, editor.selection);
}

/** The same with `functions` that may change along; undefined for those that nothing else uses. */
export function together(selected: Selected, functions: string[] | undefined): Selected {
  const { functions: _, ...target } = selected.target;
  return { ...selected, target: functions === undefined ? target : { ...target, functions } };
}

async function fileTarget(
  peagen: Peagen,
  document: vscode.TextDocument,
  at: vscode.Selection | FunctionAt | undefined,
): Promise<Selected | undefined> {
  if (document.uri.scheme !== 'file') {
    throw new PeagenError('unsupported', vscode.l10n.t('{0} is not a file on disk.', document.fileName), {
      hint: vscode.l10n.t('Save it first.'),
    });
  }
  const { root, path } = rootOf(document.uri);
  const text = document.getText();
  // A sign of life at once: the daemon may have to start, and a long file takes its time.
  const { client, inspected } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Peagen reads {0}…', path) },
    async () => ({ client: await peagen.daemon(root), inspected: await inspect(peagen, document) }),
  );
  const { supported, functions, hasMarkers, language, error } = inspected;
  if (error !== undefined) {
    throw new PeagenError(
      'invalid_input',
      vscode.l10n.t('{0} has a syntax error in line {1}: {2}.', path, error.line + 1, error.what),
      {
        hint: vscode.l10n.t('Fix it and run the command again.'),
      },
    );
  }
  if (!supported && !hasMarkers) {
    throw new PeagenError(
      'unsupported',
      vscode.l10n.t('Peagen supports Python, JavaScript and TypeScript files, and this is {0}.', language),
      {
        hint: vscode.l10n.t('Mark what may change with EVOLVE-BLOCK-START and EVOLVE-BLOCK-END comments.'),
      },
    );
  }
  const base = { root: root.fsPath, path, ...(document.isDirty ? { text } : {}) };
  const whole: Selected = {
    client,
    uri: document.uri,
    target: base,
    name: path.split('/').at(-1) ?? path,
    params: [],
  };
  const lines = text.split(/\r\n|\n|\r/);
  const one = (info: FunctionInfo): Selected => ({
    ...whole,
    target: { ...base, entry_fn: info.name },
    name: info.name,
    params: info.params,
  });
  const several = (info: FunctionInfo, others: string[]): Selected => ({
    ...together(one(info), others),
    name: vscode.l10n.t('{0} and {1} more', info.name, others.length),
  });
  if (at !== undefined && 'fn' in at) {
    const named = functions.findLast(({ name }) => name === at.fn);
    if (named === undefined)
      throw new PeagenError('not_found', vscode.l10n.t('There is no function "{0}" in {1} any more.', at.fn, path));
    const { functions: others = [], judging } = at;
    const alone = at.functions === undefined ? one(named) : together(one(named), []);
    const selected = others.length === 0 ? alone : several(named, others);
    return judging === undefined ? selected : { ...selected, judging };
  }
  const found = at === undefined ? undefined : selectedFunctions(functions, at.start.line, at.end.line, lines);
  if (found?.kind === 'one') return one(found.function);
  if (found?.kind === 'several') return await askEntry(whole, found, several);
  // Markers say what may change, unless the user selected something in particular.
  if (hasMarkers && at !== undefined) return whole;
  return await askFunction(whole, functions, one);
}

/** Nothing but a cursor, or a file: which of its functions, or all of it? */
async function askFunction(
  whole: Selected,
  functions: readonly FunctionInfo[],
  one: (info: FunctionInfo) => Selected,
): Promise<Selected | undefined> {
  const pick = await pickOne({
    title: vscode.l10n.t('Which function should Peagen evolve?'),
    placeholder: vscode.l10n.t('No function is selected'),
    items: [
      ...functions.map((info) => ({
        label: `$(symbol-method) ${info.name}`,
        description: vscode.l10n.t('line {0}', info.start_line + 1),
        selected: one(info),
      })),
      {
        label: vscode.l10n.t('$(file-code) All of {0}', whole.name),
        description: vscode.l10n.t('judged by a test or benchmark command'),
        selected: whole,
      },
    ],
  });
  return typeof pick === 'object' ? pick.selected : undefined;
}

/** Several functions change together; which of them is called to judge the rest? */
async function askEntry(
  whole: Selected,
  { functions, inClass }: Extract<SelectedFunctions, { kind: 'several' }>,
  several: (info: FunctionInfo, others: string[]) => Selected,
): Promise<Selected | undefined> {
  const names = functions.map(({ name }) => name);
  const together =
    inClass === undefined
      ? vscode.l10n.t('{0} functions of {1}', names.length, whole.name)
      : vscode.l10n.t('The class {0}', inClass);
  const pick = await pickOne({
    title: vscode.l10n.t('{0}: which function is called to judge?', together),
    placeholder: vscode.l10n.t('All of them may change'),
    items: [
      ...functions.map((info) => ({
        label: `$(symbol-method) ${info.name}`,
        description: vscode.l10n.t('line {0}', info.start_line + 1),
        selected: several(
          info,
          names.filter((other) => other !== info.name),
        ),
      })),
      {
        label: vscode.l10n.t('$(terminal) None of them'),
        description: vscode.l10n.t('judged by a test or benchmark command'),
        selected: { ...whole, target: { ...whole.target, functions: names }, name: together },
      },
    ],
  });
  return typeof pick === 'object' ? pick.selected : undefined;
}

async function folderTarget(peagen: Peagen, folder: vscode.Uri): Promise<Selected | undefined> {
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri ?? folder;
  const client = await peagen.daemon(root);
  const { ways, warnings } = await client.request(DetectJudging, { root: folder.fsPath });
  const way = ways.find(({ kind, target }) => kind === 'folder' && target !== undefined);
  if (way?.target === undefined) {
    throw new PeagenError(
      'not_found',
      vscode.l10n.t('{0} has no evaluator of its own.', vscode.workspace.asRelativePath(folder)),
      {
        hint:
          warnings[0] ??
          vscode.l10n.t('Peagen takes folders with an evaluator.py and an initial_program, or an evaluate.py and an initial.py.'),
      },
    );
  }
  for (const warning of [...warnings, ...way.warnings]) peagen.log.warn(warning);
  const { label, evaluator, settings, target } = way;
  return {
    client,
    uri: vscode.Uri.joinPath(folder, target.path),
    target,
    name: folder.path.split('/').at(-1) ?? folder.path,
    params: [],
    judging: { kind: 'way', label, evaluator, settings },
  };
}
