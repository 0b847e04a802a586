/** How long the end of a run may take: a budget of its own, and less once a user who has pressed Stop waits for it. */
import type { RunSpec } from '../../../shared/run-spec.ts';

/** Milliseconds within which a user expects a result, and the most that an announcement takes unless it is to be precise. */
const MOST_MS = 10_000;
/** An announcement may take this share of the run so far… */
const SHARE = 0.2;
/** …but never less than this. */
const LEAST_MS = 2000;
/** The share of the time that is kept for measuring to the end when variants are made smaller. */
const KEPT = 0.4;

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
  private readonly now: () => number;
  private readonly making = new AbortController();
  private end = Number.POSITIVE_INFINITY;
  private asked = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Aborts when there is no time left to make a variant smaller. */
  get signal(): AbortSignal {
    return this.making.signal;
  }

  /** A user has pressed Stop. */
  get isAsked(): boolean {
    return this.asked;
  }

  /** Infinite where nothing ends the announcement. */
  get leftMs(): number {
    return Math.max(0, this.end - this.now());
  }

  /** From now on a user waits. Asked again, the time goes on. */
  stop(): void {
    if (this.asked) return;
    this.asked = true;
    this.within(MOST_MS);
  }

  /** The announcement begins, and may take this long. */
  within(ms: number): void {
    const end = this.now() + ms;
    if (end >= this.end) return;
    this.end = end;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.making.abort(), ms * (1 - KEPT));
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
