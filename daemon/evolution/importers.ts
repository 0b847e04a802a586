/** Finds out which functions of a Python file other files may use. */
import { join } from 'node:path';
import type { FunctionInfo } from '../../shared/protocol/targets.ts';
import { readSmall, sourceFiles } from './source-files.ts';
import { bareName } from './syntax/helpers.ts';

const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The names of the functions that a file under `root` mentions which mentions the module of `path` as well, or imports all of it. A
 * method counts wherever it is mentioned, since a class is inherited from under other names. All of them when there are more or
 * larger files than are looked at. `path` is relative, with forward slashes.
 */
export async function usedElsewhere(root: string, path: string, helpers: readonly FunctionInfo[]): Promise<ReadonlySet<string>> {
  const sources = await sourceFiles(root, 'python');
  const every = new Set(helpers.map(({ name }) => name));
  if (sources?.complete !== true) return every;
  const module = moduleOf(path);
  const found = new Set<string>();
  let bytes = 0;
  for (const other of sources.paths) {
    if (other === path) continue;
    const text = await readSmall(join(root, other));
    bytes += text?.length ?? 0;
    if (text === undefined || bytes > MOST_BYTES) return every;
    const words = new Set(text.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
    const imports = words.has(module);
    const all = imports && /\bimport[ \t]*\*/.test(text);
    for (const one of helpers) {
      if (all || ((imports || one.name.includes('.')) && words.has(bareName(one)))) found.add(one.name);
    }
  }
  return found;
}

/** By which others import it: of a package that of its folder. */
function moduleOf(path: string): string {
  const parts = path.replace(/\.pyi?$/, '').split('/');
  return parts.findLast((part) => part !== '__init__') ?? '';
}
