/** The files of its folder that a program imports, directly or through each other: what must go with it into a sandbox. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { dirname, normalize } from 'node:path/posix';
import { PeagenError } from '../../shared/errors.ts';
import type { ProgramFile } from '../../shared/program.ts';

const MOST_FILES = 100;
const MOST_CHARACTERS = 1 << 20;

/** Without those of `files` themselves; empty for a language whose imports are not known. Throws `too_large`. */
export async function importedFiles(root: string, language: string, files: readonly ProgramFile[]): Promise<ProgramFile[]> {
  const named = language === 'python' ? pythonImports : /^(java|type)script$/.test(language) ? scriptImports : undefined;
  if (named === undefined) return [];
  const base = await realpath(root);
  const known = new Set(files.map(({ path }) => path));
  const found: ProgramFile[] = [];
  const open = [...files];
  let characters = 0;
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const path of named(file)) {
      if (known.has(path)) continue;
      known.add(path);
      const text = await readInside(base, path);
      if (text === undefined) continue;
      characters += text.length;
      if (found.length >= MOST_FILES || characters > MOST_CHARACTERS) throw tooMuch(files[0]?.path ?? root);
      found.push({ path, text });
      open.push({ path, text });
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Undefined for what is not a file, or lies outside when links are followed. */
async function readInside(base: string, path: string): Promise<string | undefined> {
  try {
    const real = await realpath(join(base, path));
    if (!real.startsWith(base + sep) || !(await stat(real)).isFile()) return undefined;
    return await readFile(real, 'utf8');
  } catch {
    return undefined;
  }
}

const statement = /^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]*))/gm;

/** Every place where a module of that name could lie: next to the file, or under the root. */
function pythonImports({ path, text }: ProgramFile): string[] {
  const here = folderOf(path);
  const places: string[] = [];
  const add = (folder: string, name: string): void => {
    const parts = name.split('.').filter((part) => part !== '');
    for (let length = 1; length <= parts.length; length++) {
      const module = inFolder(folder, parts.slice(0, length).join('/'));
      places.push(`${module}/__init__.py`, `${module}.py`);
    }
  };
  for (const [, dots = '', from = '', names = '', plain] of text.matchAll(statement)) {
    if (plain !== undefined) {
      for (const name of nameList(plain)) for (const folder of [here, '']) add(folder, name);
      continue;
    }
    let folders = [here, ''];
    if (dots !== '') {
      const package_ = Array.from({ length: dots.length - 1 }).reduce<string>((folder) => folderOf(folder), here);
      places.push(inFolder(package_, '__init__.py'));
      folders = [package_];
    }
    for (const folder of folders) {
      add(folder, from);
      for (const name of nameList(names)) add(folder, `${from}.${name}`);
    }
  }
  return [...new Set(places)];
}

/** `a as b, c` → a and c. */
const nameList = (text: string): string[] =>
  [...text.replace(/[()\\]/g, '').matchAll(/(?:^|,)\s*([\w.]+)/g)].map(([, name = '']) => name);

const specifier = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}\/[^'"\n]+)\1/g;
const suffixes = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json', '/index.js', '/index.ts'];

function scriptImports({ path, text }: ProgramFile): string[] {
  const places = [...text.matchAll(specifier)].flatMap(([, , name = '']) => {
    const place = normalize(inFolder(folderOf(path), name));
    return [...suffixes.map((suffix) => place + suffix), place.replace(/js$/, 'ts')];
  });
  return [...new Set(places)].filter((place) => !place.startsWith('..'));
}

const folderOf = (path: string): string => (dirname(path) === '.' ? '' : dirname(path));
const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

function tooMuch(path: string): PeagenError {
  return new PeagenError(
    'too_large',
    `${path} imports more than ${MOST_FILES} files or ${MOST_CHARACTERS} characters of its folder.`,
    {
      hint: 'Judge it by a command, which runs in a copy of the whole folder.',
    },
  );
}
