/** Finds templates: the user's folders first, then the set's folder, the workspace and the current folder. Reads nothing outside them. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { MAX_TEMPLATE } from './limits.ts';
import { referencesOf } from './rewrite.ts';

/** Templates of a set that computes the names of others: all of its files may be meant. */
const MAX_SET_FILES = 2000;
const SKIPPED = new Set(['node_modules', '.git', '__pycache__', '.peagen']);

export interface SearchOptions {
  /** `templates.search_path`, absolute. */
  readonly searchPath: readonly string[];
  /** Absolute folder. */
  readonly workspace: string;
  /** The folder of the payload file. */
  readonly home: string;
}

/** The folder of a template set: a path, or a name in one of the folders or their `templates` and `template_sets`. */
export async function findTemplateSet(name: string, { searchPath, workspace, home }: SearchOptions): Promise<string> {
  const bases = [...searchPath, home, workspace, process.cwd()];
  const tried: string[] = [];
  for (const base of bases) {
    for (const folder of ['.', 'templates', 'template_sets', join('.peagen', 'templates')]) {
      const path = resolve(base, folder, name);
      if (tried.includes(path)) continue;
      tried.push(path);
      if (await isFile(join(path, 'ptree.yaml.j2'))) return path;
    }
  }
  throw new PeagenError('not_found', `There is no template set "${name}" (a folder with ptree.yaml.j2).`, {
    hint: `Put it in ${join(home, 'templates', name)}, or name its folder's parent in templates.search_path.`,
  });
}

export class TemplateSearch {
  /** The set's folder. */
  readonly set: string;
  private readonly folders: readonly string[];
  private readonly read = new Map<string, Promise<string | undefined>>();
  private all: Promise<Map<string, string>> | undefined;

  constructor(set: string, { searchPath, workspace, home }: SearchOptions) {
    this.set = set;
    this.folders = [...new Set([...searchPath, set, home, workspace, process.cwd()])];
  }

  /** The text of a template, by a name relative to one of the folders. */
  source(name: string): Promise<string | undefined> {
    let text = this.read.get(name);
    if (text === undefined) {
      text = this.readFirst(name);
      this.read.set(name, text);
    }
    return text;
  }

  /** The template and all that it may include. A name that is nowhere is left out: the engine says so where it matters. */
  async closure(name: string): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (Object.hasOwn(found, next)) continue;
      const text = await this.source(next);
      if (text === undefined) continue;
      found[next] = text;
      const { names, computed } = referencesOf(text);
      open.push(...names);
      if (computed) for (const [other, source] of await this.wholeSet()) found[other] ??= source;
    }
    return found;
  }

  private async readFirst(name: string): Promise<string | undefined> {
    for (const folder of this.folders) {
      const path = resolve(folder, name);
      if (!(await isFile(path))) continue;
      await requireInside(folder, path, name);
      const { size } = await stat(path);
      if (size > MAX_TEMPLATE) {
        throw new PeagenError('too_large', `The template ${path} has ${size} bytes; ${MAX_TEMPLATE} are allowed.`);
      }
      return readText(path);
    }
    return undefined;
  }

  private wholeSet(): Promise<Map<string, string>> {
    this.all ??= (async () => {
      const texts = new Map<string, string>();
      const walk = async (folder: string): Promise<void> => {
        for (const entry of await readdir(folder, { withFileTypes: true })) {
          const path = join(folder, entry.name);
          if (entry.isDirectory() && !SKIPPED.has(entry.name)) await walk(path);
          if (!entry.isFile() || (await stat(path)).size > MAX_TEMPLATE) continue;
          if (texts.size >= MAX_SET_FILES) {
            throw new PeagenError('too_large', `The template set ${this.set} has more than ${MAX_SET_FILES} files.`, {
              hint: 'Include templates by their names as texts, not computed ones.',
            });
          }
          texts.set(relative(this.set, path).split(sep).join('/'), await readText(path));
        }
      };
      await walk(this.set);
      return texts;
    })();
    return this.all;
  }
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** A template set may come from anywhere: no name and no link in it reaches the person's other files. */
async function requireInside(folder: string, path: string, name: string): Promise<void> {
  const real = await realpath(path);
  const home = await realpath(folder);
  if (real.startsWith(home.endsWith(sep) ? home : home + sep)) return;
  throw new PeagenError('invalid_input', `The template "${name}" lies outside of ${folder}.`, {
    hint: 'Keep templates inside their set, or name their folder in templates.search_path.',
  });
}
