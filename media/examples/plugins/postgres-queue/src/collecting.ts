/** Offers outcomes to a sink, oldest first. They are forgotten when every collector of the workspace has taken them in. */
import { setTimeout as delay } from 'node:timers/promises';
import type { OutcomeSink } from 'peagen/plugin';
import * as z from 'zod';
import type { Connection } from './connection.js';
import { EndRow, outcomeOf } from './rows.js';
import { type Wakeups, waitFor } from './wakeups.js';

const BATCH = 256;
/** A collector without news says that it is still there. */
const SAY_MS = 10_000;
const RETRY_MS = 200;

const Row = z.object({ ...EndRow.shape, seq: z.coerce.number() });

export interface CollectingOptions {
  readonly connection: Connection;
  readonly workspace: string;
  readonly name: string;
  readonly ended: Wakeups;
  readonly sink: OutcomeSink;
}

export class Collecting {
  readonly #options: CollectingOptions;
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;

  constructor(options: CollectingOptions) {
    this.#options = options;
    this.#done = this.#run().catch((caught: unknown) => {
      if (!this.#stopped.signal.aborted) process.emitWarning(caught instanceof Error ? caught : String(caught));
    });
  }

  /** Resolves when the sink is idle. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { connection, workspace, name } = this.#options;
    try {
      let position = 0;
      while (!this.#stopped.signal.aborted) {
        await this.#say(position);
        position = await this.#offer(position);
      }
      await this.#say(position);
      await connection.query('select peagen_forget($1)', [workspace]);
    } finally {
      await connection.query('delete from peagen_reader where workspace = $1 and name = $2', [workspace, name]);
    }
  }

  /** Returns how far the sink has come. */
  async #offer(position: number): Promise<number> {
    const { connection, workspace, ended, sink } = this.#options;
    const { signal } = this.#stopped;
    const woken = ended.next();
    const text = 'select * from peagen_outcome where workspace = $1 and seq > $2 order by seq limit $3';
    const rows = z.array(Row).parse(await connection.query(text, [workspace, position, BATCH]));
    try {
      if (rows.length === 0) await waitFor(woken, { ms: SAY_MS, signal, what: 'Collecting' });
      else await sink(rows.map(outcomeOf));
      return rows.at(-1)?.seq ?? position;
    } catch (caught) {
      if (signal.aborted) return position;
      process.emitWarning(caught instanceof Error ? caught : String(caught));
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      return position;
    }
  }

  async #say(position: number): Promise<void> {
    const { connection, workspace, name } = this.#options;
    const text = `insert into peagen_reader (workspace, name, seq) values ($1, $2, $3)
      on conflict (workspace, name) do update set seq = excluded.seq, seen = clock_timestamp()`;
    await connection.query(text, [workspace, name, position]);
  }
}
