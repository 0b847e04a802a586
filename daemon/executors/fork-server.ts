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
const USES = 128;
/** Longer than any use; each has a limit of its own. */
const LONGEST_MS = 24 * 3_600_000;
/** What is left to do is to end processes; a server that takes longer is ended itself. */
const END_MS = 5000;

const End = z.object({ code: z.number().nullable(), stderr: z.string() });
type End = z.infer<typeof End>;

const servers = new Map<string, Set<ForkServer>>();
/** Servers cannot be had here, for these specs. */
const refused = new Set<string>();

/**
 * A sandbox of a server that is free, or of a new one; undefined where none can be had, so that each has to start from nothing. The
 * limits of the server's own /tmp and output come behind `spec.argv`. `state`: what else its imports depend on.
 */
export async function openForked(tier: Executor, spec: SandboxSpec, state = ''): Promise<Sandbox | undefined> {
  if (tier.nests !== true) return undefined;
  const key = JSON.stringify([tier.name, spec, state]);
  const free = [...(servers.get(key) ?? [])].filter(({ isFree }) => isFree);
  // By chance: a program that is measured twice is not in the same one each time.
  const sandbox = free[Math.floor(Math.random() * free.length)]?.take();
  if (sandbox !== undefined || refused.has(key)) return sandbox;
  const server = await ForkServer.open(tier, spec, key);
  if (server === undefined) refused.add(key);
  return server?.take();
}

class ForkServer {
  private readonly sandbox: Sandbox;
  private readonly spec: SandboxSpec;
  private readonly key: string;
  private readonly unused: Socket[];
  /** It waits for its next use to be taken. */
  isFree = false;
  /** The use behind the last one, begun as soon as nothing of that is left. */
  private next: (() => Sandbox) | undefined;
  private takeBack: () => void = () => undefined;
  private kept: () => void = () => undefined;

  private constructor(sandbox: Sandbox, spec: SandboxSpec, key: string) {
    this.sandbox = sandbox;
    this.spec = spec;
    this.key = key;
    this.unused = [...(sandbox.channels ?? [])];
    for (const channel of this.unused) channel.on('error', () => undefined);
    servers.set(key, (servers.get(key) ?? new Set()).add(this));
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
  take(): Sandbox {
    this.isFree = false;
    this.takeBack();
    return (this.next ?? this.begin())();
  }

  /** Has a use made, which has been through its start when it is wanted. */
  private begin(): () => Sandbox {
    const { sandbox, spec } = this;
    const channel = this.unused.shift();
    if (channel === undefined) throw new Error('A server without channels is not kept.');
    let started = performance.now();
    let open = true;
    let ended = false;
    let cause: SandboxExit['cause'] | undefined;
    let late: NodeJS.Timeout | undefined;
    let limit: NodeJS.Timeout | undefined;
    const kill = (why: SandboxExit['cause']): void => {
      if (ended || cause !== undefined) return;
      cause = why;
      sandbox.send('-');
      late = setTimeout(() => sandbox.kill(), END_MS);
    };
    const output = new Output(spec.limits.outputBytes, () => kill('output'));
    channel.on('data', (chunk: Buffer) => output.stdout(chunk));
    // Ends when all that has it is dead, behind all that was said.
    const silent = new Promise((resolve) => channel.once('close', resolve));
    const exited = this.ended().then(async (end): Promise<SandboxExit> => {
      ended = true;
      clearTimeout(limit);
      clearTimeout(late);
      if (end !== undefined) await silent;
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
    const use: Sandbox = {
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
        if (!ended) sandbox.send(`=${one}`);
        await Promise.race([kept, exited]);
        return open;
      },
      accountsForEnded: accountsForEnded === true,
    };
    return () => {
      started = performance.now();
      if (!ended) limit = setTimeout(() => kill('timeout'), spec.limits.wallMs);
      return use;
    };
  }

  /** How the present use has ended, of which nothing runs any more then; undefined when the server itself has. */
  private async ended(): Promise<End | undefined> {
    for (;;) {
      const line = await this.sandbox.receive();
      if (line === undefined) return undefined;
      if (line === 'kept') this.kept();
      const end = forkEndOf(line);
      if (end === undefined) continue;
      this.goOn();
      return end;
    }
  }

  private goOn(): void {
    this.takeBack();
    if (this.unused.length === 0) {
      this.forget();
      this.sandbox.kill();
      return;
    }
    this.next = this.begin();
    this.isFree = true;
    this.takeBack = whileIdle(IDLE_MS, () => {
      this.forget();
      this.sandbox.kill();
    });
  }

  private forget(): void {
    const all = servers.get(this.key);
    all?.delete(this);
    if (all?.size === 0) servers.delete(this.key);
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
