/** The question how candidates are judged: asked once per function, then remembered. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import type { TargetSpec } from '../../shared/run.ts';
import { callsExample, parseCalls } from './evaluator.ts';
import type { Judging } from './remembered.ts';

interface Choice extends vscode.QuickPickItem {
  /** Undefined when the person left it. */
  take(): Promise<Judging | undefined>;
}

export async function askJudging(target: TargetSpec, params: readonly string[]): Promise<Judging | undefined> {
  const folder = vscode.Uri.joinPath(vscode.Uri.file(target.root), target.path, '..').fsPath;
  const choices: Choice[] = [];
  if (target.entry_fn !== undefined) {
    for (const path of await inputFiles(folder)) {
      choices.push({
        label: `$(json) Inputs from ${basename(path)}`,
        detail: 'Calls the function with each; the original says what is right.',
        take: async () => ({ kind: 'file', path }),
      });
    }
    choices.push(
      {
        label: '$(edit) Type sample inputs…',
        detail: `A list of calls, such as ${callsExample(params)}; the original says what is right.`,
        take: () => typeInputs(params),
      },
      {
        label: '$(folder-opened) Choose a file of inputs…',
        detail: 'A JSON file that holds the calls.',
        take: () => chooseFile(folder),
      },
    );
  }
  choices.push({
    label: '$(terminal) Run a test command…',
    detail: 'Runs in a copy of the folder. Exit status 0 means correct; the time it takes is the speed.',
    take: typeCommand,
  });
  const choice = await vscode.window.showQuickPick(choices, {
    title: `How is ${target.entry_fn ?? target.path} judged?`,
    placeHolder: 'Asked once, then remembered for this function',
    ignoreFocusOut: true,
  });
  return await choice?.take();
}

/** JSON files beside the target that are named like inputs. */
async function inputFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /(input|call|case|sample)s?.*\.json$/i.test(name)).map((name) => join(folder, name));
}

async function typeInputs(params: readonly string[]): Promise<Judging | undefined> {
  const text = await vscode.window.showInputBox({
    title: 'Sample inputs',
    prompt: `A list of calls, each a list of the arguments (${params.join(', ')}), as JSON`,
    placeHolder: callsExample(params),
    ignoreFocusOut: true,
    validateInput: (value) => {
      if (value.trim() === '') return null;
      try {
        parseCalls(value, params);
        return null;
      } catch (caught) {
        return PeagenError.from(caught).line;
      }
    },
  });
  return text === undefined || text.trim() === '' ? undefined : { kind: 'typed', text };
}

async function chooseFile(folder: string): Promise<Judging | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: 'Inputs',
      defaultUri: vscode.Uri.file(folder),
      filters: { JSON: ['json'] },
    })) ?? [];
  return file === undefined ? undefined : { kind: 'file', path: file.fsPath };
}

async function typeCommand(): Promise<Judging | undefined> {
  const command = await vscode.window.showInputBox({
    title: 'Test or benchmark command',
    prompt: 'Run in a throw-away copy of the folder for the original and every candidate',
    placeHolder: 'python -m pytest -q tests/test_sort.py',
    ignoreFocusOut: true,
  });
  return command === undefined || command.trim() === '' ? undefined : { kind: 'command', command: command.trim() };
}
