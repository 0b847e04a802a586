/** What a model learns about a run in addition to its programs: the installed packages, and the evaluator's description. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Asking } from '../../../shared/asking.ts';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import { findInterpreter } from '../../executors/interpreters.ts';

/** Characters of the evaluator's description. */
const ABOUT = 4000;
/** A docstring of fewer characters is a title, which says little; the README of the folder says what the task is. */
const TITLE = 160;
/** Characters of such a README: its head is about the task, and the rest about how to run it. */
const README = 1500;
/** Packages that are listed: those that the program imports first, then those that make programs faster or better. */
const LISTED = 60;

/** `told`: the folder has a system message, which says what the task is. */
export async function briefing(
  program: Program,
  evaluator: EvaluatorSpec,
  told = false,
): Promise<Pick<Asking, 'about' | 'packages'>> {
  const [about, packages] = await Promise.all([
    aboutOf(evaluator, told),
    program.language === 'python' ? installed(program) : [],
  ]);
  return { ...(about === '' ? {} : { about }), ...(packages.length === 0 ? {} : { packages }) };
}

/** Empty where there is no interpreter here: workers have their own. */
async function installed(program: Program): Promise<string[]> {
  try {
    const { libraries } = await findInterpreter('python');
    const entries = await Promise.all(libraries.map((folder) => readdir(folder).catch(() => [])));
    const all = packagesIn(entries.flat());
    const text = program.files.map((file) => file.text).join('\n');
    return sortedByUse(
      all.filter((one) => !/^(pip|setuptools|wheel) /.test(one)),
      text,
    ).slice(0, LISTED);
  } catch {
    return [];
  }
}

/** "name version" of each, from the names of the folders in which pip and others describe what they installed. */
export function packagesIn(entries: readonly string[]): string[] {
  const found = entries.flatMap((entry) => {
    const [, name, version] = /^([^-]+)-([^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info$/.exec(entry) ?? [];
    return name === undefined ? [] : [`${name.replaceAll('_', '-')} ${version}`];
  });
  return [...new Set(found)].sort();
}

/** Packages that compute, or hold data, whatever the program is about; the most usual first. */
const computing = [
  ...['numpy', 'scipy', 'numba', 'sortedcontainers', 'pandas', 'polars', 'networkx', 'scikit-learn', 'sympy', 'ortools'],
  ...['pulp', 'cvxpy', 'jax', 'torch', 'cython', 'bitarray', 'gmpy2', 'numexpr', 'regex', 'orjson', 'cytoolz', 'more-itertools'],
];

/** Those whose name the text imports come first, then those that compute; the order is kept otherwise. */
export function sortedByUse(packages: readonly string[], text: string): string[] {
  const imported = new Set([...text.matchAll(/^\s*(?:import|from)\s+(\w+)/gm)].map(([, name = '']) => name.toLowerCase()));
  const rank = (one: string): number => {
    const name = (one.split(' ')[0] ?? '').toLowerCase();
    const at = computing.indexOf(name);
    return imported.has(name.replaceAll('-', '_')) ? -1 : at === -1 ? computing.length : at;
  };
  return packages.toSorted((a, b) => rank(a) - rank(b));
}

const Described = z.object({ root: z.string(), file: z.string().optional(), command: z.string().default('') });

/** The docstring of the folder's evaluator, or of the first script that a command runs; with a short one the head of the README next to it. */
async function aboutOf({ name, options }: EvaluatorSpec, told: boolean): Promise<string> {
  const described = Described.safeParse(options);
  if (!described.success) return '';
  const { root, file, command } = described.data;
  const isFolder = name === 'openevolve' || name === 'shinka';
  const own = file ?? (name === 'shinka' ? 'evaluate.py' : 'evaluator.py');
  const script = isFolder
    ? own
    : name === 'command'
      ? /(?:^|\s)((?:\w[\w-]*\/)*\w[\w-]*\.py)(?=\s|$)/.exec(command)?.[1]
      : undefined;
  if (script === undefined) return '';
  const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => '');
  const said = docstringOf(await read(script));
  if (said.length >= TITLE || !isFolder || told) return said.slice(0, ABOUT);
  // What stands in fences is how to run it, and cannot be cut in its middle.
  const [readme = ''] = (await read('README.md')).trim().split('```');
  const head = readme.length <= README ? readme : readme.slice(0, readme.lastIndexOf('\n', README));
  return [said, head.trim()].filter(Boolean).join('\n\n');
}

export function docstringOf(text: string): string {
  const found = /^(?:\s*#[^\n]*\n|\s*\n)*\s*[rR]?("""|''')([\s\S]*?)\1/.exec(text);
  return found?.[2]?.trim() ?? '';
}
