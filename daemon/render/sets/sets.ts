/** The template sets there are: in the workspace, in the search path, and those that come with Peagen. */
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import * as z from 'zod';
import { nearest, PeagenError } from '../../../shared/errors.ts';
import { templateSetsDir } from '../../assets.ts';
import { differencesIn, type EngineDifference } from '../jinja/differences.ts';
import { MAX_TEMPLATE } from '../limits.ts';
import { ADDED_SETS, FILE_LIST, type SearchOptions, setFolders } from './search.ts';

export interface TemplateSet {
  readonly name: string;
  readonly folder: string;
  readonly from: 'workspace' | 'added' | 'search path' | 'shipped';
  /** The first paragraph of its README. */
  readonly description: string;
  /** What an added one was copied from. */
  readonly origin?: SetOrigin | undefined;
}

/** What an added set was copied from; kept next to it. */
export const SetOrigin = z.object({ source: z.string() });
export type SetOrigin = z.infer<typeof SetOrigin>;

/** By name. Of sets with one name the first is the one that a payload gets. */
export async function listTemplateSets(options: SearchOptions): Promise<TemplateSet[]> {
  const found = new Map<string, TemplateSet>();
  for (const folder of setFolders(options)) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (!entry.isDirectory() || entry.name.startsWith('.') || found.has(entry.name) || !(await hasFileList(path))) continue;
      found.set(entry.name, await describe(path, options));
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface SetContents extends TemplateSet {
  /** Relative to its folder, with forward slashes. */
  readonly files: readonly string[];
  /** What the embedded engine does otherwise in these files. */
  readonly differences: readonly { readonly file: string; readonly difference: Pick<EngineDifference, 'name' | 'advice'> }[];
}

export async function showTemplateSet(name: string, options: SearchOptions): Promise<SetContents> {
  const set = await requireSet(name, options);
  const files = await filesOf(set.folder);
  const differences: { file: string; difference: Pick<EngineDifference, 'name' | 'advice'> }[] = [];
  for (const file of files) {
    if (!file.endsWith('.j2')) continue;
    const path = join(set.folder, file);
    if ((await lstat(path)).size > MAX_TEMPLATE) continue;
    for (const { name: what, advice } of differencesIn(await readFile(path, 'utf8')))
      differences.push({ file, difference: { name: what, advice } });
  }
  return { ...set, files, differences };
}

/** Deletes a set that was added. Throws `not_found`, or `conflict` for one that is not ours to delete. */
export async function removeTemplateSet(name: string, options: SearchOptions, dryRun: boolean): Promise<TemplateSet> {
  const set = await requireSet(name, options);
  if (set.from !== 'added') {
    throw new PeagenError(
      'conflict',
      `The template set "${name}" was not added: it is ${set.from === 'shipped' ? 'shipped with Peagen' : `your own folder ${set.folder}`}.`,
      {
        hint: set.from === 'shipped' ? 'A set of yours with this name goes before it.' : 'Delete the folder yourself.',
      },
    );
  }
  if (!dryRun) {
    await rm(set.folder, { recursive: true, force: true });
    await rm(originPath(set.folder), { force: true });
  }
  return set;
}

async function requireSet(name: string, options: SearchOptions): Promise<TemplateSet> {
  const sets = await listTemplateSets(options);
  const set = sets.find((each) => each.name === name);
  if (set !== undefined) return set;
  const near = nearest(
    name,
    sets.map((each) => each.name),
  );
  throw new PeagenError('not_found', `There is no template set "${name}".`, {
    hint: near === undefined ? 'See "peagen template-set list".' : `Did you mean "${near}"?`,
  });
}

export function originPath(folder: string): string {
  return `${folder}.origin.json`;
}

/** Regular files of a folder, sorted; links and the folders of tools are left out. */
export async function filesOf(folder: string): Promise<string[]> {
  const files: string[] = [];
  const walk = async (at: string): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) await walk(path);
      else if (entry.isFile()) files.push(relative(folder, path).split(sep).join('/'));
    }
  };
  await walk(folder);
  return files.sort();
}

export const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.git', '__pycache__', '.peagen']);

export async function hasFileList(folder: string): Promise<boolean> {
  return lstat(join(folder, FILE_LIST)).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function describe(folder: string, { searchPath, workspace }: SearchOptions): Promise<TemplateSet> {
  const parent = dirname(folder);
  const within = (base: string) => parent === base || parent.startsWith(base + sep);
  const added = parent === resolve(workspace, ADDED_SETS);
  const from = within(templateSetsDir) ? 'shipped' : added ? 'added' : searchPath.some(within) ? 'search path' : 'workspace';
  const origin = added ? await readOrigin(folder) : undefined;
  return { name: basename(folder), folder, from, description: await descriptionOf(folder), ...(origin && { origin }) };
}

async function readOrigin(folder: string): Promise<SetOrigin | undefined> {
  const text = await readFile(originPath(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return SetOrigin.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function descriptionOf(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  const [paragraph = ''] = text.replace(/^#.*\n+/, '').split(/\n\s*\n/);
  return paragraph.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
