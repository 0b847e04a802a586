/**
 * Runners of the original that serve more than one pair while a run searches: what they report is not doubted, and a warm one
 * saves a process for each pair. One process in eight is slow for its whole life, so that two take turns and neither is kept
 * for long: the search then finds champions as good as with fresh ones (`npm run bench -- race`).
 */
import { createHash } from 'node:crypto';
import type { FunctionOptions, Outcome } from '../../../shared/judging.ts';
import { whileIdle } from '../../executors/idle.ts';
import { Runner, type RunnerRuntime } from '../../executors/runner.ts';
import type { SandboxFactory } from '../../executors/sandbox.ts';
import { runCalls, type Source } from '../function/correctness.ts';
import { peakKb } from '../function/figures.ts';
import { tuned } from '../tuned.ts';
import type { PairedRunner } from './paired-runner.ts';

/** Pairs of one process, and processes that take turns. */
export const { life: LIFE, repeats: TURNS } = tuned;
/** Without a candidate for this long the search has ended, or waits for a model. */
const MOST_IDLE_MS = 3000;

/** `T`: what stays in a runner between two pairs. */
interface Kept<T> {
  readonly runner: Runner;
  readonly original: T;
  /** The number of pairs that it can still serve. */
  readonly left: number;
  /** The runner is not waiting any more. */
  readonly taken: () => void;
}

export class KeptOriginals<T = PairedRunner> {
  private readonly sandboxes: SandboxFactory;
  private readonly runtime: RunnerRuntime;
  private readonly idleMs: number;
  private idle: Kept<T>[] = [];
  private lent = 0;

  constructor(sandboxes: SandboxFactory, runtime: RunnerRuntime, idleMs = MOST_IDLE_MS) {
    this.sandboxes = sandboxes;
    this.runtime = runtime;
    this.idleMs = idleMs;
  }

  /**
   * Lends a warm runner with the original in it, or a new one that has still to load it. `work` returns the original for the
   * next pair; undefined, and when it throws or is aborted: the runner is of no further use.
   */
  async use<R>(
    signal: AbortSignal,
    work: (runner: Runner, original: T | undefined) => Promise<{ result: R; original: T | undefined }>,
  ): Promise<R> {
    signal.throwIfAborted();
    const alive = this.idle.length + this.lent;
    const kept = alive < TURNS ? undefined : this.idle.shift();
    kept?.taken();
    this.lent++;
    // The first is replaced halfway, so that not all are replaced at a time.
    const left = (kept?.left ?? (alive === 0 ? LIFE / 2 : LIFE)) - 1;
    let runner = kept?.runner;
    let stays = false;
    const stop = (): void => void runner?.close();
    signal.addEventListener('abort', stop);
    try {
      runner ??= await this.open();
      const { result, original } = await work(runner, kept?.original);
      stays = original !== undefined && left > 0 && this.idle.length < TURNS && !signal.aborted;
      if (original !== undefined && stays) this.keep({ runner, original, left });
      return result;
    } finally {
      signal.removeEventListener('abort', stop);
      this.lent--;
      if (!stays) stop();
    }
  }

  /** Ends the runners that wait for a pair. */
  async close(): Promise<void> {
    for (const { taken } of this.idle) taken();
    await Promise.all(this.idle.splice(0).map(({ runner }) => runner.close()));
  }

  private async open(): Promise<Runner> {
    const runner = await Runner.open(this.sandboxes, this.runtime);
    await runner.ready();
    return runner;
  }

  private keep(one: Omit<Kept<T>, 'taken'>): void {
    const taken = whileIdle(this.idleMs, () => {
      this.idle = this.idle.filter(({ runner }) => runner !== one.runner);
      void one.runner.close();
    });
    this.idle.push({ ...one, taken });
  }
}

const known = new WeakMap<SandboxFactory, Map<string, KeptOriginals>>();
/** Originals that are remembered: those of earlier runs have no runners any more. */
const MOST = 16;

/** Both sides have made all calls in their runner before, so that neither's is in another state than the other's. */
export interface KeptRunners {
  readonly originals: KeptOriginals;
  /** The one in which the candidate was found to be correct. */
  readonly candidate: Runner;
  /** Makes all calls in a runner of the original; an outcome when it fails. */
  readonly rehearse: (runner: Runner) => Promise<Outcome | undefined>;
}

/** `repeats`: of the given calls in a pass. */
export function keptRunners(
  candidate: Runner,
  runtime: RunnerRuntime,
  sandboxes: SandboxFactory,
  judged: { readonly source: Source; readonly options: FunctionOptions; readonly repeats: number },
): KeptRunners {
  const { source, options } = judged;
  const { wallMs } = sandboxes.limits;
  const bounds = { loadMs: wallMs, callsMs: wallMs, cpuMs: undefined, operations: undefined };
  return {
    originals: keptOriginals(sandboxes, runtime, judged),
    candidate,
    rehearse: async (runner) => {
      const ran = await runCalls(runner, source, options, bounds, undefined);
      const peak = ran.ok ? await peakKb(runner, options, wallMs) : ran.outcome;
      return typeof peak === 'number' ? undefined : peak;
    },
  };
}

/** Hashes of the originals whose sources these are, with all that they are called with. */
const hashes = new WeakMap<Source, string>();

function keptOriginals(sandboxes: SandboxFactory, runtime: RunnerRuntime, judged: { readonly source: Source }): KeptOriginals {
  const all = known.get(sandboxes) ?? new Map<string, KeptOriginals>();
  known.set(sandboxes, all);
  const key = hashes.get(judged.source) ?? createHash('sha256').update(JSON.stringify(judged)).digest('base64');
  hashes.set(judged.source, key);
  const kept = all.get(key) ?? new KeptOriginals(sandboxes, runtime);
  all.delete(key);
  all.set(key, kept);
  const [oldest] = all.keys();
  if (oldest !== undefined && all.size > MOST) all.delete(oldest);
  return kept;
}
