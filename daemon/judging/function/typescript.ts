/**
 * TypeScript candidates as JavaScript: types are removed once, inside a sandbox and before any line of the candidate
 * has run there; every other runner gets the result. Line numbers stay as they are.
 */
import * as z from 'zod';
import type { Entry, Program, ProgramFile } from '../../../shared/program.ts';
import type { Runner } from '../../executors/runner.ts';

const suffixes: Readonly<Record<string, string>> = { '.ts': '.js', '.mts': '.mjs', '.cts': '.cjs' };
const isTypeScript = /\.[mc]?ts$/;

const Answer = z.object({ texts: z.array(z.string()).optional(), error: z.string().optional() });

/** The files as JavaScript, or why they are no TypeScript. */
export async function stripTypes(
  runner: Runner,
  program: Program,
  withinMs: number,
): Promise<{ files: ProgramFile[] } | { error: string }> {
  const typed = program.files.filter((file) => isTypeScript.test(file.path));
  const reply = await runner.ask({ op: 'strip', texts: typed.map((file) => file.text) }, withinMs);
  const answer = Answer.safeParse(reply.kind === 'answer' ? reply.value : {});
  const texts = answer.data?.texts;
  if (texts?.length !== typed.length) return { error: answer.data?.error ?? 'The types could not be removed.' };
  const stripped = new Map(typed.map((file, index) => [file.path, texts[index] ?? '']));
  const paths = new Set(program.files.map((file) => file.path));
  return {
    files: program.files.map((file) => {
      const text = stripped.get(file.path);
      return text === undefined ? file : { path: javascriptPath(file.path), text: redirect(text, file.path, paths) };
    }),
  };
}

/** `lib/a.ts` → `lib/a.ts.js`: runners show it as `lib/a.ts` in what a user reads. */
function javascriptPath(path: string): string {
  return path.replace(isTypeScript, (suffix) => suffix + (suffixes[suffix] ?? ''));
}

export function javascriptEntry(entry: Entry): Entry {
  return { ...entry, path: javascriptPath(entry.path) };
}

/** Imports of the program's own files, by any of the names TypeScript allows, lead to where those now are. */
function redirect(text: string, from: string, paths: ReadonlySet<string>): string {
  return text.replace(
    /(\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"]+)\2/g,
    (whole, before: string, quote: string, specifier: string) => {
      const target = resolve(from, specifier, paths);
      if (target === undefined) return whole;
      const folder = specifier.slice(0, specifier.lastIndexOf('/') + 1);
      return `${before}${quote}${folder}${javascriptPath(target).split('/').at(-1)}${quote}`;
    },
  );
}

function resolve(from: string, specifier: string, paths: ReadonlySet<string>): string | undefined {
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const path = parts.join('/');
  const names = [path, `${path}.ts`, path.replace(/js$/, 'ts')];
  return names.find((name) => isTypeScript.test(name) && paths.has(name));
}
