/** Pages that commands open to be read: virtual documents, which nobody can change and which ask for nothing when they are closed. */
import * as vscode from 'vscode';

export const PAGE_SCHEME = 'peagen-page';
/** Older ones are said to be gone, as all are after the window was reloaded. */
const KEPT = 20;

/** `title` becomes the tab's. */
export function pageUri(title: string, query: Readonly<Record<string, string>>): vscode.Uri {
  const path = `/${title.replaceAll('/', '-')}.md`;
  return vscode.Uri.from({ scheme: PAGE_SCHEME, path, query: new URLSearchParams(query).toString() });
}

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  async show(uri: vscode.Uri, text: string): Promise<void> {
    const key = uri.toString();
    this.#texts.delete(key);
    this.#texts.set(key, text);
    for (const old of [...this.#texts.keys()].slice(0, -KEPT)) this.#texts.delete(old);
    // It may be open with an earlier text.
    this.#changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    const gone = vscode.l10n.t('What this page showed is gone. Make it again with the command that opened it.');
    return this.#texts.get(uri.toString()) ?? gone;
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
