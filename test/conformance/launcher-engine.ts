/** A Docker engine of the test's own, with nothing of the machine's: its data in a folder, no bridge, no firewall rules. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { until } from '../integration/worker-fabric.ts';

/** Why there is no engine to test with; undefined when there can be one. With CI set, its absence is a failure. */
export function missingEngine(): string | undefined {
  let reason: string | undefined;
  if (process.getuid?.() !== 0) reason = "a Docker engine of the test's own needs root";
  else {
    try {
      execFileSync('dockerd', ['--version'], { stdio: 'ignore' });
    } catch {
      reason = 'dockerd is not installed';
    }
  }
  if (reason !== undefined && process.env['CI'] && process.getuid?.() === 0) throw new Error(`${reason}, and CI is set.`);
  return reason;
}

export class Engine {
  readonly docker: Docker;
  readonly socket: string;
  private readonly folder: string;
  private process: ChildProcess | undefined;

  private constructor(folder: string) {
    this.folder = folder;
    this.socket = join(folder, 'engine.sock');
    this.docker = new Docker({ socketPath: this.socket });
  }

  static async start(): Promise<Engine> {
    const engine = new Engine(await mkdtemp(join(tmpdir(), 'peagen-engine-')));
    await engine.up();
    return engine;
  }

  /** Starts it, again after `down`, with the same data. */
  async up(): Promise<void> {
    const file = (name: string) => join(this.folder, name);
    const own = [
      '--data-root',
      file('data'),
      '--exec-root',
      file('exec'),
      '--pidfile',
      file('pid'),
      '-H',
      `unix://${this.socket}`,
    ];
    this.process = spawn('dockerd', [...own, '--bridge=none', '--iptables=false'], { stdio: 'ignore' });
    await until(
      'the engine answers',
      () =>
        this.docker.ping().then(
          () => true,
          () => false,
        ),
      30_000,
    );
  }

  async down(): Promise<void> {
    const child = this.process;
    if (child === undefined) return;
    this.process = undefined;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }

  async stop(): Promise<void> {
    await this.down();
    // The engine leaves a mount behind for its own network namespace.
    spawnSync('umount', ['--lazy', join(this.folder, 'exec', 'netns', 'default')], { stdio: 'ignore' });
    await rm(this.folder, { recursive: true, force: true });
  }
}
