/**
 * Results on the file system: one file per result, `<root>/<date>/<task id>.msgpack.gz`, complete or absent. It is written
 * under `.incoming` and renamed, under a lock of its task, so that of many writers the first one wins.
 */
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import { Result } from '../../../shared/task.ts';
import { ignoreInGit, PEAGEN_FOLDER } from '../../peagen-folder.ts';
import { pack, unpack } from '../msgpack.ts';
import type { ResultBackend } from '../results.ts';

/**
 * A lock, which is a folder, is held while a complete file is renamed. A process that has held one for longer than this is
 * dead.
 */
const ABANDONED_MS = 5000;
const LOCK_POLL_MS = 20;
/** What a killed writer left behind may be removed after this time. */
const LITTER_MS = 3_600_000;

/** What the name of a result ends with, compressed or not. */
const ENDINGS = ['.msgpack.gz', '.msgpack'] as const;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export class FsResultStore implements ResultBackend {
  private readonly root: string;
  private readonly compress: boolean;
  private readonly incoming: string;
  /** Distinguishes this store's files under `.incoming` from those of others. */
  private readonly mark = randomBytes(6).toString('hex');
  private count = 0;
  /** Folders that are there. */
  private readonly made = new Set<string>();

  /** `root`: absolute path, made when the first result comes. */
  constructor(root: string, options: { compress: boolean }) {
    this.root = root;
    this.incoming = join(root, '.incoming');
    this.compress = options.compress;
  }

  async put(result: Result): Promise<boolean> {
    const packed = pack(result);
    const bytes = this.compress ? await zip(packed, { level: 1 }) : packed;
    const folder = join(this.root, result.created_at.slice(0, 10));
    const name = `${result.task_id}.msgpack${this.compress ? '.gz' : ''}`;
    const incoming = join(this.incoming, `${result.task_id}.${this.mark}-${this.count++}`);
    try {
      await this.make(this.incoming, async () => {
        await tidy(this.incoming);
        if (basename(dirname(this.root)) === PEAGEN_FOLDER) await ignoreInGit(dirname(this.root));
      });
      await writeDurably(incoming, bytes);
      return await alone(join(this.incoming, result.task_id), async () => {
        if ((await this.find(result.task_id)) !== undefined) {
          await discard(incoming);
          return false;
        }
        await this.make(folder);
        await rename(incoming, join(folder, name));
        return true;
      });
    } catch (error) {
      // A folder that was removed under us is made again by the next attempt.
      this.made.clear();
      await discard(incoming).catch(() => undefined);
      throw failed(`The result of task ${result.task_id} could not be written to ${this.root}`, error);
    }
  }

  async get(id: TaskId): Promise<Result | undefined> {
    let path: string | undefined;
    let bytes: Buffer;
    try {
      path = await this.find(id);
      if (path === undefined) return undefined;
      bytes = await readFile(path);
    } catch (error) {
      throw failed(`The result of task ${id} could not be read from ${this.root}`, error);
    }
    try {
      return Result.parse(unpack(path.endsWith('.gz') ? await unzip(bytes) : bytes));
    } catch (cause) {
      throw new PeagenError('storage_failed', `The result of task ${id} in ${path} is damaged: ${String(cause)}.`, {
        hint: 'Delete the file; its task is done again.',
        retryable: false,
        cause,
      });
    }
  }

  async close(): Promise<void> {
    this.made.clear();
  }

  /** The newest date comes first: that is where results are asked for. */
  private async find(id: TaskId): Promise<string | undefined> {
    const names = await readdir(this.root).catch((error) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    const dates = names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).sort((a, b) => (a < b ? 1 : -1));
    // Mostly there is none. Awaiting that from each folder costs ten times as much as asking for it here.
    return dates.flatMap((date) => ENDINGS.map((ending) => join(this.root, date, id + ending))).find((path) => existsSync(path));
  }

  private async make(folder: string, first?: () => Promise<void>): Promise<void> {
    if (this.made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error: unknown) => {
      // For a read-only file system, Node says ENOENT.
      if (codeOf(error) === 'ENOENT') await access(existing(folder), constants.W_OK);
      throw error;
    });
    await first?.();
    this.made.add(folder);
  }
}

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(bytes);
  await file.datasync();
}

/** Runs `work` while no other caller holds the same lock. */
async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  while (!(await take(lock))) {
    const held = await stat(lock).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > ABANDONED_MS) await discard(lock);
    else await delay(LOCK_POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes what writers left that were killed long ago. */
async function tidy(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > LITTER_MS) await discard(path);
  }
}

/** The nearest folder above that is there. */
function existing(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : existing(dirname(folder));
}

async function discard(path: string): Promise<void> {
  await rm(path, { force: true, recursive: true });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function failed(what: string, cause: unknown): PeagenError {
  const hints: Record<string, string> = {
    ENOSPC: 'The disk is full: free some space; writing is tried again until it works.',
    EDQUOT: 'The disk quota is used up: free some space; writing is tried again until it works.',
    EACCES: 'Check the permissions of the folder, or set result_backend.root to another one.',
    EROFS: 'The file system is read-only: set result_backend.root to another folder.',
  };
  const reason = cause instanceof Error ? cause.message : String(cause);
  const code = codeOf(cause) ?? '';
  // A file system does not become writable while a run waits for it.
  return new PeagenError('storage_failed', `${what}: ${reason}.`, { hint: hints[code], retryable: code !== 'EROFS', cause });
}
