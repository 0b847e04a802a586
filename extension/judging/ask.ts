/** The question how candidates are checked: by inputs that Peagen makes, by what was found in the folder, or by what the user gives. */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { asWritten, type Call } from '../../shared/judging.ts';
import { DetectJudging, ExampleCall } from '../../shared/protocol/judging.ts';
import { warnOf } from '../commands/errors.ts';
import type { Selected } from '../commands/selection/selection.ts';
import { BACK, pickOne, type StepAnswer, typeText } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { spaced } from './call-text.ts';
import { offerMade } from './made.ts';
import { proposeInputs } from './propose.ts';
import { type Judging, remembered } from './remembered.ts';
import { callsDocument, editInputs, type InputsFor } from './tab.ts';

interface Choice extends vscode.QuickPickItem {
  take?(): Promise<StepAnswer<Judging>>;
}

/** `use`: what goes on when the inputs are typed in a tab, which ends this dialogue. */
export async function askJudging(
  peagen: Peagen,
  selected: Selected,
  { back, use }: { readonly back: boolean; readonly use: InputsFor },
): Promise<StepAnswer<Judging>> {
  for (;;) {
    const choice = await pickOne<Choice>({
      title: vscode.l10n.t('How should candidates for {0} be checked?', selected.name),
      placeholder: vscode.l10n.t('Asked once, then remembered for this function'),
      back,
      items: madeWay(selected, use),
      more: otherWays(peagen, selected, use),
    });
    if (choice === BACK || choice === undefined) return choice;
    const answer = await choice.take?.().catch((caught: unknown): StepAnswer<Judging> => {
      // Escape leaves the dialogue, also while it waits.
      if (PeagenError.from(caught).code === 'cancelled') return undefined;
      // The other ways may still work.
      warnOf(peagen, caught);
      return BACK;
    });
    if (answer !== BACK) return answer;
  }
}

/** First, so that Enter takes it. */
function madeWay(selected: Selected, use: InputsFor): Choice[] {
  if (selected.target.entry_fn === undefined) return [];
  return [
    {
      label: vscode.l10n.t('$(wand) Inputs made for you'),
      detail: vscode.l10n.t('Peagen calls the original with inputs that fit its code, and shows them to you first.'),
      take: () => offerMade(selected, (calls) => editInputs(selected, use, callsDocument(calls))),
    },
  ];
}

const icons = { configured: 'gear', made: 'wand', folder: 'folder', inputs: 'json', command: 'terminal' } as const;

/** What was found comes first: the user who has tests wants them. */
async function otherWays(peagen: Peagen, selected: Selected, use: InputsFor): Promise<Choice[]> {
  const found = foundWays(peagen, selected).catch((caught: unknown) => {
    warnOf(peagen, caught);
    return [];
  });
  const others: Choice = { label: vscode.l10n.t('other ways'), kind: vscode.QuickPickItemKind.Separator };
  if (selected.target.entry_fn === undefined) return [...(await found), others, ...programWays(selected)];
  const typed = await typedWay(peagen, selected, use);
  return [...(await found), others, ...callWays(peagen, selected), ...programWays(selected), typed];
}

async function foundWays(peagen: Peagen, { client, target }: Selected): Promise<Choice[]> {
  const { root, path, entry_fn } = target;
  const { ways, warnings } = await client.request(DetectJudging, { root, path, ...(entry_fn === undefined ? {} : { entry_fn }) });
  for (const warning of warnings) peagen.log.warn(warning);
  // The evaluator of a folder checks only its own program; inputs that are made have a row of their own.
  const fitting = ways.filter(
    ({ kind, target: own }) => kind !== 'made' && (kind !== 'folder' || own === undefined || own.path === path),
  );
  if (fitting.length === 0) return [];
  const found = fitting.map(
    ({ kind, label, detail, evaluator, settings }): Choice => ({
      label: `$(${icons[kind]}) ${label}`,
      detail,
      take: async () => ({ kind: 'way', label, evaluator, settings }),
    }),
  );
  return [{ label: vscode.l10n.t('found here'), kind: vscode.QuickPickItemKind.Separator }, ...found];
}

