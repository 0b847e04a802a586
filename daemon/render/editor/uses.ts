/** Which payload a template is rendered from: so that an editor can say what its variables are. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { outcomeText } from '../jinja/direct.ts';
import { loadPayload, type Package, type Project } from '../payload.ts';
import { contextOf, listContext, type PlannedFile, planProject, setOf, sharedOf } from '../plan.ts';
import { FileRecord } from '../records.ts';
import { FILE_LIST, findTemplateSet, type SearchOptions, TemplateSearch } from '../sets/search.ts';
import { hasFileList } from '../sets/sets.ts';

export interface TemplatePlace {
  readonly workspace: string;
  readonly searchPath: readonly string[];
}

/** A template with one set of its variables. */
export interface Use {
  readonly payload: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly shared: string;
  readonly context: string;
}

const MAX_DEPTH = 3;
const MAX_PAYLOADS = 50;
const MAX_BYTES = 1024 * 1024;
const SKIPPED = new Set(['node_modules', '.git', '__pycache__', '.peagen', 'dist', 'out']);

export function isPayload(path: string, text: string): boolean {
  return /\.(?:ya?ml|json)$/.test(path) && /^\s*["']?PROJECTS["']?\s*:/m.test(text);
}

/** The template set that a file lies in, and its name there. */
export async function setAround(path: string): Promise<{ folder: string; name: string } | undefined> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (await hasFileList(folder)) return { folder, name: relative(folder, path).split(sep).join('/') };
  }
  return undefined;
}

/** The first use of a template that is found: by a payload of the workspace, else by the one next to it. */
export async function useOf(path: string, place: TemplatePlace): Promise<Use | undefined> {
  const set = await setAround(path);
  if (set === undefined) return undefined;
  const payloads = [...(await payloadsIn(place.workspace)), join(set.folder, 'payload.yaml')];
  for (const payload of payloads) {
    const found = await useBy(payload, set, place).catch(() => undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function useBy(payload: string, set: { folder: string; name: string }, place: TemplatePlace): Promise<Use | undefined> {
  const options = { ...place, home: dirname(payload) };
  const { projects } = await loadPayload(payload);
  for (const project of projects) {
    for (const each of project.PACKAGES) {
      if (!(await isFolderOf(setOf(project, each), set.folder, options))) continue;
      const use = await useIn(project, each, set, options);
      if (use !== undefined) return { ...use, payload };
    }
  }
  return undefined;
}

async function useIn(
  project: Project,
  each: Package,
  set: { folder: string; name: string },
  options: SearchOptions,
): Promise<Omit<Use, 'payload'> | undefined> {
  if (set.name === FILE_LIST) {
    const { sources } = await new TemplateSearch(set.folder, options).closure(FILE_LIST);
    return { sources, shared: '{}', context: listContext(project, each) };
  }
  // One module has the templates of all: a plan of hundreds takes longer than a user who types waits.
  const [first] = each.MODULES ?? [];
  const cut = { ...project, PACKAGES: [{ ...each, ...(first === undefined ? {} : { MODULES: [first] }) }] };
  const file = (await fileOf(cut, set, options).catch(() => undefined)) ?? (await fileOf(project, set, options));
  if (file === undefined) return undefined;
  const { FILE }: { FILE: unknown } = JSON.parse(file.context());
  return { sources: file.closure.sources, shared: sharedOf(project), context: contextOf(project, FileRecord.parse(FILE)) };
}

async function fileOf(project: Project, set: { name: string }, options: SearchOptions): Promise<PlannedFile | undefined> {
  const { files } = await planProject(project, { ...options, engine: 'minijinja' }, (items) =>
    Promise.all(items.map(outcomeText)),
  );
  return files.find(({ entry }) => entry === set.name) ?? files.find(({ closure }) => closure.names.includes(set.name));
}

async function isFolderOf(name: string, folder: string, options: SearchOptions): Promise<boolean> {
  // A set that is being written next to one of the same name is meant all the same.
  if (basename(folder) === name) return true;
  return (await findTemplateSet(name, options).catch(() => undefined)) === folder;
}

/** Payload files of a workspace, the nearest to its top first. */
export async function payloadsIn(workspace: string): Promise<string[]> {
  const found: string[] = [];
  const walk = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MAX_PAYLOADS) return;
      const path = join(folder, entry.name);
      if (!entry.isFile() || !/\.(?:ya?ml|json)$/.test(entry.name) || (await stat(path)).size > MAX_BYTES) continue;
      if (isPayload(path, await readFile(path, 'utf8'))) found.push(path);
    }
    if (depth === MAX_DEPTH) return;
    for (const entry of entries) {
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) await walk(join(folder, entry.name), depth + 1);
    }
  };
  await walk(workspace, 0);
  return found;
}
