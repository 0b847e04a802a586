/** A container engine of the test's own, with nothing of the machine's: its data in a folder, no bridge, no firewall rules. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { until } from '../../integration/fabric/worker-fabric.ts';

export type EngineKind = 'docker' | 'podman';

const programs = { docker: 'dockerd', podman: 'podman' } as const;

/** Why there is no engine to test with; undefined when there can be one. With CI set, its absence is a failure. */
export function missingEngine(kind: EngineKind = 'docker'): string | undefined {
  const program = programs[kind];
  let reason: string | undefined;
  if (process.getuid?.() !== 0) reason = `an engine of the test's own (${program}) needs root`;
  else {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' });
    } catch {
      reason = `${program} is not installed`;
    }
  }
  if (reason !== undefined && process.env['CI'] && process.getuid?.() === 0) throw new Error(`${reason}, and CI is set.`);
  return reason;
}

/** For a `before` hook: an engine, or the suite is skipped with the reason. */
export async function requireEngine(context: Mocha.Context): Promise<Engine> {
  const reason = missingEngine();
  if (reason !== undefined) {
    console.warn(`skipped: ${reason}`);
    context.skip();
  }
  return await Engine.start();
}

export class Engine {
  readonly docker: Docker;
  readonly socket: string;
  private readonly folder: string;
  private readonly kind: EngineKind;
  private process: ChildProcess | undefined;

  private constructor(folder: string, kind: EngineKind) {
    this.folder = folder;
    this.kind = kind;
    this.socket = join(folder, 'engine.sock');
    this.docker = new Docker({ socketPath: this.socket });
  }

  static async start(kind: EngineKind = 'docker'): Promise<Engine> {
    const engine = new Engine(await mkdtemp(join(tmpdir(), 'peagen-engine-')), kind);
    await engine.up();
    return engine;
  }

  /** Starts it, again after `down`, with the same data. */
  async up(): Promise<void> {
    this.process = spawn(programs[this.kind], this.kind === 'docker' ? this.dockerArgs() : this.podmanArgs(), {
      // What watches Podman's containers leaves notes where the service was started.
      cwd: this.folder,
      stdio: 'ignore',
    });
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

  private dockerArgs(): string[] {
    const places = [
      ...['--data-root', join(this.folder, 'data')],
      ...['--exec-root', join(this.folder, 'exec')],
      ...['--pidfile', join(this.folder, 'pid')],
      ...['-H', `unix://${this.socket}`],
    ];
    return [...places, '--bridge=none', '--iptables=false'];
  }

  private podmanArgs(): string[] {
    return [...this.podmanPlaces(), 'system', 'service', '--time', '0', `unix://${this.socket}`];
  }

  private podmanPlaces(): string[] {
    return [
      ...['--root', join(this.folder, 'data')],
      ...['--runroot', join(this.folder, 'exec')],
      ...['--tmpdir', join(this.folder, 'tmp')],
    ];
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
    // Podman's containers live on without its service.
    if (this.kind === 'podman') spawnSync('podman', [...this.podmanPlaces(), 'rm', '--all', '--force'], { stdio: 'ignore' });
    // Engines leave mounts behind: for their own network namespace, for their layers.
    for (const place of ['exec/netns/default', 'data/overlay', 'data'])
      spawnSync('umount', ['--lazy', join(this.folder, place)], { stdio: 'ignore' });
    await rm(this.folder, { recursive: true, force: true });
  }
}
