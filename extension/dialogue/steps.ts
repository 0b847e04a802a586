/** Questions that can be gone back from: a pick or an input with a Back button, in the terms of a dialogue of several steps. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** The user wants the question before this one. */
export const BACK = Symbol('back');
/** Undefined: the user left the dialogue. */
export type StepAnswer<T> = T | typeof BACK | undefined;

interface Question {
  readonly title: string;
  readonly back?: boolean;
}

/** The pick is busy while `more` items are looked for; they come after `items`, so that no row moves under the pointer. */
interface Pick<T extends vscode.QuickPickItem> extends Question {
  readonly placeholder: string;
  readonly items: readonly T[];
  readonly more?: Promise<readonly T[]>;
  readonly active?: T | undefined;
  /** What a button of an item does: returns the items that the pick then shows. */
  readonly onButton?: (item: T) => readonly T[];
}

export function pickOne<T extends vscode.QuickPickItem>({
  title,
  back,
  placeholder,
  items,
  more,
  active,
  onButton,
}: Pick<T>): Promise<StepAnswer<T>> {
  const input = vscode.window.createQuickPick<T>();
  input.placeholder = placeholder;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  input.items = items;
  if (active !== undefined) input.activeItems = [active];
  if (onButton !== undefined) {
    input.onDidTriggerItemButton(({ item }) => {
      input.keepScrollPosition = true;
      input.items = onButton(item);
    });
  }
  if (more !== undefined) {
    input.busy = true;
    more.then(
      (found) => {
        const [chosen] = input.activeItems;
        input.keepScrollPosition = true;
        input.items = [...items, ...found];
        if (chosen !== undefined) input.activeItems = [chosen];
        input.busy = false;
      },
      (caught: unknown) => {
        // What there is can still be chosen.
        input.placeholder = PeagenError.from(caught).line;
        input.busy = false;
      },
    );
  }
  return answered(input, { title, ...(back === undefined ? {} : { back }) }, () => input.selectedItems[0]);
}

/**
 * Stands in the place of the next question while the work for it goes on: it shows that something happens, and keys that are
 * pressed meanwhile do not reach the file. Escape cancels the work.
 */
export async function whileBusy<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Promise<T> {
  const input = vscode.window.createQuickPick();
  const left = new vscode.CancellationTokenSource();
  input.title = title;
  input.placeholder = vscode.l10n.t('Press Escape to cancel.');
  input.items = [{ label: `$(loading~spin) ${title}`, alwaysShow: true }];
  input.busy = true;
  input.ignoreFocusOut = true;
  input.onDidHide(() => left.cancel());
  input.show();
  try {
    return await work(left.token);
  } finally {
    input.dispose();
    left.dispose();
  }
}

/** Any number of them, at least one unless there may be none; what is `picked` in the items is checked at first. */
export function pickMany<T extends vscode.QuickPickItem>({
  title,
  back,
  placeholder,
  items,
  mayBeEmpty,
}: Pick<T> & { readonly mayBeEmpty?: boolean }): Promise<StepAnswer<readonly T[]>> {
  const input = vscode.window.createQuickPick<T>();
  input.canSelectMany = true;
  input.placeholder = placeholder;
  input.items = items;
  input.selectedItems = items.filter(({ picked }) => picked === true);
  return answered(input, { title, ...(back === undefined ? {} : { back }) }, () =>
    input.selectedItems.length === 0 && mayBeEmpty !== true ? undefined : input.selectedItems,
  );
}

interface Typed extends Question {
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly password?: boolean;
  /** Nothing is an answer too. */
  readonly mayBeEmpty?: boolean;
  /** Why the text is not an answer; undefined when it is one. */
  readonly problem?: (text: string) => string | undefined;
}

/** The text, trimmed; an empty one is not an answer unless it may be. */
export function typeText({
  title,
  back,
  prompt,
  placeholder,
  value,
  password,
  mayBeEmpty,
  problem,
}: Typed): Promise<StepAnswer<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = prompt;
  input.placeholder = placeholder;
  input.value = value ?? '';
  input.password = password ?? false;
  const check = () => {
    const text = input.value.trim();
    input.validationMessage = text === '' ? undefined : problem?.(text);
  };
  input.onDidChangeValue(check);
  return answered(input, { title, ...(back === undefined ? {} : { back }) }, () => {
    const text = input.value.trim();
    if (text === '' && mayBeEmpty !== true) return undefined;
    const wrong = problem?.(text);
    if (wrong !== undefined) input.validationMessage = wrong;
    return wrong === undefined ? text : undefined;
  });
}

type Input = (vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox) & vscode.QuickInput;

function answered<T>(input: Omit<Input, 'items'>, { title, back }: Question, take: () => T | undefined): Promise<StepAnswer<T>> {
  input.title = title;
  input.ignoreFocusOut = true;
  if (back === true) input.buttons = [vscode.QuickInputButtons.Back];
  return new Promise<StepAnswer<T>>((resolve) => {
    input.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) resolve(BACK);
    });
    input.onDidAccept(() => {
      const answer = take();
      if (answer !== undefined) resolve(answer);
    });
    input.onDidHide(() => resolve(undefined));
    input.show();
  }).finally(() => input.dispose());
}
