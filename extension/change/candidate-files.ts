/**
 * An elite's file as a document that a person can edit: kept in memory, never on disk. Sending it back to its run is a
 * command of its own; saving only keeps the text.
 */
import * as vscode from 'vscode';
import { LooseFiles } from '../loose-files.ts';
import type { Peagen } from '../peagen.ts';
import { CANDIDATE_SCHEME } from './scheme.ts';

export function registerCandidateFiles(peagen: Peagen): vscode.Disposable[] {
  const files = new CandidateFiles(peagen);
  return [files, vscode.workspace.registerFileSystemProvider(CANDIDATE_SCHEME, files, { isCaseSensitive: true })];
}

class CandidateFiles extends LooseFiles {
  readonly #peagen: Peagen;
  readonly #files = new Map<string, { bytes: Uint8Array; mtime: number }>();

  constructor(peagen: Peagen) {
    super();
    this.#peagen = peagen;
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#file(uri)).bytes;
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { bytes, mtime } = await this.#file(uri);
    return { type: vscode.FileType.File, ctime: 0, mtime, size: bytes.byteLength };
  }

  override writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.#files.set(uri.toString(), { bytes, mtime: Date.now() });
    this.tellChanged(uri);
  }

  /** As the elite has it, until the person has saved it; also after the window was reloaded. */
  async #file(uri: vscode.Uri): Promise<{ bytes: Uint8Array; mtime: number }> {
    const kept = this.#files.get(uri.toString());
    if (kept !== undefined) return kept;
    const { candidateText } = await import('../late.ts');
    const text = await candidateText(this.#peagen, uri);
    if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    const file = this.#files.get(uri.toString()) ?? { bytes: new TextEncoder().encode(text), mtime: Date.now() };
    this.#files.set(uri.toString(), file);
    return file;
  }
}
