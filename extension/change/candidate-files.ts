/**
 * An elite's file as a document that the user can edit. Sending it back to its run is a command of its own; saving only
 * keeps the text.
 */
import type * as vscode from 'vscode';
import { KeptTexts } from '../kept-texts.ts';
import type { Peagen } from '../peagen.ts';
import { WritableFiles } from '../writable-files.ts';
import { CANDIDATE_SCHEME } from './scheme.ts';

/** Saved candidates; each is the user's own work. */
const KEPT = 200;

export function registerCandidateFiles(peagen: Peagen): vscode.Disposable[] {
  const { extension, log } = peagen;
  const texts = new KeptTexts({ storage: extension.storageUri, folder: 'candidates', most: KEPT, log });
  const files = new WritableFiles(texts, async (uri) => {
    const { candidateText } = await import('../late.ts');
    return await candidateText(peagen, uri);
  });
  return [files, files.register(CANDIDATE_SCHEME)];
}
