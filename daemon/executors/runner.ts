/**
 * The parent's end of a runner: one single-use interpreter in a sandbox, started warm, that takes orders a line each
 * (runners/runner.py, runners/runner.cjs). A pool starts the next ones while the present one works.
 */
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { assetPath } from '../assets.ts';
import { openForked } from './fork-server.ts';
import { findInterpreter } from './interpreters.ts';
import type { Sandbox, SandboxExit, SandboxFactory, SandboxSpec } from './sandbox.ts';

export type RunnerRuntime = 'python' | 'node';

/** `late`: no answer in time, and the runner was killed. `cut`: it reached its limit of operations or processor time. */
export type RunnerReply =
  | { readonly kind: 'answer'; readonly value: Readonly<Record<string, unknown>>; readonly ms: number }
  | { readonly kind: 'late' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'garbled'; readonly line: string }
  | { readonly kind: 'ended'; readonly exit: SandboxExit };

/** Seconds a warm runner may wait for its orders; the orders have time limits of their own. */
const WAITING_MS = 120_000;

/** A runner answers at once; on a busy machine it waits for a processor. */
const PIN_MS = 10_000;

/** Processor time is looked at no more often. */
const LOOK_MS = 20;

/** Levels of JSON; whatever walks a value by recursion has room on the stack for twice as many. */
const DEEPEST = 1500;

/** Orders that are sent ahead, half of them at a time, and characters of them: enough to keep a runner busy. */
const MOST_AHEAD = 32;
const MOST_CHARACTERS = 1 << 18;

export type Order = Readonly<Record<string, unknown>>;

const Line = z.record(z.string(), z.unknown());

export class Runner {
  private readonly sandbox: Sandbox;
  private readonly runtime: SandboxSpec['runtime'];
  private confinedTo: number | undefined;

  private constructor(sandbox: Sandbox, runtime: SandboxSpec['runtime']) {
    this.sandbox = sandbox;
    this.runtime = runtime;
  }

  /** Resolves as soon as the process exists; `ready` resolves when it listens. */
  static async open(sandboxes: SandboxFactory, runtime: RunnerRuntime, script?: Script): Promise<Runner> {
    const spec = specOf(sandboxes, runtime, script);
    const served = runtime === 'python' ? spec : await executedBy(spec);
    const forked = served === undefined ? undefined : await openForked(sandboxes.tier, served);
    return forked === undefined ? await Runner.openWith(sandboxes, spec) : new Runner(forked, runtime);
  }

  static async openWith(sandboxes: SandboxFactory, spec: SandboxSpec): Promise<Runner> {
    return new Runner(await sandboxes.tier.open(spec), spec.runtime);
  }

  /** Throws `unavailable` when the sandbox itself does not start: that is not the candidate's fault. */
  async ready(): Promise<void> {
    const line = await this.sandbox.receive();
    if (line !== undefined) return;
    const exit = await this.sandbox.exited;
    throw new PeagenError('unavailable', `The sandbox did not start (${exit.cause}, code ${exit.code}): ${exit.stderr.trim()}`);
  }

  /**
   * One order at a time. Never rejects: every way to fail is a Reply. `cpuMs` is the processor time that the order may
   * take. Python's runner counts it itself, so that imports are free; Node's cannot, and is watched from here.
   */
  async ask(order: Order, withinMs: number, cpuMs?: number): Promise<RunnerReply> {
    const start = performance.now();
    const { id, line } = numbered(order, cpuMs);
    this.sandbox.send(line);
    return await this.reply(id, start, withinMs, cpuMs);
  }

  /**
   * The same for many orders, which are sent ahead so that the runner need not wait for each of them. The replies come in
   * order, and every limit begins when the reply before has come. After a reply that is not an answer nothing follows.
   * `withinMs` is asked for when the turn of an order comes.
   */
  async *askAll(orders: Iterable<Order>, withinMs: () => number, cpuMs?: number): AsyncGenerator<RunnerReply, void> {
    const waiting: { id: number; characters: number }[] = [];
    const rest = orders[Symbol.iterator]();
    let ahead = 0;
    let start = performance.now();
    let more = rest.next();
    while (waiting.length > 0 || !more.done) {
      const lines: string[] = [];
      const most = waiting.length > MOST_AHEAD / 2 ? 0 : MOST_AHEAD;
      while (!more.done && waiting.length < most && (waiting.length === 0 || ahead < MOST_CHARACTERS)) {
        const { id, line } = numbered(more.value, cpuMs);
        lines.push(line);
        waiting.push({ id, characters: line.length });
        ahead += line.length;
        more = rest.next();
      }
      if (lines.length > 0) this.sandbox.send(lines.join('\n'));
      const next = waiting.shift();
      if (next === undefined) return;
      ahead -= next.characters;
      const reply = await this.reply(next.id, start, withinMs(), cpuMs);
      start = performance.now();
      yield reply;
      if (reply.kind !== 'answer') return;
    }
  }

