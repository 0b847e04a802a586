/** Whether a detected test command can say anything of a file: by its language, and by what its tests import. Runs nothing. */
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { languageOf } from '../../evolution/syntax/languages.ts';
import type { DetectedJudge } from './detect.ts';

/** A runner tests files of these languages; `make` may test any. */
const languages: Readonly<Record<DetectedJudge['name'], readonly string[] | undefined>> = {
  pytest: ['python'],
  unittest: ['python'],
  npm: ['javascript', 'typescript'],
  vitest: ['javascript', 'typescript'],
  mocha: ['javascript', 'typescript'],
  cargo: ['rust'],
  go: ['go'],
  make: undefined,
};

/** Test files that are read, and folders below the root that are searched for them. */
const MOST_FILES = 200;
const MOST_DEPTH = 3;
const skipped = new Set(['node_modules', '.git', '.peagen', '__pycache__', 'dist', 'build', '.venv', 'venv', 'target']);
const testFile = /(^|[._-])(tests?|spec)([._-]|\.)/i;
const testFolder = /^(tests?|spec|__tests__)$/i;

/** In Python, JavaScript and TypeScript some test must import the file; other languages name their modules in other ways. */
export async function reaches(root: string, name: DetectedJudge['name'], path: string): Promise<boolean> {
  const language = languageOf(path) ?? '';
  const tested = languages[name];
  if (tested !== undefined && !tested.includes(language)) return false;
  const script = /^(java|type)script$/.test(language);
  if (language !== 'python' && !script) return true;
  const module = basename(path).replace(/\.[^.]+$/, '');
  const imports = script ? scriptImport(module) : pythonImport(module);
  const written = script ? /\.[cm]?[jt]sx?$/ : /\.py$/;
  for (const file of await testFiles(root, written)) {
    if (imports.test(await readFile(join(root, file), 'utf8').catch(() => ''))) return true;
  }
  return false;
}

/** `import a.sort`, `from .sort import x`, `from a import sort`. */
function pythonImport(module: string): RegExp {
  const name = escaped(module);
  return new RegExp(
    `^\\s*(?:from\\s+[\\w.]*\\b${name}\\s+import|from\\s+[\\w.]+\\s+import\\b[^\\n]*\\b${name}\\b|import\\b[^\\n]*\\b${name}\\b)`,
    'm',
  );
}

/** `from './sort.js'`, `require('../sort')`, `import('./sort.ts')`. */
function scriptImport(module: string): RegExp {
  return new RegExp(`['"\`][^'"\`\\n]*(?:^|[/'"\`])${escaped(module)}(?:\\.[cm]?[jt]sx?)?['"\`]`, 'm');
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

async function testFiles(root: string, written: RegExp): Promise<string[]> {
  const found: string[] = [];
  const open: { folder: string; depth: number; isTest: boolean }[] = [{ folder: '', depth: 0, isTest: false }];
  for (let next = open.shift(); next !== undefined && found.length < MOST_FILES; next = open.shift()) {
    const { folder, depth, isTest } = next;
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < MOST_DEPTH && !skipped.has(entry.name)) {
          open.push({ folder: path, depth: depth + 1, isTest: isTest || testFolder.test(entry.name) });
        }
      } else if (written.test(entry.name) && (isTest || testFile.test(entry.name))) found.push(path);
    }
  }
  return found.slice(0, MOST_FILES);
}
