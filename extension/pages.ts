/**
 * Pages that commands open to be read, which ask for nothing when they are closed. Kept in the workspace's storage, one
 * file each, so that they are there again after the window was reloaded.
 */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { ReadOnlyFiles } from './read-only-files.ts';

const SCHEME = 'peagen-page';
/** Older ones are said to be gone. */
const KEPT = 20;

/** `title` becomes the tab's. */
export function pageUri(title: string, query: Readonly<Record<string, string>>): vscode.Uri {
  const path = `/${title.replaceAll('/', '-')}.md`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: new URLSearchParams(query).toString() });
}

export class Pages implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #folder: vscode.Uri | undefined;
  readonly #log: vscode.LogOutputChannel;
  readonly #files = new ReadOnlyFiles((uri) => this.#textOf(nameOf(uri)));
  readonly #registered = this.#files.register(SCHEME);

  /** Without `storage` (a window without a workspace) pages live as long as the window. */
  constructor(storage: vscode.Uri | undefined, log: vscode.LogOutputChannel) {
    this.#folder = storage === undefined ? undefined : vscode.Uri.joinPath(storage, 'pages');
    this.#log = log;
  }

  async show(uri: vscode.Uri, text: string): Promise<void> {
    const name = nameOf(uri);
    this.#texts.delete(name);
    this.#texts.set(name, text);
    for (const old of [...this.#texts.keys()].slice(0, -KEPT)) this.#texts.delete(old);
    this.#files.changed(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
    await this.#keep(name, text).catch((caught) => this.#log.warn(`A page will be gone with its window: ${String(caught)}`));
  }

  async #textOf(name: string): Promise<string> {
    const text = this.#texts.get(name) ?? (await this.#kept(name));
    return text ?? vscode.l10n.t('What this page showed is gone. Make it again with the command that opened it.');
  }

  async #keep(name: string, text: string): Promise<void> {
    const folder = this.#folder;
    if (folder === undefined) return;
    const { fs } = vscode.workspace;
    await fs.createDirectory(folder);
    await fs.writeFile(vscode.Uri.joinPath(folder, name), new TextEncoder().encode(text));
    const files = (await fs.readDirectory(folder)).map(([each]) => vscode.Uri.joinPath(folder, each));
    if (files.length <= KEPT) return;
    const written = await Promise.all(files.map(async (file) => ({ file, at: (await fs.stat(file)).mtime })));
    written.sort((a, b) => b.at - a.at);
    await Promise.all(written.slice(KEPT).map(({ file }) => fs.delete(file)));
  }

  async #kept(name: string): Promise<string | undefined> {
    if (this.#folder === undefined) return undefined;
    return await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.#folder, name)).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => undefined,
    );
  }

  dispose(): void {
    this.#registered.dispose();
    this.#files.dispose();
  }
}

/** Of its file: a URI has characters that no file's name may have. */
function nameOf(uri: vscode.Uri): string {
  return `${createHash('sha256').update(uri.toString()).digest('hex').slice(0, 32)}.md`;
}
