/** The stub's durable side: outcomes wait here until a collector has taken them in. */
import { setTimeout as delay } from 'node:timers/promises';
import { PeagenError } from '../../../shared/errors.ts';
import type { OutcomeSink, TaskOutcome } from '../queue.ts';

const BATCH = 256;
const RETRY_MS = 200;

export class Feed {
  private pending: TaskOutcome[] = [];
  private sink: OutcomeSink | undefined;
  private pumping: Promise<void> | undefined;
  private readonly stopped = new AbortController();

  push(outcome: TaskOutcome): void {
    this.pending.push(outcome);
    this.start();
  }

  collect(sink: OutcomeSink): () => Promise<void> {
    if (this.sink !== undefined) throw new PeagenError('conflict', 'This queue already has a collector.');
    this.sink = sink;
    this.start();
    return async () => {
      if (this.sink === sink) this.sink = undefined;
      await this.pumping;
    };
  }

  async close(): Promise<void> {
    this.sink = undefined;
    this.stopped.abort();
    await this.pumping;
  }

  private start(): void {
    if (this.sink === undefined || this.pumping !== undefined || this.pending.length === 0) return;
    this.pumping = this.pump().finally(() => {
      this.pumping = undefined;
      this.start();
    });
  }

  private async pump(): Promise<void> {
    // Lets the steps that are on their way add to the first batch.
    await Promise.resolve();
    while (this.sink !== undefined && this.pending.length > 0) {
      const batch = this.pending.length <= BATCH ? this.pending : this.pending.slice(0, BATCH);
      const taken = batch.length;
      if (batch === this.pending) this.pending = [];
      else this.pending = this.pending.slice(taken);
      try {
        await this.sink(batch);
      } catch (error) {
        this.pending = batch.concat(this.pending);
        // A sink that was stopped gives up on what it holds; that is not a fault.
        if (this.sink === undefined) return;
        process.emitWarning(error instanceof Error ? error : String(error));
        await delay(RETRY_MS, undefined, { signal: this.stopped.signal }).catch(() => undefined);
      }
    }
  }
}
