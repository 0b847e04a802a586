/**
 * A folder as tasks carry it to hosts that do not have it: named by the hash of its list of files, each of which has the hash
 * of its content. What arrives is untrusted: limits, paths and every hash are checked before a file is used.
 */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { Sha256 } from '../../../shared/ids.ts';
import { RelativePath } from '../../../shared/program.ts';
import { makeLasting, removeLasting } from '../../executors/temporary.ts';
import { stampOf } from './base.ts';
import { followLink, requireFolder } from './roots.ts';

/** Where packed folders lie on the way: with the queue that the tasks go through. */
export interface PackedFolders {
  /** False when it is not there, or not all of it; otherwise it stays for another day. */
  keep(id: Sha256): Promise<boolean>;
  /** `parts`: the list of files comes last. */
  put(id: Sha256, parts: AsyncIterable<PackedPart>): Promise<void>;
  get(id: Sha256, names: readonly string[]): Promise<(Buffer | undefined)[]>;
}

export type PackedPart = readonly [name: string, bytes: Buffer];

/** The name of the list among the parts; the others have the hash of the file as their name. */
const LIST = 'list';
const MOST_FILES = 20_000;
const MOST_BYTES = 64 << 20;
const MOST_LIST_BYTES = 8 << 20;
/** Not carried: history, which may hold passwords, and environments, which work only where they were made. */
const leftBehind = new Set(['.peagen', '.git', '.venv', 'venv', '.tox', '.yarn', '.pnpm-store']);
/** The number of files that are requested at a time. */
const AT_A_TIME = 64;
/** How long an unpacked folder waits for its next use. */
const IDLE_MS = 600_000;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

const Entry = z.union([
  z.object({ path: RelativePath, sha256: Sha256, size: z.number().int().min(0).max(MOST_BYTES), run: z.boolean() }),
  z.object({ path: RelativePath, link: z.string().min(1).max(4096) }),
]);
type Entry = z.infer<typeof Entry>;
type FileEntry = Extract<Entry, { sha256: Sha256 }>;
const List = z.array(Entry).max(MOST_FILES);

const REFERENCE = 'sha256:';

/** The packed folder that the text refers to; undefined for a path. */
export function packedIn(root: string): Sha256 | undefined {
  return root.startsWith(REFERENCE) ? Sha256.safeParse(root.slice(REFERENCE.length)).data : undefined;
}

const packing = new Map<string, { stamp: string | undefined; made: Promise<PackedFolder> }>();

/** In place of the folder's path in a task. Sends the folder where it is not there yet. Throws `too_large`. */
export async function sendFolder(root: string, folders: PackedFolders, signal: AbortSignal): Promise<string> {
  const real = await requireFolder(root);
  const stamp = await stampOf(real, signal);
  let known = packing.get(real);
  if (known === undefined || stamp === undefined || known.stamp !== stamp) {
    known = { stamp, made: pack(real) };
    packing.set(real, known);
    known.made.catch(() => packing.delete(real));
  }
  const folder = await known.made;
  folder.sending ??= send(folder, folders).finally(() => {
    folder.sending = undefined;
  });
  await folder.sending;
  return REFERENCE + folder.id;
}

interface PackedFolder {
  readonly root: string;
  readonly id: Sha256;
  readonly list: Buffer;
  readonly files: readonly FileEntry[];
  sending: Promise<void> | undefined;
}

async function send(folder: PackedFolder, folders: PackedFolders): Promise<void> {
  if (!(await folders.keep(folder.id))) await folders.put(folder.id, partsOf(folder));
}

async function* partsOf({ root, list, files }: PackedFolder): AsyncGenerator<PackedPart> {
  const sent = new Set<Sha256>();
  for (const { path, sha256 } of files) {
    if (sent.has(sha256)) continue;
    sent.add(sha256);
    const bytes = await readFile(join(root, path));
    if (hashOf(bytes) !== sha256) {
      packing.delete(root);
      throw new PeagenError('unavailable', `${path} changed while it was sent to the hosts.`, { hint: 'Try again.' });
    }
    yield [sha256, await zip(bytes)];
  }
  yield [LIST, await zip(list)];
}

async function pack(root: string): Promise<PackedFolder> {
  const entries: Entry[] = [];
  let bytes = 0;
  const add = async (path: string): Promise<void> => {
    const place = join(root, path);
    const info = await lstat(place);
    if (path !== '' && !RelativePath.safeParse(path).success)
      throw new PeagenError('invalid_input', `The file ${path} of ${root} cannot be sent to hosts by that name.`);
    // Dependencies are often a link to another worktree's.
    const dependencies = path === 'node_modules' && info.isSymbolicLink();
    if (dependencies) await followLink(place, root, process.env);
    if (info.isDirectory() || dependencies) {
      for (const name of (await readdir(place)).sort()) {
        if (path !== '' || !leftBehind.has(name)) await add(posix.join(path, name));
      }
    } else if (info.isSymbolicLink()) {
      const link = await readlink(place);
      // A link that leads out of the folder leads nowhere in a sandbox, too.
      if (staysInside(path, link)) entries.push({ path, link });
    } else if (info.isFile()) {
      bytes += info.size;
      if (bytes > MOST_BYTES || entries.length >= MOST_FILES) throw tooLarge(root);
      const text = await readFile(place);
      entries.push({ path, sha256: hashOf(text), size: text.length, run: (info.mode & 0o100) !== 0 });
    }
  };
  await add('');
  const list = Buffer.from(JSON.stringify(entries));
  if (list.length > MOST_LIST_BYTES) throw tooLarge(root);
  return { root, id: hashOf(list), list, files: entries.filter(isFile), sending: undefined };
}

