/**
 * Results on the file system: one file per result, `<root>/<date>/<task id>.msgpack.gz`, complete or absent. A file
 * under `.incoming` with the task's id is the lock of its writer and becomes the result by being renamed.
 */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import { Result } from '../../../shared/task.ts';
import { pack, unpack } from '../msgpack.ts';
import type { ResultStore } from '../results.ts';

/** A writer that has held its lock for longer than this is dead. */
const ABANDONED_MS = 30_000;
const LOCK_POLL_MS = 20;

const zip = promisify(gzip);
const unzip = promisify(gunzip);

export class FsResultStore implements ResultStore {
  private readonly root: string;
  private readonly compress: boolean;
  private readonly made = new Set<string>();

  /** `root`: absolute path, made when the first result comes. */
  constructor(root: string, options: { compress: boolean }) {
    this.root = root;
    this.compress = options.compress;
  }

  async put(result: Result): Promise<boolean> {
    const packed = pack(result);
    const bytes = this.compress ? await zip(packed, { level: 1 }) : packed;
    const folder = join(this.root, result.created_at.slice(0, 10));
    const name = `${result.task_id}.msgpack${this.compress ? '.gz' : ''}`;
    try {
      const incoming = await this.write(result.task_id, bytes);
      if ((await this.find(result.task_id)) !== undefined) {
        await rm(incoming);
        return false;
      }
      await this.folder(folder);
      await rename(incoming, join(folder, name));
      return true;
    } catch (error) {
      // A folder that was removed under us is made again by the next attempt.
      this.made.clear();
      throw failed(`The result of task ${result.task_id} could not be written to ${this.root}`, error);
    }
  }

  async get(id: TaskId): Promise<Result | undefined> {
    try {
      const path = await this.find(id);
      if (path === undefined) return undefined;
      const bytes = await readFile(path);
      return Result.parse(unpack(path.endsWith('.gz') ? await unzip(bytes) : bytes));
    } catch (error) {
      throw failed(`The result of task ${id} could not be read from ${this.root}`, error);
    }
  }

  async close(): Promise<void> {
    this.made.clear();
  }

  /** Waits for another writer of the same task; then the file is ours alone. */
  private async write(id: TaskId, bytes: Buffer): Promise<string> {
    const folder = join(this.root, '.incoming');
    await this.folder(folder);
    const path = join(folder, id);
    for (;;) {
      try {
        await using file = await open(path, 'wx', 0o600);
        try {
          await file.writeFile(bytes);
          await file.datasync();
        } catch (error) {
          await rm(path, { force: true });
          throw error;
        }
        return path;
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
        const held = await stat(path).catch(() => undefined);
        if (held !== undefined && Date.now() - held.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
        else await delay(LOCK_POLL_MS);
      }
    }
  }

  /** The newest date comes first: that is where results are asked for. */
  private async find(id: TaskId): Promise<string | undefined> {
    const names = await readdir(this.root).catch((error) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    for (const date of names.filter((name) => /^\d{4}-\d\d-\d\d$/.test(name)).sort((a, b) => (a < b ? 1 : -1))) {
      for (const ending of ['.msgpack.gz', '.msgpack']) {
        const path = join(this.root, date, id + ending);
        if ((await stat(path).catch(() => undefined)) !== undefined) return path;
      }
    }
    return undefined;
  }

  private async folder(path: string): Promise<void> {
    if (this.made.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.made.add(path);
  }
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
  return new PeagenError('storage_failed', `${what}: ${reason}.`, { hint: hints[codeOf(cause) ?? ''], cause });
}
