/**
 * How long the end of a run may take: one budget for all that lies between the search and the announcement, and less once a user
 * who has pressed Stop waits for it. Correctness goes first; measuring and making smaller take what is left.
 */
import { PeagenError } from '../../../shared/errors.ts';
import type { TaskId } from '../../../shared/ids.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { Confirmer, Withdrawing } from './confirm.ts';

/** Milliseconds within which a user expects a result, and the most that an announcement takes unless it is to be precise. */
const MOST_MS = 10_000;
/** After Stop, the rest of the time is for ending the work in progress and for writing the result. */
const ASKED_MS = 8000;
/** An announcement may take this share of the run so far… */
const SHARE = 0.2;
/** …but never less than this. */
const LEAST_MS = 2000;
/** A run whose leaders are wrong one after another announces nothing in the end: their mistakes are mostly one. */
const MOST_AGAIN = 3;

/** Time and timers; another one in tests. */
export interface TimerClock {
  now(): number;
  /** Calls back after that many milliseconds, unless what it returns is called before. */
  after(ms: number, callback: () => void): () => void;
}

const machine: TimerClock = {
  now: () => performance.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Milliseconds that the announcement may take; undefined: as long as it needs. A deterministic run comes out the same however
 * fast the machine is, so that no clock may end it.
 */
export function announceBudget(
  { confirm, deterministic }: Pick<RunSpec, 'confirm' | 'deterministic'>,
  elapsedMs: number,
): number | undefined {
  if (confirm === 'precise' || deterministic) return undefined;
  return Math.round(Math.min(MOST_MS, Math.max(LEAST_MS, SHARE * elapsedMs)));
}

export class AnnounceDeadline {
  private readonly clock: TimerClock;
  private end = Number.POSITIVE_INFINITY;
  private asked = false;
  /** What an announcement has, in milliseconds, and how often it may have that again. */
  private budgetMs = Number.POSITIVE_INFINITY;
  private left = MOST_AGAIN;

  constructor(clock: Partial<TimerClock> = {}) {
    this.clock = { ...machine, ...clock };
  }

  /** A user has pressed Stop. */
  get isAsked(): boolean {
    return this.asked;
  }

  /** Infinite where nothing ends the announcement. */
  get leftMs(): number {
    return Math.max(0, this.end - this.clock.now());
  }

  /** A user waits from now on. A second call does not restart the time. */
  stop(): void {
    if (this.asked) return;
    this.asked = true;
    this.within(ASKED_MS);
  }

  /** The announcement begins, and may take this long. */
  within(ms: number): void {
    this.budgetMs = ms;
    this.end = Math.min(this.end, this.clock.now() + ms);
  }

  /** What was looked at is wrong: the next has the whole time, unless a user waits. Returns whether it has. */
  again(): boolean {
    if (this.asked || this.left === 0 || this.end === Number.POSITIVE_INFINITY) return false;
    this.left--;
    this.end = this.clock.now() + this.budgetMs;
    return true;
  }

  /**
   * Asks for something that may take this many milliseconds; undefined when it takes longer, and then it is taken back, so that
   * it does not disturb what comes next.
   */
  async inTime<T>(ms: number, confirmer: Withdrawing, ask: (bounded: Withdrawing) => Promise<T>): Promise<T | undefined> {
    if (ms <= 0) return undefined;
    const time = new AbortController();
    const asked = new Set<TaskId>();
    const run: Confirmer['taskClient']['run'] = (task, signal) => {
      asked.add(task.id);
      return confirmer.taskClient.run(task, signal).finally(() => signal.aborted || asked.delete(task.id));
    };
    const taskClient: Withdrawing['taskClient'] = { run, cancel: (...what) => confirmer.taskClient.cancel(...what) };
    const off = ms === Number.POSITIVE_INFINITY ? undefined : this.clock.after(ms, () => time.abort());
    try {
      return await ask({ ...confirmer, taskClient, signal: AbortSignal.any([confirmer.signal, time.signal]) });
    } catch (caught) {
      // An earlier process of this run, which had no time left either, has cancelled it.
      const isLate = time.signal.aborted || PeagenError.from(caught).code === 'cancelled';
      if (confirmer.signal.aborted || !isLate) throw caught;
      await confirmer.taskClient.cancel([...asked], 'there is no time left for it before the announcement');
      return undefined;
    } finally {
      off?.();
    }
  }
}
