/** Pages that commands open to be read, which ask for nothing when they are closed. A reload of the window keeps them. */
import * as vscode from 'vscode';
import { KeptTexts } from './kept-texts.ts';
import { ReadOnlyFiles } from './read-only-files.ts';

const SCHEME = 'peagen-page';
/** Older pages have expired. */
const KEPT = 20;

/** `title` becomes the tab's. */
export function pageUri(title: string, query: Readonly<Record<string, string>>): vscode.Uri {
  const path = `/${title.replaceAll('/', '-')}.md`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: new URLSearchParams(query).toString() });
}

/** Text of a program, a model or an evaluator, which a rendered page shows as it is: none of it is a picture or a link. */
export function literal(text: string): string {
  return text.replaceAll(/[\\`*_<>[\]|&]/g, '\\$&');
}

/** As it reads, by the editor's own preview of Markdown, which a reload of the window keeps; as text where that is turned off. */
export async function showRendered(uri: vscode.Uri): Promise<void> {
  try {
    await vscode.commands.executeCommand('vscode.openWith', uri, 'vscode.markdown.preview.editor', { preview: true });
  } catch {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }
}

export class Pages implements vscode.Disposable {
  private readonly texts: KeptTexts;
  private readonly files = new ReadOnlyFiles((uri) => this.textOf(uri));
  private readonly registered = this.files.register(SCHEME);

  constructor(storage: vscode.Uri | undefined, log: vscode.LogOutputChannel) {
    this.texts = new KeptTexts({ storage, folder: 'pages', most: KEPT, log });
  }

  async show(uri: vscode.Uri, text: string): Promise<void> {
    const written = this.texts.write(uri, text);
    this.files.changed(uri);
    await showRendered(uri);
    await written;
  }

  private async textOf(uri: vscode.Uri): Promise<string> {
    return (await this.texts.read(uri)) ?? vscode.l10n.t('This page has expired. Run the command again.');
  }

  dispose(): void {
    this.registered.dispose();
    this.files.dispose();
  }
}
