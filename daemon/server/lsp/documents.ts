/** What the language features know of a document: its path, its functions, and where a run on it has its root. */
import { realpathSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { PeagenError } from '../../../shared/errors.ts';
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { findConfig } from '../../config/load.ts';
import { inspectFile } from '../inspect.ts';

/** The real path behind a `file:` address: the daemon knows its workspace by that, an editor perhaps by a link. */
export function pathOf(uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  let path: string;
  try {
    path = fileURLToPath(uri);
  } catch {
    return undefined;
  }
  try {
    return realpathSync.native(path);
  } catch {
    // Not on the disk yet.
    return path;
  }
}

export async function functionsIn(document: TextDocument | undefined): Promise<FunctionInfo[]> {
  const path = document === undefined ? undefined : pathOf(document.uri);
  if (document === undefined || path === undefined) return [];
  return (await inspectFile(path, document.getText())).functions;
}

/** The function of an open document as a target: the buffer's text, under the folder of the nearest configuration. */
export function targetOf(workspace: string, uri: string, fn: string, text: string | undefined): TargetSpec {
  const path = pathOf(uri);
  if (path === undefined) throw new PeagenError('unsupported', `${uri} is not a file.`, { hint: 'Save it in the workspace.' });
  const config = findConfig(dirname(path));
  const root = config !== undefined && isInside(workspace, config) ? dirname(config) : workspace;
  if (!isInside(root, path)) {
    throw new PeagenError('invalid_input', `${path} is not in the workspace ${workspace}.`, { hint: 'Open its folder.' });
  }
  return {
    root,
    path: relative(root, path).split(sep).join('/'),
    entry_fn: fn,
    ...(text === undefined ? {} : { text }),
  };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !/^[A-Za-z]:/.test(way);
}
