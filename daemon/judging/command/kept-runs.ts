/**
 * Runs of the original with which more than one newcomer of a search is compared: a candidate that is clearly slower than them
 * costs one run of the command. Who is not is run again next to a fresh one, and who would take a title only next to fresh ones.
 */
import { whileIdle } from '../../executors/idle.ts';
import { LIFE, TURNS } from '../timing/kept-originals.ts';

/** The machine may be another one after this time. */
const MOST_AGE_MS = 5000;

interface Kept<T> {
  readonly ran: T;
  readonly at: number;
  readonly left: number;
}

/** Of one original at a time. */
export class KeptRuns<T> {
  private key: string | undefined;
  private runs: Kept<T>[] = [];
  private stay: () => void = () => undefined;

  /** `key`: what was run; undefined: that is not known, and nothing is kept. Of several, they take turns. */
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
