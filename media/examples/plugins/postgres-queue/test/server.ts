/** A PostgreSQL server of the test's own: its data and its socket are in a temporary folder, and no port is open. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Debian keeps the programs of each version in a folder that is not on the PATH. */
function programs(): string | undefined {
  const folders = globSync('/usr/lib/postgresql/*/bin').sort();
  return folders.findLast((folder) => existsSync(join(folder, 'initdb')));
}

/** The server refuses to run as root: Debian's package has a user for it. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export class Server {
  readonly folder = mkdtempSync(join(tmpdir(), 'peagen-postgres-'));
  readonly #bin: string;
  readonly #owner = owner();
  #process: ChildProcess | undefined;

  static async start(): Promise<Server> {
    const bin = programs();
    if (bin === undefined) throw new Error('PostgreSQL is not installed. Install the package "postgresql".');
    const server = new Server(bin);
    await server.up();
    return server;
  }

  private constructor(bin: string) {
    this.#bin = bin;
    if (this.#owner !== undefined) chownSync(this.folder, this.#owner.uid, this.#owner.gid);
    const how = ['--auth=trust', '--username=peagen', '--no-sync', '--locale=C', '--encoding=UTF8'];
    execFileSync(join(bin, 'initdb'), ['-D', this.#data, ...how], { ...this.#owner, cwd: this.folder, stdio: 'ignore' });
  }

  get url(): string {
    return `postgres://peagen@/postgres?host=${this.folder}`;
  }

  get #data(): string {
    return join(this.folder, 'data');
  }

  /** Starts it, again after `kill`, with the same data. */
  async up(): Promise<void> {
    const args = ['-D', this.#data, '-k', this.folder, '-c', 'listen_addresses='];
    const child = spawn(join(this.#bin, 'postgres'), args, {
      ...this.#owner,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let said = '';
    child.stderr.on('data', (data) => {
      said += String(data);
    });
    while (!said.includes('database system is ready to accept connections')) {
      if (child.exitCode !== null) throw new Error(`postgres ended: ${said}`);
      await delay(20);
    }
  }

  /** At once, as after a power cut. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
