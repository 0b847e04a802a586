/** The question how candidates are judged: what was found in the folder first, then what a person can give. */
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { DetectJudging } from '../../shared/protocol/judging.ts';
import { warnOf } from '../commands/errors.ts';
import type { Selected } from '../commands/selection.ts';
import { type Answer, BACK, pickOne, typeText } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { callsExample, parseCalls } from './evaluator.ts';
import { proposeInputs } from './propose.ts';
import type { Judging } from './remembered.ts';

interface Choice extends vscode.QuickPickItem {
  take?(): Promise<Answer<Judging>>;
}

export async function askJudging(peagen: Peagen, selected: Selected, { back }: { back: boolean }): Promise<Answer<Judging>> {
  for (;;) {
    const choice = await pickOne<Choice>({
      title: vscode.l10n.t('How is {0} judged?', selected.name),
      placeholder: vscode.l10n.t('Asked once, then remembered for this function'),
      back,
      // Found first: a person who has tests wants them.
      items: [...(await foundWays(peagen, selected)), ...givenWays(peagen, selected)],
    });
    if (choice === BACK || choice === undefined) return choice;
    const answer = await choice.take?.().catch((caught: unknown): typeof BACK => {
      // What did not work is no answer; the other ways still are.
      warnOf(peagen, caught);
      return BACK;
    });
    if (answer !== BACK) return answer;
  }
}

const icons = { configured: 'gear', made: 'sparkle', folder: 'folder', inputs: 'json', command: 'terminal' } as const;

async function foundWays(peagen: Peagen, { client, target }: Selected): Promise<Choice[]> {
  const { root, path, entry_fn } = target;
  const { ways, warnings } = await client.request(DetectJudging, { root, path, ...(entry_fn === undefined ? {} : { entry_fn }) });
  for (const warning of warnings) peagen.log.warn(warning);
  // A folder's own evaluator judges its own program.
  const fitting = ways.filter(({ kind, target: own }) => kind !== 'folder' || own === undefined || own.path === path);
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

function givenWays(peagen: Peagen, selected: Selected): Choice[] {
  const { target, params } = selected;
  const folder = vscode.Uri.joinPath(vscode.Uri.file(target.root), target.path, '..').fsPath;
  const choices: Choice[] = [{ label: vscode.l10n.t('or'), kind: vscode.QuickPickItemKind.Separator }];
  if (target.entry_fn !== undefined) {
    choices.push(
      {
        label: vscode.l10n.t('$(edit) Type sample inputs…'),
        detail: vscode.l10n.t('A list of calls, such as {0}; the original says what is right.', callsExample(params)),
        take: () => typeInputs(params),
      },
      {
        label: vscode.l10n.t('$(sparkle) Let a model propose inputs…'),
        detail: vscode.l10n.t('It reads the function; you confirm the calls that are any good.'),
        take: () => proposeInputs(peagen, selected),
      },
      {
        label: vscode.l10n.t('$(folder-opened) Choose a file of inputs…'),
        detail: vscode.l10n.t('A JSON file that holds the calls.'),
        take: () => chooseFile(folder),
      },
    );
  }
  choices.push(
    {
      label: vscode.l10n.t('$(terminal) Run a test command…'),
      detail: vscode.l10n.t('In a copy of the folder. Exit status 0 is correct, its time the speed.'),
      take: typeCommand,
    },
    {
      label: vscode.l10n.t('$(file-code) Choose an evaluator file…'),
      detail: vscode.l10n.t('Python with evaluate(program_path), as in OpenEvolve; higher is better.'),
      take: () => chooseEvaluator(folder),
    },
  );
  return choices;
}

async function typeInputs(params: readonly string[]): Promise<Answer<Judging>> {
  const text = await typeText({
    title: vscode.l10n.t('Sample inputs'),
    prompt: vscode.l10n.t('A list of calls, each a list of the arguments ({0}), as JSON', params.join(', ')),
    placeholder: callsExample(params),
    back: true,
    problem: (given) => {
      try {
        parseCalls(given, params);
        return undefined;
      } catch (caught) {
        return PeagenError.from(caught).line;
      }
    },
  });
  return typeof text === 'string' ? { kind: 'typed', text } : text;
}

async function chooseFile(folder: string): Promise<Answer<Judging>> {
  const file = await openFile(vscode.l10n.t('Inputs'), folder, { JSON: ['json'] });
  return file === undefined ? BACK : { kind: 'file', path: file };
}

async function chooseEvaluator(folder: string): Promise<Answer<Judging>> {
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

async function typeCommand(): Promise<Answer<Judging>> {
  const command = await typeText({
    title: vscode.l10n.t('Test or benchmark command'),
    prompt: vscode.l10n.t('Run in a throw-away copy of the folder for the original and every candidate'),
    placeholder: 'python3 -m pytest -q tests/test_sort.py',
    back: true,
  });
  return typeof command === 'string' ? { kind: 'command', command } : command;
}
