/** Sweeps every second while there is work, otherwise when the next delayed task is due, and at least once per lease. */
import * as z from 'zod';
import { metrics } from '../../telemetry/metrics.ts';
import { parseLane } from '../lanes.ts';
import type { QueueOptions, SweepReport } from '../queue.ts';
import { LEASE_EXPIRED, LONGEST_DELAY_MS } from '../retry.ts';
import type { Argument } from './connection/connection.ts';

const SWEEP_MS = 1000;
/**
 * While nobody works and nothing waits for another attempt. A task that is claimed right after a sweep is seen by the next one
 * before its lease is over, as long as this is no longer than a lease.
 */
const IDLE_SWEEP_MS = 30_000;
const SWEEP_AT_MOST = 500;

export class Sweeper {
  private readonly script: (args: readonly Argument[]) => Promise<unknown>;
  private readonly options: QueueOptions;
  private readonly complain: (error: unknown) => void;
  /** When the next sweep may find something, in milliseconds after the last one. */
  private dueMs = SWEEP_MS;
  private stirred = false;
  private closed = false;
  private timer: NodeJS.Timeout | undefined;

  /** `script` runs sweep.lua; `complain` is called with the reason why a sweep in the background failed. */
  constructor(script: Sweeper['script'], options: QueueOptions, complain: Sweeper['complain']) {
    this.script = script;
    this.options = options;
    this.complain = complain;
    this.later();
  }

  /** `withinMs`: nothing is done when another process has swept in this time. */
  async sweep(withinMs = 0): Promise<SweepReport> {
    const { leaseMs, maxRetry, retryDelayMs } = this.options;
    const jitter = 0.8 + 0.4 * Math.random();
    this.stirred = false;
    const args = [leaseMs, maxRetry, retryDelayMs, jitter, LEASE_EXPIRED, SWEEP_AT_MOST, LONGEST_DELAY_MS, withinMs];
    const [promoted, reclaimed, due, ...died] = z
      .array(z.union([z.number(), z.instanceof(Buffer)]))
      .parse(await this.script(args));
    for (const lane of died) {
      const kind = parseLane(lane.toString())?.kind;
      if (kind !== undefined) metrics.queueDead.inc({ kind });
    }
    const longestMs = Math.min(IDLE_SWEEP_MS, leaseMs);
    const nextMs = this.stirred ? SWEEP_MS : due === -1 ? longestMs : Math.min(Number(due), longestMs);
    this.dueMs = Math.max(SWEEP_MS, nextMs);
    return { promoted: Number(promoted), reclaimed: Number(reclaimed), died: died.length };
  }

  /** Something is under way again, of which a sweep may have to take care. */
  stir(): void {
    this.stirred = true;
    if (this.dueMs === SWEEP_MS) return;
    this.dueMs = SWEEP_MS;
    clearTimeout(this.timer);
    this.later();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
  }

  private later(): void {
    this.timer = setTimeout(async () => {
      await this.sweep(SWEEP_MS / 2).catch((error) => this.complain(error));
      if (!this.closed) this.later();
    }, this.dueMs);
    // A caller that waits for something keeps the process alive.
    this.timer.unref();
  }
}
