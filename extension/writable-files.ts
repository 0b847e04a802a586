/** Documents of a scheme of ours that the user edits and saves. Saved text survives a reload of the window. */
import * as vscode from 'vscode';
import type { KeptTexts } from './kept-texts.ts';
import { LooseFiles } from './loose-files.ts';

/** The text of a document that was never saved; undefined where there is none. */
type FirstText = (uri: vscode.Uri) => Promise<string | undefined>;

export class WritableFiles extends LooseFiles {
  private readonly kept: KeptTexts;
  private readonly firstText: FirstText;
  /** When each document changed last, for the editor, which reads it again then. */
  private readonly times = new Map<string, number>();

  constructor(kept: KeptTexts, firstText: FirstText) {
    super();
    this.kept = kept;
    this.firstText = firstText;
  }

  register(scheme: string): vscode.Disposable {
    return vscode.workspace.registerFileSystemProvider(scheme, this, { isCaseSensitive: true });
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const text = (await this.kept.read(uri)) ?? (await this.firstText(uri));
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return new TextEncoder().encode(text);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { byteLength: size } = await this.readFile(uri);
    const key = uri.toString();
    const mtime = this.times.get(key) ?? Date.now();
    this.times.set(key, mtime);
    return { type: vscode.FileType.File, ctime: 0, mtime, size };
  }

  override async writeFile(uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
    this.times.set(uri.toString(), Date.now());
    await this.kept.write(uri, new TextDecoder().decode(bytes));
    this.tellChanged(uri);
  }
}
