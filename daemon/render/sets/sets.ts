/** The template sets there are: in the workspace, in the search path, and those that come with Peagen. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { nearest, PeagenError } from '../../../shared/errors.ts';
import { templateSetsDir } from '../../assets.ts';
import { differencesIn, type EngineDifference } from '../jinja/differences.ts';
import { MAX_TEMPLATE } from '../limits.ts';
import { FILE_LIST, type SearchOptions, setFolders } from './search.ts';

export interface TemplateSet {
  readonly name: string;
  readonly folder: string;
  readonly from: 'workspace' | 'search path' | 'shipped';
  /** The first paragraph of its README. */
  readonly description: string;
}

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

const LEFT_OUT: ReadonlySet<string> = new Set(['node_modules', '.git', '__pycache__', '.peagen']);

async function hasFileList(folder: string): Promise<boolean> {
  return lstat(join(folder, FILE_LIST)).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function describe(folder: string, { searchPath }: SearchOptions): Promise<TemplateSet> {
  const parent = dirname(folder);
  const within = (base: string) => parent === base || parent.startsWith(base + sep);
  const from = within(templateSetsDir) ? 'shipped' : searchPath.some(within) ? 'search path' : 'workspace';
  return { name: basename(folder), folder, from, description: await descriptionOf(folder) };
}

async function descriptionOf(folder: string): Promise<string> {
  const text = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  const [paragraph = ''] = text.replace(/^#.*\n+/, '').split(/\n\s*\n/);
  return paragraph.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
}