interface UnpackedFolder {
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

interface Unpacked {
  readonly made: Promise<UnpackedFolder>;
  /** Resolves when the folder is there. */
  ready: UnpackedFolder | undefined;
  users: number;
  timer: NodeJS.Timeout | undefined;
}

/** Folders that this host has, by their hash. */
const unpacked = new Map<Sha256, Unpacked>();

/** The folder on this machine, until it is disposed of. Throws `unavailable` when it is gone, `untrusted` when it is not what its hash says. */
export async function openPacked(id: Sha256, folders: Pick<PackedFolders, 'get'>): Promise<{ folder: string } & Disposable> {
  const known: Unpacked = unpacked.get(id) ?? {
    made: unpack(id, folders),
    ready: undefined,
    users: 0,
    timer: undefined,
  };
  unpacked.set(id, known);
  clearTimeout(known.timer);
  known.users++;
  const release = () => {
    known.users--;
    if (known.users > 0) return;
    known.timer = setTimeout(() => {
      unpacked.delete(id);
      void known.made.then(({ folder }) => removeLasting(folder));
    }, IDLE_MS).unref();
  };
  try {
    known.ready = await known.made;
    const { folder } = known.ready;
    return { folder, [Symbol.dispose]: release };
  } catch (caught) {
    unpacked.delete(id);
    throw caught;
  }
}

async function unpack(id: Sha256, folders: Pick<PackedFolders, 'get'>): Promise<UnpackedFolder> {
  const [packed] = await folders.get(id, [LIST]);
  if (packed === undefined) throw gone(id);
  const text = await inflate(packed, MOST_LIST_BYTES, id);
  const list = List.safeParse(hashOf(text) === id ? parsed(text) : undefined);
  if (!list.success) throw forged(id, 'its list of files is another one');
  const files = list.data.filter(isFile);
  if (files.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) throw forged(id, 'it is larger than a folder may be');
  const folder = await makeLasting('folder');
  try {
    const have = haveOf(files);
    for (let at = 0; at < files.length; at += AT_A_TIME) {
      const some = files.slice(at, at + AT_A_TIME);
      const lacking = [...new Set(some.filter(({ sha256 }) => !have.has(sha256)).map(({ sha256 }) => sha256))];
      const parts = lacking.length === 0 ? [] : await folders.get(id, lacking);
      const fetched = new Map(lacking.map((sha256, index) => [sha256, parts[index]] as const));
      for (const file of some) await writeEntry(folder, file, have.get(file.sha256), fetched.get(file.sha256), id);
    }
    // Links come last: no file is written through one.
    for (const entry of list.data) {
      if (isFile(entry)) continue;
      if (!staysInside(entry.path, entry.link)) throw forged(id, `${entry.path} leads out of it`);
      await mkdir(dirname(join(folder, entry.path)), { recursive: true });
      await symlink(entry.link, join(folder, entry.path));
    }
    return { folder, files };
  } catch (caught) {
    await removeLasting(folder);
    throw caught;
  }
}

/** Files of other folders that are here, by hash: what they have in common is fetched once. */
function haveOf(files: readonly FileEntry[]): Map<Sha256, string> {
  const wanted = new Set(files.map(({ sha256 }) => sha256));
  const have = new Map<Sha256, string>();
  for (const { ready } of unpacked.values()) {
    for (const { path, sha256 } of ready?.files ?? []) {
      if (ready !== undefined && wanted.has(sha256)) have.set(sha256, join(ready.folder, path));
    }
  }
  return have;
}

async function writeEntry(
  folder: string,
  { path, sha256, size, run }: FileEntry,
  copied: string | undefined,
  part: Buffer | undefined,
  id: Sha256,
): Promise<void> {
  const place = join(folder, path);
  await mkdir(dirname(place), { recursive: true });
  if (copied !== undefined) {
    await copyFile(copied, place, constants.COPYFILE_EXCL);
    return await chmod(place, run ? 0o755 : 0o644);
  }
  if (part === undefined) throw gone(id);
  const bytes = await inflate(part, size, id);
  if (bytes.length !== size || hashOf(bytes) !== sha256) throw forged(id, `${path} has another content`);
  await writeFile(place, bytes, { mode: run ? 0o755 : 0o644, flag: 'wx' });
}

async function inflate(packed: Buffer, most: number, id: Sha256): Promise<Buffer> {
  return await unzip(packed, { maxOutputLength: Math.max(1, most) }).catch(() => {
    throw forged(id, 'a part of it does not unpack to its size');
  });
}

function parsed(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}

function isFile(entry: Entry): entry is FileEntry {
  return 'sha256' in entry;
}

function staysInside(path: string, link: string): boolean {
  return !isAbsolute(link) && RelativePath.safeParse(posix.join(posix.dirname(path), link)).success;
}

const hashOf = (bytes: Buffer): Sha256 => Sha256.parse(createHash('sha256').update(bytes).digest('hex'));

function gone(id: Sha256): PeagenError {
  return new PeagenError('unavailable', `The folder ${id.slice(0, 12)} that the task needs is not with the queue any more.`);
}

function forged(id: Sha256, why: string): PeagenError {
  return new PeagenError('untrusted', `The folder ${id.slice(0, 12)} that the task needs is refused: ${why}.`);
}

function tooLarge(root: string): PeagenError {
  return new PeagenError(
    'too_large',
    `The folder ${root} has more than ${MOST_BYTES >> 20} MiB or ${MOST_FILES} files, which is the most that is sent to hosts.`,
    { hint: `Name a smaller folder than ${basename(root)}, or run without a shared queue.` },
  );
}
