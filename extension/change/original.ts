/**
 * What a user's change is measured against: the file as of the last commit, when it differs from the buffer; else the
 * file on disk, when the buffer is not saved.
 */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

interface OriginalText {
  readonly text: string;
  /** For a user: `the last commit`. */
  readonly name: string;
}

/** The part of the Git extension's API that we use. */
interface Repository {
  /** The message of the next commit. */
  readonly inputBox: { value: string };
  show(ref: string, path: string): Promise<string>;
}
interface GitApi {
  getRepository(uri: vscode.Uri): Repository | null;
}

export async function originalOf(document: vscode.TextDocument): Promise<OriginalText> {
  const now = normal(document.getText());
  const committed = await committedText(document.uri);
  if (committed !== undefined && normal(committed) !== now) return { text: committed, name: vscode.l10n.t('the last commit') };
  const saved = new TextDecoder().decode(await vscode.workspace.fs.readFile(document.uri));
  if (normal(saved) !== now) return { text: saved, name: vscode.l10n.t('the saved file') };
  throw new PeagenError(
    'invalid_input',
    vscode.l10n.t('{0} has no change to judge.', vscode.workspace.asRelativePath(document.uri)),
    {
      hint:
        committed === undefined
          ? vscode.l10n.t('It is not under version control: change it without saving, or commit it first.')
          : vscode.l10n.t('There are no changes since the last commit. Change the function first.'),
    },
  );
}

/** Undefined for a file that is not under version control, or without the Git extension. */
export async function repositoryOf(uri: vscode.Uri): Promise<Repository | undefined> {
  const extension = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>('vscode.git');
  const git = await extension?.activate();
  return git?.enabled === true ? (git.getAPI(1).getRepository(uri) ?? undefined) : undefined;
}

async function committedText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return await (await repositoryOf(uri))?.show('HEAD', uri.fsPath);
  } catch {
    // Not in the commit.
    return undefined;
  }
}

function normal(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}
