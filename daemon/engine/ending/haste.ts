/** How long the end of a run may take once a user waits for it, who has pressed Stop. */

/** Milliseconds within which a user expects a result. */
const PATIENCE_MS = 10_000;
/** The share of it that measuring to the end keeps when variants are made smaller. */
const WHOLE_MS = 4000;

export class Haste {
  private readonly now: () => number;
  private readonly making = new AbortController();
  private since: number | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Aborts when there is no time left to make a variant smaller. */
  get signal(): AbortSignal {
    return this.making.signal;
  }

  get isAsked(): boolean {
    return this.since !== undefined;
  }

  /** Infinite while nobody waits. */
  get leftMs(): number {
    return this.since === undefined ? Number.POSITIVE_INFINITY : Math.max(0, this.since + PATIENCE_MS - this.now());
  }

  /** From now on a user waits. Asked again, the time goes on. */
  begin(): void {
    if (this.since !== undefined) return;
    this.since = this.now();
    this.timer = setTimeout(() => this.making.abort(), PATIENCE_MS - WHOLE_MS);
  }

  close(): void {
    clearTimeout(this.timer);
  }
}
