/**
 * Texts that can be read and not changed, as files of a scheme: an editor opens those again after its window was reloaded,
 * which it does with no other virtual document.
 */
import * as vscode from 'vscode';
import { LooseFiles } from './loose-files.ts';

/** What an editor has asked for and is about to read; it asks again for what is older. */
const KEPT = 50;

interface ReadOnlyFile {
  readonly text: string;
  readonly mtime: number;
}

export class ReadOnlyFiles extends LooseFiles {
  private readonly textOf: (uri: vscode.Uri) => Promise<string | undefined>;
  private readonly files = new Map<string, ReadOnlyFile>();

  /** `textOf`: undefined where there is no such file. */
  constructor(textOf: (uri: vscode.Uri) => Promise<string | undefined>) {
    super();
    this.textOf = textOf;
  }

  register(scheme: string): vscode.Disposable {
    return vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true, isReadonly: true });
  }

  /** It may be open with an earlier text. */
  changed(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
    this.tellChanged(uri);
  }

  /** An editor asks for this first: what there is may have changed since it was read. */
  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { text, mtime } = await this.read(uri);
    const size = new TextEncoder().encode(text).byteLength;
    return { type: vscode.FileType.File, ctime: 0, mtime, size, permissions: vscode.FilePermission.Readonly };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { text } = this.files.get(uri.toString()) ?? (await this.read(uri));
    return new TextEncoder().encode(text);
  }

  private async read(uri: vscode.Uri): Promise<ReadOnlyFile> {
    const key = uri.toString();
    const text = await this.textOf(uri);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const kept = this.files.get(key);
    if (kept?.text === text) return kept;
    const file = { text, mtime: Date.now() };
    this.files.delete(key);
    this.files.set(key, file);
    for (const old of [...this.files.keys()].slice(0, -KEPT)) this.files.delete(old);
    return file;
  }
}
