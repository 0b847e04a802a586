/**
 * One connection to the server: statements in their order, one at a time, and the notifications of a channel. When the
 * connection is lost, it is made again, and the statement is sent again: every step of the queue may be repeated.
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const RETRY_MS = 250;

export interface ConnectionOptions {
  /** `postgres://user@host:port/database`, or `postgres:///database?host=/folder/of/the/socket`. */
  readonly url: string;
  readonly password: string | undefined;
  readonly channel: string;
  /** Makes the tables; runs once. */
  readonly setup: string;
  /** Is called with a notification; undefined when some may have been missed. */
  readonly onNotification: (message: string | undefined) => void;
}

/** An error with a code that Peagen knows. */
export class QueueError extends Error {
  readonly code: 'cancelled' | 'conflict' | 'invalid_config' | 'invalid_input' | 'unavailable';

  constructor(code: QueueError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  #client: Promise<pg.Client> | undefined;
  /** Ends when the statement before has ended, well or not. */
  #last: Promise<unknown> = Promise.resolve();
  /** Why the server cannot be reached at the moment. */
  trouble: string | undefined;

  private constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Rejects with one line when the server cannot be reached or used. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const connection = new Connection(options);
    try {
      const client = await connection.#connected();
      // Two that create a table at the same time would get in each other's way.
      await client.query(`begin; select pg_advisory_xact_lock(hashtextextended('peagen', 0)); ${options.setup}; commit`);
    } catch (caught) {
      await connection.close();
      throw new QueueError(
        'unavailable',
        `PostgreSQL cannot be used: ${caught instanceof Error ? caught.message : caught}`,
        caught,
      );
    }
    return connection;
  }

  query(text: string, values: readonly unknown[]): Promise<unknown[]> {
    const rows = this.#last.then(() => this.#send(text, values));
    this.#last = rows.catch(() => undefined);
    return rows;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await (await this.#client?.catch(() => undefined))?.end();
  }

  async #send(text: string, values: readonly unknown[]): Promise<unknown[]> {
    for (;;) {
      if (this.#closed.signal.aborted) throw new QueueError('cancelled', 'The queue was closed.');
      try {
        const client = await this.#connected();
        const { rows } = await client.query(text, [...values]);
        this.trouble = undefined;
        return rows;
      } catch (caught) {
        if (!isLost(caught)) throw caught;
        this.trouble = `PostgreSQL cannot be reached: ${caught instanceof Error ? caught.message : caught}`;
        await delay(RETRY_MS, undefined, { signal: this.#closed.signal }).catch(() => undefined);
      }
    }
  }

  #connected(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const { url, password, channel, onNotification } = this.#options;
    const client = new pg.Client({ connectionString: url, application_name: 'peagen', ...(password ? { password } : {}) });
    const lost = () => {
      this.#client = undefined;
    };
    client.on('error', lost).on('end', lost);
    client.on('notification', ({ payload }) => onNotification(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channel}`);
    } catch (caught) {
      lost();
      throw caught;
    }
    onNotification(undefined);
    return client;
  }
}

/** The connection failed, not the statement. */
function isLost(caught: unknown): boolean {
  return !(caught instanceof pg.DatabaseError) || /^(08|57P)/.test(caught.code ?? '');
}
