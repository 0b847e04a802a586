/** Texts of documents that have no file of their own, kept in the workspace's storage so that a reload of the window loses none. */
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

interface KeptTextsOptions {
  /** Undefined in a window without a workspace: texts then live as long as the window. */
  readonly storage: vscode.Uri | undefined;
  readonly folder: string;
  /** The oldest go when there are more. */
  readonly most: number;
  readonly log: vscode.LogOutputChannel;
}

export class KeptTexts {
  private readonly texts = new Map<string, string>();
  private readonly folder: vscode.Uri | undefined;
  private readonly most: number;
  private readonly log: vscode.LogOutputChannel;

  constructor({ storage, folder, most, log }: KeptTextsOptions) {
    this.folder = storage === undefined ? undefined : vscode.Uri.joinPath(storage, folder);
    this.most = most;
    this.log = log;
  }

  async read(uri: vscode.Uri): Promise<string | undefined> {
    const name = nameOf(uri);
    const known = this.texts.get(name);
    if (known !== undefined || this.folder === undefined) return known;
    return await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.folder, name)).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => undefined,
    );
  }

  /** The text can be read at once; it is on disk when the promise is fulfilled. */
  async write(uri: vscode.Uri, text: string): Promise<void> {
    const name = nameOf(uri);
    this.texts.delete(name);
    this.texts.set(name, text);
    for (const old of [...this.texts.keys()].slice(0, -this.most)) this.texts.delete(old);
    await this.store(name, text).catch((caught) => this.log.warn(`A text is lost when its window closes: ${String(caught)}`));
  }

  private async store(name: string, text: string): Promise<void> {
    const folder = this.folder;
    if (folder === undefined) return;
    const { fs } = vscode.workspace;
    await fs.createDirectory(folder);
    await fs.writeFile(vscode.Uri.joinPath(folder, name), new TextEncoder().encode(text));
    const files = (await fs.readDirectory(folder)).map(([each]) => vscode.Uri.joinPath(folder, each));
    if (files.length <= this.most) return;
    const written = await Promise.all(files.map(async (file) => ({ file, at: (await fs.stat(file)).mtime })));
    written.sort((a, b) => b.at - a.at);
    await Promise.all(written.slice(this.most).map(({ file }) => fs.delete(file)));
  }
}

/** A URI has characters that a file name may not have. */
function nameOf(uri: vscode.Uri): string {
  return `${createHash('sha256').update(uri.toString()).digest('hex').slice(0, 32)}.md`;
}
