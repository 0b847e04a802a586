/**
 * One small file per live worker process, so that a launcher can find what an earlier one left behind when it was
 * killed. The worker's random id is on its command line: a process id that the system has given to another is not taken
 * for it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { LaunchedWorker } from './launcher.ts';

const Record = z.object({ id: z.string(), pid: z.number().int().positive(), parent: z.number().int().positive() });
type Record = z.infer<typeof Record>;

const POLL_MS = 50;

export class WorkerRecords {
  private readonly folder: string;

  constructor(workspace: string) {
    this.folder = join(workspace, '.peagen', 'workers');
  }

  add(id: string, pid: number | undefined): void {
    if (pid === undefined) return;
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.file(id), JSON.stringify({ id, pid, parent: process.pid } satisfies Record));
  }

  remove(id: string): void {
    rmSync(this.file(id), { force: true });
  }

  /** Workers that still run although their parent does not. Records of workers that are gone are removed. */
  leftovers(): LaunchedWorker[] {
    return this.read().flatMap((record) => {
      const parent = parentOf(record);
      if (parent === undefined) this.remove(record.id);
      return parent === undefined || parent === record.parent ? [] : [this.orphan(record)];
    });
  }

  private orphan(record: Record): LaunchedWorker {
    const exited = new Promise<{ code: null; log: string }>((resolve) => {
      const timer = setInterval(() => {
        if (parentOf(record) !== undefined || ending(record)) return;
        clearInterval(timer);
        this.remove(record.id);
        resolve({ code: null, log: '' });
      }, POLL_MS);
    });
    const signal = (name: NodeJS.Signals) => {
      // Looked at again right before: never signal a process that is not ours.
      if (parentOf(record) !== undefined) process.kill(record.pid, name);
    };
    return { id: record.id, exited, drain: () => signal('SIGTERM'), kill: () => signal('SIGKILL') };
  }

  private read(): Record[] {
    let names: string[];
    try {
      names = readdirSync(this.folder);
    } catch {
      // No worker was ever launched here.
      return [];
    }
    return names.flatMap((name) => {
      try {
        return [Record.parse(JSON.parse(readFileSync(join(this.folder, name), 'utf8')))];
      } catch {
        // Torn by a crash while it was written; the worker behind it ends by itself.
        rmSync(join(this.folder, name), { force: true, recursive: true });
        return [];
      }
    });
  }

  private file(id: string): string {
    return join(this.folder, `${id}.json`);
  }
}

/** The parent of the recorded worker's process; undefined when that worker does not run. */
function parentOf({ id, pid }: Record): number | undefined {
  try {
    if (process.platform === 'win32') return undefined;
    if (process.platform === 'linux') {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--id=${id}`)) return undefined;
      return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
    }
    const [, parent, command] =
      /^\s*(\d+)\s+(.*)$/.exec(execFileSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8' })) ?? [];
    return command?.includes(`--id=${id}`) ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process is about to be gone: it has no command line once its memory is freed, and frees all else after that. */
function ending({ pid }: Record): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '' && !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    );
  } catch {
    return false;
  }
}