  /** The reply to the order that comes next in the runner, which it may have begun at `start`. */
  private async reply(id: number, start: number, withinMs: number, cpuMs: number | undefined): Promise<RunnerReply> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.sandbox.kill();
    }, withinMs);
    let spent = false;
    const stopWatching = this.watchCpu(this.runtime === 'node' ? cpuMs : undefined, () => {
      spent = true;
      this.sandbox.kill();
    });
    const line = await this.sandbox.receive();
    const ms = performance.now() - start;
    clearTimeout(timer);
    stopWatching();
    if (late) return { kind: 'late' };
    if (spent) return { kind: 'cut' };
    if (line === undefined) return { kind: 'ended', exit: await this.sandbox.exited };
    const value = parseLine(line);
    if (value === undefined) return { kind: 'garbled', line: line.slice(0, 200) };
    if (value['cut'] === 1) return { kind: 'cut' };
    if (value['id'] !== id) return { kind: 'garbled', line: line.slice(0, 200) };
    const answer = nestsDeeper(line, DEEPEST) ? { id, error: `its result is nested more than ${DEEPEST} levels deep` } : value;
    return { kind: 'answer', value: answer, ms };
  }

  /** Calls `spent` once the sandbox has taken `cpuMs` since the first look. Most calls are over before that. */
  private watchCpu(cpuMs: number | undefined, spent: () => void): () => void {
    if (cpuMs === undefined || this.sandbox.cpuMs === undefined) return () => undefined;
    let watching = true;
    let first: number | undefined;
    const look = async (): Promise<void> => {
      const used = await this.sandbox.cpuMs?.();
      if (!watching || used === undefined) return;
      first ??= used;
      const leftMs = cpuMs - (used - first);
      if (leftMs <= 0) spent();
      else timer = setTimeout(() => void look(), Math.max(LOOK_MS, leftMs));
    };
    let timer = setTimeout(() => void look(), LOOK_MS);
    return () => {
      watching = false;
      clearTimeout(timer);
    };
  }

  /** Processor time of all that runs in its sandbox, by the kernel's account; undefined where there is none. */
  accountMs(): number | undefined {
    return this.sandbox.accountMs?.();
  }

  get accountsForEnded(): boolean {
    return this.sandbox.accountsForEnded === true;
  }

  /** That it ran on last; undefined where the platform does not tell. */
  get processor(): number | undefined {
    return this.sandbox.processor?.();
  }

  /** Keeps it on that processor, where the platform allows it. For a runner that has loaded no program that is doubted. */
  async confine(processor: number): Promise<void> {
    if (this.confinedTo === processor) return;
    this.confinedTo = processor;
    // Python can do it by itself, which spares a process.
    if (this.runtime === 'python') await this.ask({ op: 'pin', processor }, PIN_MS);
    else await this.sandbox.confine?.(processor);
  }

  /** Ends the runner; resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.sandbox.kill();
    await this.sandbox.exited;
  }
}

/** Not a number in sequence: an answer cannot be written before its order is known. */
function numbered(order: Order, cpuMs: number | undefined): { id: number; line: string } {
  const id = randomInt(2 ** 47);
  return { id, line: JSON.stringify({ ...order, id, cpu_ms: cpuMs }) };
}

function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    return Line.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Whether brackets and braces outside of strings nest deeper than `most`. O(length) */
function nestsDeeper(json: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      for (at++; at < json.length && json[at] !== '"'; at++) if (json[at] === '\\') at++;
    } else if (character === '[' || character === '{') {
      depth++;
      if (depth > most) return true;
    } else if (character === ']' || character === '}') depth--;
  }
  return false;
}

const nodeFlags = [
  '--no-warnings',
  '--expose-gc',
  '--single-threaded',
  // A hash seed of its own would cost a quarter of the start, and give every process other hash tables to measure.
  '--no-rehash-snapshot',
  // A young generation that grows as the program runs would be of another size in every process, and one larger than the
  // processor's own caches as fast as its neighbours let it be.
  '--min-semi-space-size=2',
  '--max-semi-space-size=2',
  // Its threads would have nothing to do.
  '--v8-pool-size=1',
];

/** `survey` is runners/survey.py or survey.cjs, in place of the runner. */
type Script = 'runner' | 'survey';

