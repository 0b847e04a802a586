/** Where a rendered file may go: inside the output folder, and through no link. */
import { lstat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';

const MAX_PATH = 1024;

/** The path with single forward slashes. Throws `invalid_input` for one that leaves the output folder, or is Peagen's own. */
export function outputPath(name: string): string {
  const parts = name.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  const reason = isAbsolute(name) || /^[A-Za-z]:|^[\\/]/.test(name) ? 'is absolute' : unsafePart(parts, name);
  if (reason === undefined) return parts.join('/');
  throw new PeagenError('invalid_input', `The output path ${JSON.stringify(name.slice(0, MAX_PATH))} ${reason}.`, {
    hint: 'Fix RENDERED_FILE_NAME: files go below the output folder only.',
  });
}

function unsafePart(parts: readonly string[], name: string): string | undefined {
  if (parts.length === 0) return 'names no file';
  if (name.length > MAX_PATH) return `is longer than ${MAX_PATH} characters`;
  if (parts.includes('..')) return 'leaves the output folder';
  if (/\p{Cc}/u.test(name)) return 'has control characters';
  if (name.endsWith('/')) return 'names a folder';
  if (parts[0] === '.peagen' || parts.includes('.git')) return 'is in a folder that no template may write';
  return undefined;
}

/** Throws `invalid_input` when a folder on the way, or the file, is a link or not of its kind. */
export async function requireNoLink(out: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let length = 1; length <= parts.length; length++) {
    const at = join(out, ...parts.slice(0, length));
    const found = await lstat(at).catch((caught: NodeJS.ErrnoException) => {
      if (caught.code === 'ENOENT') return undefined;
      throw new PeagenError('storage_failed', `${at} cannot be looked at (${caught.code}).`, { hint: 'Check --out.' });
    });
    if (found === undefined) return;
    const last = length === parts.length;
    if (last ? found.isFile() : found.isDirectory()) continue;
    const what = found.isSymbolicLink() ? 'a link' : last ? 'no file' : 'no folder';
    throw new PeagenError('invalid_input', `${at} is ${what}: nothing is written through it.`, {
      hint: 'Remove it, or choose another --out.',
    });
  }
}

/** Throws `invalid_input` when one output would be a folder of another. */
export function requireNoClash(paths: readonly string[]): void {
  const files = new Set(paths);
  for (const path of paths) {
    const parts = path.split('/');
    for (let length = 1; length < parts.length; length++) {
      const folder = parts.slice(0, length).join('/');
      if (!files.has(folder)) continue;
      throw new PeagenError('invalid_input', `${folder} is a file, and the folder of ${path}.`, { hint: 'Rename one of them.' });
    }
  }
}
