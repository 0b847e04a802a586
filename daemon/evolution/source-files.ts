/** The source files of a folder in one family of languages: where a function may be called from. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { languageOf } from './syntax/languages.ts';

/** Enough for one project; a monorepo is not searched to its end. */
const MOST_FILES = 2000;
const MOST_FOLDERS = 5000;
const LARGEST_FILE = 200 * 1024;

const skipped = /^(?:\..*|node_modules|dist|build|out|target|vendor|venv|env|site-packages|__pycache__|coverage)$/;
const families: readonly ReadonlySet<string>[] = [
  new Set(['python']),
  new Set(['javascript', 'javascriptreact', 'typescript', 'typescriptreact']),
];

export interface SourceFiles {
  /** Relative paths with forward slashes, folder by folder. */
  readonly paths: readonly string[];
  /** False when the folder holds more than is looked at. */
  readonly complete: boolean;
}

/** Those whose programs can import a file of that language; undefined for a language that is not known. Links are not followed. */
export async function sourceFiles(root: string, language: string): Promise<SourceFiles | undefined> {
  const family = families.find((each) => each.has(language));
  if (family === undefined) return undefined;
  const paths: string[] = [];
  const open = [''];
  let folders = 0;
  for (let folder = open.shift(); folder !== undefined; folder = open.shift()) {
    if (paths.length >= MOST_FILES || ++folders > MOST_FOLDERS) return { paths, complete: false };
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const each of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? each.name : `${folder}/${each.name}`;
      if (each.isDirectory() && !skipped.test(each.name)) open.push(name);
      else if (each.isFile() && family.has(languageOf(name) ?? '')) paths.push(name);
    }
  }
  return { paths, complete: true };
}

/** Undefined for what is large, or cannot be read. */
export async function readSmall(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).size > LARGEST_FILE ? undefined : await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