async function typedWay(peagen: Peagen, selected: Selected, use: InputsFor): Promise<Choice> {
  const example = spaced([asWritten(await exampleOf(selected))]);
  return {
    label: vscode.l10n.t('$(edit) Type inputs…'),
    detail: vscode.l10n.t('As JSON in an editor tab, such as {0}. Results must match the original.', example),
    take: () => typeInputs(peagen, selected, use),
  };
}

/** Other calls of a function. */
function callWays(peagen: Peagen, selected: Selected): Choice[] {
  return [
    {
      label: vscode.l10n.t('$(sparkle) Let a model propose inputs…'),
      detail: vscode.l10n.t('It reads the function; you choose which calls to use.'),
      take: () => proposeInputs(peagen, selected),
    },
    {
      label: vscode.l10n.t('$(folder-opened) Choose a file of inputs…'),
      detail: vscode.l10n.t('A JSON file that holds the calls.'),
      take: () => chooseFile(folderOf(selected)),
    },
  ];
}

/** A program that the user has. */
function programWays(selected: Selected): Choice[] {
  return [
    {
      label: vscode.l10n.t('$(terminal) Run a test command…'),
      detail: vscode.l10n.t('Exit code 0 means correct; its run time is the speed.'),
      take: typeCommand,
    },
    {
      label: vscode.l10n.t('$(file-code) Choose an evaluator file…'),
      detail: vscode.l10n.t('Python with evaluate(program_path), as in OpenEvolve; higher is better.'),
      take: () => chooseEvaluator(folderOf(selected)),
    },
  ];
}

function folderOf({ target }: Selected): string {
  return vscode.Uri.joinPath(vscode.Uri.file(target.root), target.path, '..').fsPath;
}

async function exampleOf({ client, target }: Selected): Promise<Call> {
  return (await client.request(ExampleCall, { target })).call;
}

/** The tab begins with what was typed for this function before, else with an example. */
export async function typeInputs(peagen: Peagen, selected: Selected, use: InputsFor): Promise<undefined> {
  const { judging } = remembered(peagen.extension.workspaceState, selected.target);
  if (judging?.kind === 'typed') return await editInputs(selected, use, judging.text);
  return await editInputs(selected, use, callsDocument([await exampleOf(selected)]));
}

async function chooseFile(folder: string): Promise<StepAnswer<Judging>> {
  const file = await openFile(vscode.l10n.t('Inputs'), folder, { JSON: ['json'] });
  return file === undefined ? BACK : { kind: 'file', path: file };
}

async function chooseEvaluator(folder: string): Promise<StepAnswer<Judging>> {
  const file = await openFile(vscode.l10n.t('Evaluator'), folder, { Python: ['py'] });
  if (file === undefined) return BACK;
  const name = basename(file);
  return {
    kind: 'way',
    label: vscode.l10n.t('evaluator {0}', name),
    evaluator: { name: 'openevolve', options: { root: dirname(file), file: name } },
    settings: {},
  };
}

async function openFile(title: string, folder: string, filters: Record<string, string[]>): Promise<string | undefined> {
  const [file] = (await vscode.window.showOpenDialog({ title, defaultUri: vscode.Uri.file(folder), filters })) ?? [];
  return file?.fsPath;
}

async function typeCommand(): Promise<StepAnswer<Judging>> {
  const command = await typeText({
    title: vscode.l10n.t('Test or benchmark command'),
    prompt: vscode.l10n.t('Runs in a temporary copy of the folder, for the original and each candidate'),
    placeholder: 'python3 -m pytest -q tests/test_sort.py',
    back: true,
  });
  return typeof command === 'string' ? { kind: 'command', command } : command;
}
