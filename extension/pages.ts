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
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
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
