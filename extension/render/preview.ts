/** Shows what a rendering would do: every difference in one editor, and the files as a list to tick. */
import * as vscode from 'vscode';
import type { RenderedFile } from '../../shared/protocol/render.ts';
import type { Peagen } from '../peagen.ts';
import { byCount } from '../words.ts';

export interface PlacedFile extends RenderedFile {
  readonly uri: vscode.Uri;
}

const SCHEME = 'peagen-render';

/** The texts that are shown; of the newest preview only. */
const texts = new Map<string, string>();
let provider: vscode.Disposable | undefined;

/** The files that are to be written; undefined when the user leaves. */
export async function chooseFiles(peagen: Peagen, name: string, files: readonly PlacedFile[]): Promise<PlacedFile[] | undefined> {
  const changing = files.filter(({ state, after }) => state !== 'same' && after !== undefined);
  await showDifferences(peagen, name, changing);
  const input = vscode.window.createQuickPick<vscode.QuickPickItem & { file?: PlacedFile }>();
  input.title = vscode.l10n.t('Render {0}: the files to write', name);
  input.placeholder = inWords(changing);
  input.canSelectMany = true;
  input.ignoreFocusOut = true;
  input.matchOnDescription = true;
  input.items = tree(changing);
  input.selectedItems = input.items.filter(({ file }) => file !== undefined);
  try {
    return await new Promise((resolve) => {
      input.onDidAccept(() => resolve(input.selectedItems.flatMap(({ file }) => file ?? [])));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    input.dispose();
  }
}

/** Files below the names of their folders. */
function tree(files: readonly PlacedFile[]): (vscode.QuickPickItem & { file?: PlacedFile })[] {
  const folders = new Map<string, PlacedFile[]>();
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const folder = file.path.split('/').slice(0, -1).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders].flatMap(([folder, list]) => [
    { label: folder === '' ? '.' : folder, kind: vscode.QuickPickItemKind.Separator },
    ...list.map((file) => ({
      label: `${file.state === 'new' ? '$(diff-added)' : '$(diff-modified)'} ${file.path.split('/').at(-1)}`,
      description: file.state === 'new' ? vscode.l10n.t('new') : vscode.l10n.t('changed'),
      file,
    })),
  ]);
}

function inWords(files: readonly PlacedFile[]): string {
  const fresh = files.filter(({ state }) => state === 'new').length;
  const changed = files.length - fresh;
  return [
    byCount(fresh, vscode.l10n.t('{0} new file.', fresh), vscode.l10n.t('{0} new files.', fresh)),
    byCount(changed, vscode.l10n.t('{0} file changes.', changed), vscode.l10n.t('{0} files change.', changed)),
    vscode.l10n.t('Press OK to write the selected files.'),
  ].join(' ');
}

async function showDifferences(peagen: Peagen, name: string, files: readonly PlacedFile[]): Promise<void> {
  if (provider === undefined) {
    const content = { provideTextDocumentContent: (uri: vscode.Uri) => texts.get(uri.toString()) ?? '' };
    provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, content);
    peagen.extension.subscriptions.push(provider);
  }
  texts.clear();
  const preview = crypto.randomUUID();
  const side = (file: PlacedFile, which: 'before' | 'after') => {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${file.path}`, query: `${which}=${preview}` });
    texts.set(uri.toString(), file[which] ?? '');
    return uri;
  };
  await vscode.commands.executeCommand(
    'vscode.changes',
    vscode.l10n.t('Render {0}', name),
    files.map((file) => [file.uri, file.state === 'new' ? undefined : side(file, 'before'), side(file, 'after')]),
  );
}
