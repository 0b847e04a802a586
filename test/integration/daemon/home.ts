/** A workspace with real daemon processes, in a private runtime folder. All that was started is ended at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../../daemon/alive.ts';
import { DaemonClient } from '../../../daemon/client/client.ts';
import { type DaemonPlace, locate } from '../../../daemon/client/locate.ts';
import { connectOrStart } from '../../../daemon/client/start.ts';

export const cli = join(import.meta.dirname, '..', '..', '..', 'daemon', 'cli', 'main.ts');

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export class Home implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'pg-'));
  readonly workspace = join(this.folder, 'workspace');
  readonly env: NodeJS.ProcessEnv = { ...process.env, XDG_RUNTIME_DIR: this.folder };
  readonly place: DaemonPlace;
  private readonly children: ChildProcess[] = [];
  private readonly clients: DaemonClient[] = [];

  constructor() {
    mkdirSync(this.workspace);
    this.place = locate(this.workspace, { env: this.env });
  }

  /** Runs Node with this home's environment. */
  node(...args: string[]): ChildProcess {
    return this.run(process.execPath, args);
  }

  run(program: string, args: string[], cwd = this.folder): ChildProcess {
    const child = spawn(program, args, { env: this.env, cwd, stdio: 'pipe' });
    this.children.push(child);
    return child;
  }

  peagen(...args: string[]): Promise<Finished> {
    return finished(this.node(cli, ...args));
  }

  async client(trusted = true): Promise<DaemonClient> {
    const client = new DaemonClient(await connectOrStart(this.place, { client: 'test', trusted }));
    this.clients.push(client);
    return client;
  }

  /** Log entries of the daemons of this workspace. */
  log(): { pid: number; msg: string }[] {
    const lines = readFileSync(this.place.log, 'utf8').trim().split('\n');
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  }

  daemons(): number[] {
    return [...new Set(this.log().map((entry) => entry.pid))].filter(isAlive);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.clients) client.close();
    for (const child of this.children) if (child.exitCode === null) child.kill('SIGKILL');
    const started = (() => {
      try {
        return this.daemons();
      } catch {
        return [];
      }
    })();
    for (const pid of started) process.kill(pid, 'SIGTERM');
    try {
      await until(() => !started.some(isAlive), 'the daemons to end');
    } finally {
      for (const pid of started.filter(isAlive)) process.kill(pid, 'SIGKILL');
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

/** Waits for a condition; fails when it has not come true in time. */
export async function until(condition: () => boolean | Promise<boolean>, what: string, withinMs = 60_000): Promise<void> {
  for (const deadline = Date.now() + withinMs; !(await condition()); await delay(15)) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
  }
}
