/**
 * A circuit breaker (M. Nygard, "Release It!"): after some failures in a row a back end is left alone for a while, then
 * tried with one request. Pure: the caller gives the time, in milliseconds.
 */
type BreakerState = 'closed' | 'open' | 'half_open';

const THRESHOLD = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

export class Breaker {
  private failures = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private openUntil: number | undefined;
  private probing = false;

  state(now: number): BreakerState {
    if (this.openUntil === undefined) return 'closed';
    return now < this.openUntil || this.probing ? 'open' : 'half_open';
  }

  /** Whether a request may be made now; in the half-open state only the first caller may. Each true needs one `success`, `failure` or `abandon`. */
  enter(now: number): boolean {
    const state = this.state(now);
    if (state === 'half_open') this.probing = true;
    return state !== 'open';
  }

  /** When it is worth asking again: now, when not open; while another question probes the back end, a moment later. */
  nextTry(now: number): number {
    if (this.state(now) !== 'open') return now;
    return Math.max(this.openUntil ?? now, now + 50);
  }

  success(): void {
    this.failures = 0;
    this.pauseMs = FIRST_PAUSE_MS;
    this.openUntil = undefined;
    this.probing = false;
  }

  failure(now: number): void {
    this.failures++;
    if (this.probing) this.pauseMs = Math.min(LONGEST_PAUSE_MS, this.pauseMs * 2);
    if (this.probing || (this.failures >= THRESHOLD && this.openUntil === undefined)) this.openUntil = now + this.pauseMs;
    this.probing = false;
  }

  /** The request ended without telling anything about the back end: it was cancelled. */
  abandon(): void {
    this.probing = false;
  }
}