function specOf(sandboxes: SandboxFactory, runtime: RunnerRuntime, script: Script = 'runner'): SandboxSpec {
  const { limits } = sandboxes;
  const heapMb = Math.max(64, Math.floor((limits.memoryBytes / 1024 ** 2) * 0.75));
  return {
    runtime,
    argv:
      runtime === 'python'
        ? ['-S', '-s', '-B', `/peagen/${script}.py`]
        : [...nodeFlags, `--max-old-space-size=${heapMb}`, `/peagen/${script}.cjs`],
    mounts: [{ from: assetPath('executors/runners'), at: '/peagen' }],
    // Sets iterate in the same order in every process.
    env: runtime === 'python' ? { PYTHONHASHSEED: '0' } : {},
    limits: { ...limits, wallMs: limits.wallMs + WAITING_MS },
  };
}

/** What every sandbox shows and can make namespaces: a Python elsewhere would tell where, and programs of our own are not compiled. */
const SERVER = '/usr/bin/python3';
/** Where a Node that lies below a temporary folder is shown to it. */
const NODE_AT = '/node';

/** The program of a spec as one that a server in a sandbox starts; undefined where none can. */
export async function executedBy(spec: SandboxSpec): Promise<SandboxSpec | undefined> {
  if (!existsSync(SERVER)) return undefined;
  const { path, prefixes } = await findInterpreter('node');
  // Each use has folders of its own there, which would hide it.
  const isHidden = /^\/(?:tmp|dev\/shm)\//.test(path);
  const from = isHidden ? prefixes.find((prefix) => path.startsWith(prefix)) : undefined;
  const at = from === undefined ? path : `${NODE_AT}${path.slice(from.length)}`;
  const mounts = [...(spec.mounts ?? []), ...(from === undefined ? [] : [{ from, at: NODE_AT }])];
  const argv = [SERVER, '-S', '-s', '-B', '/peagen/program.py', at, ...spec.argv];
  return { ...spec, runtime: 'command', executes: 'node', argv, mounts };
}

/** Runners of one kind for one evaluation: `take` hands out warm ones, `close` ends all that are left. */
export class RunnerPool {
  private readonly waiting: Promise<Runner>[] = [];
  private readonly closing = new Set<Promise<void>>();
  private readonly sandboxes: SandboxFactory;
  readonly runtime: RunnerRuntime;
  private readonly signal: AbortSignal;
  private readonly live = new Set<Runner>();
  /** Processors that pairs are on. */
  private readonly taken = new Set<number>();
  private readonly onAbort = () => {
    for (const runner of this.live) void runner.close();
  };

  constructor(sandboxes: SandboxFactory, runtime: RunnerRuntime, signal: AbortSignal) {
    this.sandboxes = sandboxes;
    this.runtime = runtime;
    this.signal = signal;
    signal.addEventListener('abort', this.onAbort);
  }

  /** Starts runners until `count` are waiting. */
  prefetch(count: number): void {
    while (this.waiting.length < count) {
      const runner = Runner.open(this.sandboxes, this.runtime);
      // A failure surfaces at `take`.
      runner.then(
        (opened) => this.live.add(opened),
        () => undefined,
      );
      this.waiting.push(runner);
    }
  }

  /** A warm runner for one use, given back through `release`. */
  async take(): Promise<Runner> {
    this.signal.throwIfAborted();
    this.prefetch(1);
    const runner = await (this.waiting.shift() ?? Runner.open(this.sandboxes, this.runtime));
    await runner.ready();
    return runner;
  }

  /** Runs `work` with a fresh runner and ends it afterwards, without waiting for its end. */
  async use<T>(work: (runner: Runner) => Promise<T>): Promise<T> {
    const runner = await this.take();
    try {
      const result = await work(runner);
      this.signal.throwIfAborted();
      return result;
    } finally {
      this.release(runner);
    }
  }

  /** The same with two that share a processor, which is no other pair's where that can be had. */
  async usePair<T>(work: (one: Runner, other: Runner) => Promise<T>): Promise<T> {
    return await this.use((one) => this.use((other) => this.together([one, other], () => work(one, other))));
  }

  /** The same with two that are there. */
  async together<T>(pair: readonly Runner[], work: () => Promise<T>): Promise<T> {
    const on = pair.map(({ processor }) => processor);
    const processor = on.find((each) => each !== undefined && !this.taken.has(each)) ?? on[0];
    if (processor === undefined) return await work();
    this.taken.add(processor);
    try {
      await Promise.all(pair.map((runner) => runner.confine(processor)));
      return await work();
    } finally {
      this.taken.delete(processor);
    }
  }

  private release(runner: Runner): void {
    this.live.delete(runner);
    const closed = runner.close();
    this.closing.add(closed);
    void closed.then(() => this.closing.delete(closed));
  }

  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    for (const opening of this.waiting.splice(0)) {
      try {
        this.release(await opening);
      } catch {
        // It never started.
      }
    }
    await Promise.all(this.closing);
  }
}
