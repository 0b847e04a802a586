/** Where a run lives on disk, and who is working on it. `.peagen/runs/<run>/`, with shared objects in `.peagen/objects/`. */
import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PeagenError } from '../../../shared/errors.ts';
import { newRunId, RunId } from '../../../shared/ids.ts';
import { lockHolder, releaseLock, takeLock } from '../../lock.ts';
import { ignoreInGit, PEAGEN_FOLDER } from '../../peagen-folder.ts';

const OWNER = 'owner';

/** A lock that is being broken is looked at again after this time. */
const AGAIN_MS = 20;

const codeOf = (error: NodeJS.ErrnoException) => error.code;

export class RunFiles {
  readonly workspace: string;
  private readonly root: string;

  /** `workspace`: absolute folder that holds `.peagen`. */
  constructor(workspace: string) {
    this.workspace = workspace;
    this.root = join(workspace, PEAGEN_FOLDER);
  }

  get objects(): string {
    return join(this.root, 'objects');
  }

  folder(run: RunId): string {
    return join(this.root, 'runs', run);
  }

  /** All runs, newest first. */
  async list(): Promise<RunId[]> {
    const names = await readdir(join(this.root, 'runs')).catch((): string[] => []);
    return names
      .filter((name) => RunId.safeParse(name).success)
      .sort()
      .reverse()
      .map((name) => RunId.parse(name));
  }

  /** Throws `storage_failed` where something else has the name of a run: a link leads to records of another workspace. */
  async requireOwnFolder(run?: RunId): Promise<void> {
    for (const folder of [this.root, join(this.root, 'runs'), ...(run === undefined ? [] : [this.folder(run)])]) {
      const found = await lstat(folder).catch(() => undefined);
      if (found === undefined || found.isDirectory()) continue;
      throw new PeagenError('storage_failed', `${folder} is ${found.isSymbolicLink() ? 'a link' : 'not a folder'}.`, {
        hint: 'Remove it, and put the records of runs there as they are.',
      });
    }
  }

  /**
   * Runs that the request may have started, newest first: their names end with its mark, so that no journal is read to find
   * them.
   */
  async ofRequest(requestId: string): Promise<RunId[]> {
    const mark = markOf(requestId);
    return (await this.list()).filter((run) => run.endsWith(`-${mark}`));
  }

  /** Throws `storage_failed` where runs cannot be kept. Changes nothing: a plan asks too. */
  async requireWritable(): Promise<void> {
    await this.requireOwnFolder();
    const folder = [join(this.root, 'runs'), this.root].find((each) => existsSync(each)) ?? this.workspace;
    await access(folder, constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
      throw this.notKept(cause.code, cause);
    });
  }

  async create(run: RunId): Promise<string> {
    const folder = this.folder(run);
    await this.makeFolder(folder);
    await ignoreInGit(this.root);
    return folder;
  }

  /** Nothing of it is written yet: some process begins it just now, or could not. */
  async isEmpty(run: RunId): Promise<boolean> {
    const names = await readdir(this.folder(run)).catch(() => ['']);
    return names.every((name) => name.startsWith(OWNER));
  }

  private async makeFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true }).catch(async (cause: NodeJS.ErrnoException) => {
      // For a read-only file system, Node says ENOENT.
      const code = await access(this.workspace, constants.W_OK).then(() => cause.code, codeOf);
      throw this.notKept(code, cause);
    });
  }

  private notKept(code: string | undefined, cause: unknown): PeagenError {
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    return new PeagenError('storage_failed', `Runs cannot be kept in ${this.root} (${code}).`, {
      hint: full ? 'Make room there and start again.' : 'Work in a folder that you may write to.',
      retryable: full,
      cause,
    });
  }

  /** Takes the run for this process; the answer gives it up. Throws `conflict` when another living process has it. */
  async lock(run: RunId): Promise<() => void> {
    const path = this.ownerFile(run);
    for (;;) {
      if (takeLock(path)) return () => releaseLock(path);
      const owner = lockHolder(path);
      if (owner !== undefined) {
        throw new PeagenError('conflict', `Run ${run} is in progress in process ${owner}.`, { hint: 'Stop it there first.' });
      }
      // It was given up just now, or another process takes it from one that has gone.
      await delay(AGAIN_MS);
    }
  }

  /** Removes its folder; the objects may belong to other runs, too, and stay. */
  async delete(run: RunId): Promise<void> {
    if (!(await this.list()).includes(run)) {
      throw new PeagenError('not_found', `There is no run ${run} in ${this.workspace}.`, {
        hint: 'Check the id and the folder.',
      });
    }
    // Taken, so that nobody resumes it meanwhile; the lock goes with the folder.
    await this.lock(run);
    await rm(this.folder(run), { recursive: true, force: true });
  }

  /** The living process that has the run. */
  owner(run: RunId): number | undefined {
    return lockHolder(this.ownerFile(run));
  }

  private ownerFile(run: RunId): string {
    return join(this.folder(run), OWNER);
  }
}

/** The id of the run that a request starts; `now` in milliseconds since the epoch. */
export function runIdFor(requestId: string, now: number): RunId {
  return newRunId(now, markOf(requestId));
}

/** The last part of the ids of a request's runs. Two requests may share one, so the journal's first event decides. */
function markOf(requestId: string): string {
  return createHash('sha256').update(requestId).digest('hex').slice(0, 6);
}
