/**
 * Sandboxes that are forked from a server in a sandbox (runners/peagen_fork/server.py): it is made, the interpreter started, and
 * what all of them need imported, once for many. A server has one at a time, so that the kernel's account of the server is that of
 * the sandbox, and a channel for each, so that none can read or write in place of another.
 */
import type { Socket } from 'node:net';
import * as z from 'zod';
import { whileIdle } from './idle.ts';
import { Output } from './output.ts';
import { causeOf } from './process.ts';
import type { Executor, Sandbox, SandboxExit, SandboxSpec } from './sandbox.ts';

/** A server without work is ended after this time: an idle daemon has none. */
const IDLE_MS = 3000;
/** Uses of a server: what the kernel keeps of its children is bounded, and no process is slow or fast for a whole search. */
const USES = 64;
/** Longer than any use; each has a limit of its own. */
const LONGEST_MS = 24 * 3_600_000;
/** What is left to do is to end processes; a server that takes longer is ended itself. */
const END_MS = 5000;

const End = z.object({ code: z.number().nullable(), stderr: z.string() });
type End = z.infer<typeof End>;

const idle = new Map<string, ForkServer[]>();
/** Servers cannot be had here, for these specs. */
const refused = new Set<string>();

/**
 * A sandbox of a server that is free, or of a new one; undefined where none can be had, so that each has to start from nothing. The
 * limits of the server's own /tmp and output come behind `spec.argv`. `state`: what else its imports depend on.
 */
export async function openForked(tier: Executor, spec: SandboxSpec, state = ''): Promise<Sandbox | undefined> {
  if (tier.nests !== true) return undefined;
  const key = JSON.stringify([tier.name, spec, state]);
  const waiting = idle.get(key) ?? [];
  // By chance: a program that is measured twice is not in the same one each time.
  const [free] = waiting.splice(Math.floor(Math.random() * waiting.length), 1);
  if (free !== undefined) return free.begin();
  if (refused.has(key)) return undefined;
  const server = await ForkServer.open(tier, spec, key);
  if (server === undefined) refused.add(key);
  return server?.begin();
}

class ForkServer {
  private readonly sandbox: Sandbox;
  private readonly spec: SandboxSpec;
  private readonly key: string;
  private readonly unused: Socket[];
  private takeBack: () => void = () => undefined;
  private kept: () => void = () => undefined;

  private constructor(sandbox: Sandbox, spec: SandboxSpec, key: string) {
    this.sandbox = sandbox;
    this.spec = spec;
    this.key = key;
    this.unused = [...(sandbox.channels ?? [])];
    for (const channel of this.unused) channel.on('error', () => undefined);
    void sandbox.exited.then(() => {
      this.forget();
      for (const channel of this.unused) channel.destroy();
    });
  }

  /** Undefined when the system does not let it make namespaces, and when the imports fail or take too long. */
  static async open(tier: Executor, spec: SandboxSpec, key: string): Promise<ForkServer | undefined> {
    const { limits } = spec;
    const bounds = JSON.stringify({ tmp: limits.fileBytes * 2, output: limits.outputBytes });
    const serving = {
      argv: [...spec.argv, bounds],
      limits: { ...limits, wallMs: LONGEST_MS },
      nests: true,
      channels: USES,
    } as const;
    const sandbox = await tier.open({ ...spec, ...serving }).catch(() => undefined);
    if (sandbox === undefined) return undefined;
    const late = setTimeout(() => sandbox.kill(), limits.wallMs);
    const line = await sandbox.receive();
    clearTimeout(late);
    if (line === 'ready') return new ForkServer(sandbox, spec, key);
    sandbox.kill();
    await sandbox.exited;
    return undefined;
  }

  /** Its next use. */
  begin(): Sandbox {
    this.takeBack();
    const { sandbox, spec } = this;
    const channel = this.unused.shift();
    if (channel === undefined) throw new Error('A server without channels is not kept.');
    const started = performance.now();
    let open = true;
    let cause: SandboxExit['cause'] | undefined;
    let late: NodeJS.Timeout | undefined;
    const kill = (why: SandboxExit['cause']): void => {
      if (!open || cause !== undefined) return;
      cause = why;
      sandbox.send('-');
      late = setTimeout(() => sandbox.kill(), END_MS);
    };
    const output = new Output(spec.limits.outputBytes, () => kill('output'));
    channel.on('data', (chunk: Buffer) => output.stdout(chunk));
    const limit = setTimeout(() => kill('timeout'), spec.limits.wallMs);
    // Ends when all that has it is dead, behind all that was said.
    const silent = new Promise((resolve) => channel.once('close', resolve));
    const exited = this.ended().then(async (end): Promise<SandboxExit> => {
      clearTimeout(limit);
      clearTimeout(late);
      if (end !== undefined) {
        this.keep();
        await silent;
      }
      open = false;
      output.end();
      channel.destroy();
      if (end === undefined) {
        const exit = await sandbox.exited;
        return { ...exit, cause: cause ?? exit.cause };
      }
      const { code, stderr } = end;
      const usual = code === null ? 'output' : causeOf(code, null, stderr);
      return { cause: cause ?? usual, code, signal: null, stderr, wallMs: performance.now() - started };
    });
    sandbox.send('+');
    const { accountMs, cpuMs, processor, accountsForEnded } = sandbox;
    return {
      send: (line) => {
        if (open) channel.write(`${line}\n`);
      },
      receive: () => output.receive(),
      exited,
      kill: () => kill('killed'),
      accountMs: () => (open ? accountMs?.() : undefined),
      cpuMs: async () => (open ? await cpuMs?.() : undefined),
      processor: () => (open ? processor?.() : undefined),
      confine: async (one) => {
        const kept = new Promise<void>((resolve) => {
          this.kept = resolve;
        });
        if (open) sandbox.send(`=${one}`);
        await Promise.race([kept, exited]);
        return open;
      },
      accountsForEnded: accountsForEnded === true,
    };
  }

  /** How the present use ended; undefined when the server itself has. */
  private async ended(): Promise<End | undefined> {
    let end: End = { code: 137, stderr: '' };
    for (;;) {
      const line = await this.sandbox.receive();
      if (line === undefined || line === 'next') return line === undefined ? undefined : end;
      if (line === 'kept') this.kept();
      end = forkEndOf(line) ?? end;
    }
  }

  private keep(): void {
    if (this.unused.length === 0) {
      this.sandbox.kill();
      return;
    }
    const waiting = idle.get(this.key) ?? [];
    idle.set(this.key, waiting);
    waiting.push(this);
    this.takeBack = whileIdle(IDLE_MS, () => {
      this.forget();
      this.sandbox.kill();
    });
  }

  private forget(): void {
    const waiting = idle.get(this.key)?.filter((other) => other !== this) ?? [];
    if (waiting.length > 0) idle.set(this.key, waiting);
    else idle.delete(this.key);
  }
}

/** Undefined for a line that does not say how a use ended. */
export function forkEndOf(line: string): End | undefined {
  if (!line.startsWith('ended ')) return undefined;
  try {
    return End.parse(JSON.parse(line.slice('ended '.length)));
  } catch {
    return undefined;
  }
}
