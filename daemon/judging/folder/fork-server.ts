/**
 * Servers that fork the evaluations of a folder (runners/peagen_apart/server.py): what the evaluator imports is imported once.
 * Each server has one evaluation at a time. After anything but a clean answer it is ended, and the next evaluation has another.
 */
import { readdirSync, statSync } from 'node:fs';
import * as z from 'zod';
import { whileIdle } from '../../executors/idle.ts';
import { causeOf } from '../../executors/process.ts';
import type { Executor, Sandbox, SandboxExit, SandboxSpec } from '../../executors/sandbox.ts';

/** An evaluation of a program by the evaluator of a folder. */
export interface FolderPlan {
  readonly order: { readonly evaluator: string; readonly seed?: number };
  /** The program's files, below the working folder. */
  readonly files: readonly { path: string; text: string }[];
  /** The sandbox, but for its files. */
  readonly spec: SandboxSpec;
  readonly timeoutMs: number;
  /** The answer begins with it; it is told when the program's process has been made. */
  readonly word: string;
}

/** `line`: the answer; undefined when there is none. */
export interface FolderRun {
  readonly line: string | undefined;
  readonly exit: SandboxExit;
  readonly ms: number;
}

/** A server without work is ended after this time: an idle daemon has none. */
const IDLE_MS = 3000;
/** What imports leave behind in a server, and what the kernel keeps of its children, is bounded. */
const MOST_RUNS = 200;
/** Longer than any evaluation; each has a limit of its own. */
const LONGEST_MS = 24 * 3_600_000;

const End = z.object({ code: z.number().nullable(), stderr: z.string() });

const idle = new Map<string, ForkServer[]>();
/** Servers cannot be had here, for these specs. */
const refused = new Set<string>();

/** A server that is free, or a new one; undefined where none can be had, so that each evaluation starts from nothing. */
export async function takeServer(tier: Executor, { spec, order }: FolderPlan, root: string): Promise<ForkServer | undefined> {
  // Another file in the folder may hide a package that the server has imported.
  const names = readdirSync(root).filter((name) => name !== '.peagen');
  const evaluator = order.evaluator.slice(order.evaluator.indexOf('/', 1) + 1);
  const { mtimeMs, size } = statSync(`${root}/${evaluator}`);
  const key = JSON.stringify([tier.name, spec, names, mtimeMs, size]);
  const free = idle.get(key)?.pop()?.begin();
  if (free !== undefined) return free;
  if (refused.has(key)) return undefined;
  const server = await ForkServer.open(tier, spec, order.evaluator, key);
  if (server === undefined) refused.add(key);
  return server;
}

export class ForkServer {
  private readonly sandbox: Sandbox;
  private readonly key: string;
  private readonly mostCharacters: number;
  private runs = 0;
  private characters = 0;
  private taken: (() => void) | undefined;
  private ended = false;

  private constructor(sandbox: Sandbox, key: string, mostCharacters: number) {
    this.sandbox = sandbox;
    this.key = key;
    this.mostCharacters = mostCharacters;
    void sandbox.exited.then(() => {
      this.ended = true;
    });
  }

  /** Undefined when the system does not let it make namespaces, and when the imports fail or take too long. */
  static async open(tier: Executor, spec: SandboxSpec, evaluator: string, key: string): Promise<ForkServer | undefined> {
    const { limits } = spec;
    const bounds = JSON.stringify({ tmp: limits.fileBytes * 2, output: limits.outputBytes });
    const sandbox = await tier
      .open({
        ...spec,
        argv: [...spec.argv, bounds],
        files: [{ path: 'order.json', text: JSON.stringify({ evaluator }) }],
        limits: { ...limits, wallMs: LONGEST_MS },
        nests: true,
      })
      .catch(() => undefined);
    if (sandbox === undefined) return undefined;
    const late = setTimeout(() => sandbox.kill(), limits.wallMs);
    const line = await sandbox.receive();
    clearTimeout(late);
    if (line === 'ready') return new ForkServer(sandbox, key, limits.outputBytes / 4);
    sandbox.kill();
    await sandbox.exited;
    return undefined;
  }

  /** Undefined when it has ended meanwhile. */
  begin(): this | undefined {
    this.taken?.();
    return this.ended ? undefined : this;
  }

  async run({ order, files, word, timeoutMs }: FolderPlan, signal: AbortSignal): Promise<FolderRun> {
    const { sandbox } = this;
    const start = performance.now();
    let cause: SandboxExit['cause'] | undefined;
    const stop = (why: SandboxExit['cause']): void => {
      cause ??= why;
      sandbox.kill();
    };
    const abort = (): void => stop('killed');
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    const limit = setTimeout(() => stop('timeout'), timeoutMs);
    try {
      const text = JSON.stringify({ ...order, files });
      sandbox.send(String(Buffer.byteLength(text) + 1).padStart(12, '0'));
      sandbox.send(text);
      sandbox.send(word);
      const first = await sandbox.receive();
      const ms = performance.now() - start;
      const line = first === undefined || endOf(first) !== undefined ? undefined : first;
      clearTimeout(limit);
      const clean = line?.startsWith(`${word} `) === true;
      const end = endOf((clean ? await this.rest(timeoutMs) : first) ?? '');
      if (clean && end?.code === 0 && (await this.rest(timeoutMs)) === 'next') {
        this.release(line.length + end.stderr.length);
        return { line, exit: { cause: 'exit', code: 0, signal: null, stderr: end.stderr, wallMs: ms }, ms };
      }
      sandbox.kill();
      const exit = await sandbox.exited;
      if (end === undefined) return { line, exit: { ...exit, cause: cause ?? exit.cause }, ms };
      const { code, stderr } = end;
      const ended = code === null ? 'output' : causeOf(code, null, stderr);
      return { line, exit: { cause: cause ?? ended, code, signal: null, stderr, wallMs: exit.wallMs }, ms };
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
    }
  }

  /** The next line, at once: all that is left to do is to end processes. */
  private async rest(withinMs: number): Promise<string | undefined> {
    const late = setTimeout(() => this.sandbox.kill(), withinMs);
    const line = await this.sandbox.receive();
    clearTimeout(late);
    return line;
  }

  private release(characters: number): void {
    this.runs += 1;
    this.characters += characters;
    if (this.runs >= MOST_RUNS || this.characters > this.mostCharacters) {
      this.sandbox.kill();
      return;
    }
    const waiting = idle.get(this.key) ?? [];
    idle.set(this.key, waiting);
    waiting.push(this);
    this.taken = whileIdle(IDLE_MS, () => {
      waiting.splice(waiting.indexOf(this), 1);
      if (waiting.length === 0) idle.delete(this.key);
      this.sandbox.kill();
    });
  }
}

/** What the server's child says when an evaluation has ended; undefined for every other line. */
function endOf(line: string): z.infer<typeof End> | undefined {
  if (!line.startsWith('ended ')) return undefined;
  try {
    return End.parse(JSON.parse(line.slice('ended '.length)));
  } catch {
    return undefined;
  }
}
