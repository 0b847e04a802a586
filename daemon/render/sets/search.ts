/**
 * Finds templates: the user's folders first, then the set's folder, the workspace and the current folder. Reads nothing
 * outside them.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { templateSetsDir } from '../../assets.ts';
import { plainName, referencesOf } from '../jinja/rewrite.ts';
import { MAX_TEMPLATE } from '../limits.ts';

/** Makes a folder a template set: the template of its list of files. */
export const FILE_LIST = 'ptree.yaml.j2';

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

/** The folders that hold template sets, the first one wins; the last one holds those that come with Peagen. */
export function setFolders({ searchPath, workspace, home }: SearchOptions): string[] {
  const bases = [...searchPath, home, workspace, process.cwd()];
  const folders = bases.flatMap((base) => ['.', 'templates', 'template_sets'].map((folder) => resolve(base, folder)));
  return [...new Set([...folders, templateSetsDir])];
}

/** The folder of a template set: a path, or a name in one of the folders of sets. */
export async function findTemplateSet(name: string, options: SearchOptions): Promise<string> {
  for (const folder of setFolders(options)) {
    const path = resolve(folder, name);
    if (await isFile(join(path, FILE_LIST))) return path;
  }
  const { home } = options;
  throw new PeagenError('not_found', `There is no template set "${name}" (a folder with ptree.yaml.j2).`, {
    hint: `Put it in ${join(home, 'templates', name)}, or name its folder's parent in templates.search_path.`,
  });
}

export interface Closure {
  readonly sources: Readonly<Record<string, string>>;
  /** What is named, found or not. */
  readonly names: readonly string[];
  /** A name is computed: any may be meant. */
  readonly computed: boolean;
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

  /** The template and all that it may include. A name that is not found is left out: the engine reports it where it matters. */
  async closure(name: string): Promise<Closure> {
    const sources: Record<string, string> = {};
    const names = new Set<string>();
    let computed = false;
    const open = [name];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      names.add(next);
      if (Object.hasOwn(sources, next)) continue;
      const text = await this.source(next);
      if (text === undefined) continue;
      sources[next] = text;
      const references = referencesOf(text);
      open.push(...references.names.map(plainName));
      computed ||= references.computed;
    }
    if (computed) for (const [other, source] of await this.wholeSet()) sources[other] ??= source;
    return { sources, names: [...names], computed };
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

/** A template set may come from anywhere: no name and no link in it reaches the user's other files. */
async function requireInside(folder: string, path: string, name: string): Promise<void> {
  const real = await realpath(path);
  const home = await realpath(folder);
  if (real.startsWith(home.endsWith(sep) ? home : home + sep)) return;
  throw new PeagenError('invalid_input', `The template "${name}" lies outside of ${folder}.`, {
    hint: 'Keep templates inside their set, or name their folder in templates.search_path.',
  });
}
