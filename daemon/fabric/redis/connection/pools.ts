/** Which machines serve a workspace: each writes its entry into one hash again and again, and old entries are dropped. */
import * as z from 'zod';
import { WorkerPool } from '../../../../shared/protocol/cluster.ts';
import type { WorkerPools } from '../../queue.ts';
import type { Connection } from './connection.ts';

const PATIENCE_MS = 5000;
const Entry = z.object({ until: z.number(), pool: WorkerPool });

export class RedisPools implements WorkerPools {
  private readonly connection: Connection;
  private readonly key: string;

  constructor(connection: Connection, prefix: string) {
    this.connection = connection;
    this.key = `${prefix}pools`;
  }

  async announce(pool: WorkerPool, ttlMs: number): Promise<void> {
    const until = (await this.now()) + ttlMs;
    await this.connection.ask('hset', [this.key, pool.id, JSON.stringify({ until, pool })], PATIENCE_MS);
  }

  async withdraw(id: string): Promise<void> {
    await this.connection.ask('hdel', [this.key, id], PATIENCE_MS);
  }

  async list(): Promise<WorkerPool[]> {
    const found = z.record(z.string(), z.instanceof(Buffer)).parse(await this.connection.ask('hgetall', [this.key], PATIENCE_MS));
    const now = await this.now();
    const pools: WorkerPool[] = [];
    for (const [id, text] of Object.entries(found)) {
      const entry = poolEntryOf(text.toString());
      if (entry !== undefined && entry.until > now) pools.push(entry.pool);
      else await this.connection.ask('hdel', [this.key, id], PATIENCE_MS);
    }
    return pools;
  }

  /** Redis' own clock: machines differ. */
  private async now(): Promise<number> {
    const [seconds, micros] = z
      .tuple([z.coerce.number(), z.coerce.number()])
      .parse(await this.connection.ask('time', [], PATIENCE_MS));
    return seconds * 1000 + micros / 1000;
  }
}

/** Whatever a shared Redis holds there. */
export function poolEntryOf(text: string): z.infer<typeof Entry> | undefined {
  try {
    return Entry.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
