/**
 * Texts that can be read and not changed, as files of a scheme: an editor opens those again after its window was reloaded,
 * which it does with no other virtual document.
 */
import * as vscode from 'vscode';

/** What an editor has asked for and is about to read; it asks again for what is older. */
const KEPT = 50;

interface ReadOnlyFile {
  readonly text: string;
  readonly mtime: number;
}

export class ReadOnlyFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #textOf: (uri: vscode.Uri) => Promise<string | undefined>;
  readonly #files = new Map<string, ReadOnlyFile>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  /** `textOf`: undefined where there is no such file. */
  constructor(textOf: (uri: vscode.Uri) => Promise<string | undefined>) {
    this.#textOf = textOf;
  }

  register(scheme: string): vscode.Disposable {
    return vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true, isReadonly: true });
  }

  /** It may be open with an earlier text. */
  changed(uri: vscode.Uri): void {
    this.#files.delete(uri.toString());
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  /** An editor asks for this first: what there is may have changed since it was read. */
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.#read(uri);
    const size = new TextEncoder().encode(text).byteLength;
    return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = this.#files.get(uri.toString()) ?? (await this.#read(uri));
    return new TextEncoder().encode(text);
  }

  async #read(uri: vscode.Uri): Promise<ReadOnlyFile> {
    const key = uri.toString();
    const text = await this.#textOf(uri);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const kept = this.#files.get(key);
    if (kept?.text === text) return kept;
    const file = { text, mtime: Date.now() };
    this.#files.delete(key);
    this.#files.set(key, file);
    for (const old of [...this.#files.keys()].slice(0, -KEPT)) this.#files.delete(old);
    return file;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
