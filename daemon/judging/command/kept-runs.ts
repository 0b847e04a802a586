/**
 * Recent runs of the original's command that several candidates of a search are compared with. A candidate that is clearly
 * slower than them costs one run of the command; any other candidate is measured next to a fresh run of the original.
 */
import { whileIdle } from '../../executors/idle.ts';
import { LIFE, TURNS } from '../timing/kept-originals.ts';

/** An older run is not used, since the speed of the machine may have changed. */
const MOST_AGE_MS = 5000;

interface Kept<T> {
  readonly ran: T;
  readonly at: number;
  readonly left: number;
}

/** Keeps the runs of one original at a time. */
export class KeptRuns<T> {
  private key: string | undefined;
  private runs: Kept<T>[] = [];
  private stay: () => void = () => undefined;

  /** Returns the next kept run, in turns. `key` identifies the original and its folder; no run is kept for an undefined key. */
  take(key: string | undefined): T | undefined {
    const oldest = performance.now() - MOST_AGE_MS;
    this.runs = key === this.key ? this.runs.filter(({ at }) => at >= oldest) : [];
    const next = this.runs.length < TURNS ? undefined : this.runs.shift();
    if (next !== undefined && next.left > 1) this.runs.push({ ...next, left: next.left - 1 });
    return next?.ran;
  }

  put(key: string | undefined, ran: T): void {
    if (key === undefined) return;
    if (key !== this.key) this.runs = [];
    this.key = key;
    this.runs = [...this.runs, { ran, at: performance.now(), left: LIFE }].slice(-TURNS);
    this.stay();
    this.stay = whileIdle(MOST_AGE_MS, () => {
      this.runs = [];
    });
  }
}
