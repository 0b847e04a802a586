/** Finds calls of a function with literal arguments in the files of its folder: tests, callers, doctests. Runs nothing. */
import { join } from 'node:path';
import type { Call } from '../../../shared/judging.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import { readSmall, sourceFiles } from '../../evolution/source-files.ts';
import { languageOf } from '../../evolution/syntax/languages.ts';
import { doctestLines, literalCalls } from './examples.ts';
import { keyOf, readCall } from './values/data.ts';

/** Enough for the tests of one project. */
const MOST_READ = 300;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_MS = 1000;
const MOST_CALLS = 200;

/**
 * Calls of the entry in the files under `root`, each once; `path` is the target's file, whose text is the program's. A
 * method's calls are not looked for: other classes have methods of the same name.
 */
export async function findExamples(root: string, path: string, program: Program, entry: Entry): Promise<Call[]> {
  if (entry.fn.includes('.')) return [];
  const sources = await sourceFiles(root, program.language);
  if (sources === undefined) return [];
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
  for (const name of testsFirst(sources.paths)) {
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

function testsFirst(paths: readonly string[]): string[] {
  const isTest = (path: string): boolean => /test|spec/i.test(path);
  return paths.toSorted((a, b) => Number(isTest(b)) - Number(isTest(a)));
}
