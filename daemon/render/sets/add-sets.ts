/**
 * Copies template sets of a folder into the workspace, such as a clone or an installed package. Their authors are not trusted:
 * links, devices and large files are refused. Nothing is kept unless all of it is in order.
 */
import { copyFile, lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { MAX_TEMPLATE } from '../limits.ts';
import { ADDED_SETS } from './search.ts';
import { hasFileList, LEFT_OUT, originPath, type SetOrigin } from './sets.ts';

const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Folders between the top of a source and its sets. */
const MAX_DEPTH = 5;

export interface AddedSet {
  readonly name: string;
  readonly folder: string;
  readonly files: number;
  readonly origin: SetOrigin;
}

export interface AddOptions {
  readonly workspace: string;
  /** Another name for the set; the source has one set only then. */
  readonly name?: string | undefined;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

/** Copies every set of the folder `source` into the workspace. */
export async function addTemplateSets(source: string, options: AddOptions): Promise<AddedSet[]> {
  const parent = resolve(options.workspace, ADDED_SETS);
  const temporary = await makeTemporary(resolve(options.workspace, '.peagen'));
  try {
    const folder = resolve(options.workspace, source);
    if (!(await isFolder(folder))) throw new PeagenError('not_found', `There is no folder ${folder}.`);
    const origin: SetOrigin = { source: folder };
    const sets = await setsIn(await realpath(folder), basename(folder));
    if (sets.length === 0) {
      throw new PeagenError('invalid_input', `${source} holds no template set (a folder with ptree.yaml.j2).`);
    }
    if (options.name !== undefined && sets.length > 1) {
      throw new PeagenError('invalid_input', `${source} holds ${sets.length} template sets: one name does not suit them all.`);
    }
    const copies: { name: string; from: string; files: number }[] = [];
    for (const { path, name } of sets) {
      const chosen = requireName(options.name ?? name);
      const from = join(temporary, 'copies', chosen);
      copies.push({ name: chosen, from, files: await copySet(path, from) });
      if (!options.replace && (await exists(join(parent, chosen)))) {
        throw new PeagenError('conflict', `The template set "${chosen}" has been added already.`, {
          hint: 'Replace it with --force, or choose another --name.',
        });
      }
    }
    const added = copies.map(({ name, files }) => ({ name, folder: join(parent, name), files, origin }));
    if (options.dryRun) return added;
    await mkdir(parent, { recursive: true });
    for (const { name, from } of copies) {
      const target = join(parent, name);
      if (await exists(target)) await rename(target, join(temporary, `old-${name}`));
      await rename(from, target);
      await writeFile(originPath(target), `${JSON.stringify(origin, null, 2)}\n`);
    }
    return added;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function makeTemporary(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return mkdtemp(join(folder, 'adding-'));
}

/** The source itself, or every folder in it that is a set. */
async function setsIn(folder: string, title: string): Promise<{ path: string; name: string }[]> {
  if (await hasFileList(folder)) return [{ path: folder, name: title }];
  const found: { path: string; name: string }[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (!entry.isDirectory() || LEFT_OUT.has(entry.name)) continue;
      if (await hasFileList(path)) found.push({ path, name: entry.name });
      else if (depth < MAX_DEPTH) await walk(path, depth + 1);
    }
  };
  await walk(folder, 1);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function requireName(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(name)) return name;
  throw new PeagenError('invalid_input', `${JSON.stringify(name.slice(0, 100))} is not a name for a template set.`, {
    hint: 'Give one with --name: letters, digits, dots, dashes.',
  });
}

/** Returns how many files there are. Throws `invalid_input` for anything but files and folders. */
async function copySet(from: string, to: string): Promise<number> {
  let files = 0;
  let bytes = 0;
  const walk = async (source: string, target: string): Promise<void> => {
    await mkdir(target, { recursive: true });
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const path = join(source, entry.name);
      if (entry.isDirectory()) {
        await walk(path, join(target, entry.name));
        continue;
      }
      if (!entry.isFile()) {
        throw new PeagenError('invalid_input', `${path} is a link or no file, which a template set may not hold.`);
      }
      const { size } = await lstat(path);
      files += 1;
      bytes += size;
      if (size > MAX_TEMPLATE || files > MAX_FILES || bytes > MAX_BYTES) {
        throw new PeagenError(
          'too_large',
          `The template set ${from} is too large: ${files} files with ${bytes} bytes, the last one ${path}.`,
          {
            hint: `A file may have ${MAX_TEMPLATE} bytes, a set ${MAX_FILES} files and ${MAX_BYTES} bytes.`,
          },
        );
      }
      await copyFile(path, join(target, entry.name));
    }
  };
  await mkdir(dirname(to), { recursive: true });
  await walk(from, to);
  return files;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
