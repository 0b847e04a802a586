/** Finds calls of a function with literal arguments in the files of its folder: tests, callers, doctests. Runs nothing. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Call } from '../../../shared/judging.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import { languageOf } from '../../evolution/syntax/languages.ts';
import { doctestLines, literalCalls } from './examples.ts';
import { keyOf, readCall } from './values/data.ts';

/** Enough for the tests of one project; a monorepo is not searched to its end. */
const MOST_FILES = 2000;
const MOST_READ = 300;
const MOST_BYTES = 4 * 1024 * 1024;
const LARGEST_FILE = 200 * 1024;
const MOST_MS = 1000;
const MOST_CALLS = 200;

const skipped = /^(?:\..*|node_modules|dist|build|out|target|vendor|venv|env|site-packages|__pycache__|coverage)$/;
const families: readonly ReadonlySet<string>[] = [
  new Set(['python']),
  new Set(['javascript', 'javascriptreact', 'typescript', 'typescriptreact']),
];

/**
 * Calls of the entry in the files under `root`, each once; `path` is the target's file, whose text is the program's. A
 * method's calls are not looked for: other classes have methods of the same name.
 */
export async function findExamples(root: string, path: string, program: Program, entry: Entry): Promise<Call[]> {
  if (entry.fn.includes('.')) return [];
  const family = families.find((each) => each.has(program.language));
  if (family === undefined) return [];
  const deadline = performance.now() + MOST_MS;
  const found = new Map<string, Call>();
  const read = async (language: string, text: string): Promise<void> => {
    if (!text.includes(`${entry.fn}(`)) return;
    const texts = language === 'python' ? [text, doctestLines(text)] : [text];
    for (const one of texts) {
      for (const call of await literalCalls(language, one, entry.fn)) {
        if (found.size < MOST_CALLS) found.set(keyOf(readCall(call)), call);
      }
    }
  };
  for (const file of program.files) await read(languageOf(file.path) ?? program.language, file.text);
  const own = new Set([path, ...program.files.map((file) => file.path)]);
  let bytes = 0;
  let files = 0;
  for (const name of await filesUnder(root, family)) {
    if (files >= MOST_READ || bytes >= MOST_BYTES || found.size >= MOST_CALLS || performance.now() > deadline) break;
    if (own.has(name)) continue;
    const text = await readSmall(join(root, name));
    if (text === undefined) continue;
    files += 1;
    bytes += text.length;
    await read(languageOf(name) ?? program.language, text);
  }
  return [...found.values()];
}

/** Relative paths, those of tests first. */
async function filesUnder(root: string, family: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const open = [''];
  for (let folder = open.shift(); folder !== undefined && found.length < MOST_FILES; folder = open.shift()) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const each of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? each.name : `${folder}/${each.name}`;
      if (each.isDirectory() && !skipped.test(each.name)) open.push(name);
      else if (each.isFile() && family.has(languageOf(name) ?? '')) found.push(name);
    }
  }
  const isTest = (name: string): boolean => /test|spec/i.test(name);
  return found.toSorted((a, b) => Number(isTest(b)) - Number(isTest(a)));
}

/** Undefined for what is large, or cannot be read. */
async function readSmall(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).size > LARGEST_FILE ? undefined : await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}
