/** Tasks that will not be tried again: rows in the state `dead`. */
import type { DeadLetter, DeadLetterQueue } from 'peagen/plugin';
import * as z from 'zod';
import type { Connection } from './connection.js';
import { LetterRow, letterOf } from './rows.js';

const LETTERS = "select * from peagen_task where workspace = $1 and state = 'dead'";

export class PostgresDeadLetters implements DeadLetterQueue {
  readonly #connection: Connection;
  readonly #workspace: string;

  constructor(connection: Connection, workspace: string) {
    this.#connection = connection;
    this.#workspace = workspace;
  }

  async list({ limit, offset = 0 }: { limit?: number; offset?: number } = {}): Promise<DeadLetter[]> {
    const text = `${LETTERS} order by place limit $2 offset $3`;
    return await this.#letters(text, [limit ?? null, offset]);
  }

  async inspect(id: string): Promise<DeadLetter | undefined> {
    return (await this.#letters(`${LETTERS} and id = $2`, [id]))[0];
  }

  async retry(ids?: readonly string[]): Promise<number> {
    return await this.#tend(ids, true);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    return await this.#tend(ids, false);
  }

  async #letters(text: string, values: readonly unknown[]): Promise<DeadLetter[]> {
    const rows = await this.#connection.query(text, [this.#workspace, ...values]);
    return z.array(LetterRow).parse(rows).map(letterOf);
  }

  async #tend(ids: readonly string[] | undefined, again: boolean): Promise<number> {
    const text = 'select peagen_tend($1, $2, $3) as tended';
    const [row] = await this.#connection.query(text, [this.#workspace, ids ?? null, again]);
    return z.object({ tended: z.number() }).parse(row).tended;
  }
}
