/**
 * Reads the results stream in order, from a position, and says how far it has come. A follower that collects reads from
 * the beginning, trims what all readers have taken in, and hears a lost server's results again from the beginning.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { knownCode } from '../../../shared/errors.ts';
import type { Outcome } from '../queue.ts';
import { decodeResult } from './codec.ts';
import type { Connection } from './connection.ts';
import { outcomeOf } from './dead-letters.ts';
import { Owed } from './owed.ts';
import { type Entry, entriesOf, listOf } from './replies.ts';
import { scripts } from './scripts.ts';

const BATCH = 256;
const BLOCK_MS = 2000;
const RETRY_MS = 500;
/** How long results wait for a reader that has gone silent: a collector may be a laptop that sleeps. */
const COLLECTOR_LEAVES_MS = 3_600_000;
const LISTENER_LEAVES_MS = 30_000;
/** The position is told, and the stream trimmed, this often at most; were it lost, results would be offered again. */
const SAY_MS = 200;
const PAUSE_MS = 2;
/** A reader without news still says that it lives. */
const SAY_ALIVE_MS = 10_000;

export interface FollowerOptions {
  readonly name: string;
  readonly collects: boolean;
  readonly take: (outcomes: Outcome[]) => Promise<void>;
  readonly report: (line: string) => void;
}

export class Follower {
  private readonly connection: Connection;
  private readonly prefix: string;
  private readonly options: FollowerOptions;
  private readonly redis: Redis;
  private position = '0-0';
  private server: string | undefined;
  private readonly owed = new Owed();
  private sameServer = false;
  private stopped = false;
  private saidAlive = 0;
  /** Entries taken in since the position was last told. */
  private unsaid = 0;
  /** Resolves when the follower hears everything that comes from now on. */
  readonly ready: Promise<void>;
  private readonly loop: Promise<void>;

  constructor(connection: Connection, prefix: string, options: FollowerOptions) {
    this.connection = connection;
    this.prefix = prefix;
    this.options = options;
    this.redis = connection.blocking();
    this.redis.on('close', () => {
      this.sameServer = false;
    });
    this.ready = this.begin();
    this.loop = this.follow();
  }

  /** Resolves when the last batch has been taken in; does not wait for a server that is away. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.redis.disconnect();
    this.owed.end();
    await this.loop;
    // Not waited for: were the server away, its place would expire by itself.
    this.say(0).catch(() => undefined);
  }

  private get over(): boolean {
    return this.stopped || this.connection.closed;
  }

  private async begin(): Promise<void> {
    if (!this.options.collects) {
      // On the connection of the steps, so that it comes before the results of whatever this process does next.
      const newest = await this.owed.track(this.connection.ask('xrevrange', [`${this.prefix}results`, '+', '-', 'COUNT', 1]));
      const [last] = entriesOf(newest);
      if (last !== undefined) this.position = last.id.toString();
    }
    await this.say();
  }

  private async follow(): Promise<void> {
    await this.ready.catch(() => undefined);
    while (!this.over) {
      try {
        if (this.options.collects) await this.noticeNewServer();
        const read = this.redis.xreadBuffer('COUNT', BATCH, 'BLOCK', BLOCK_MS, 'STREAMS', `${this.prefix}results`, this.position);
        const [stream] = listOf((await this.owed.track(read)) ?? []);
        const entries = stream === undefined ? [] : entriesOf(listOf(stream)[1]);
        const last = entries.at(-1)?.id.toString();
        if (last !== undefined) {
          await this.take(entries);
          this.position = last;
          this.unsaid += entries.length;
        }
        const silent = performance.now() - this.saidAlive;
        const due = this.unsaid >= BATCH || silent > SAY_MS || last === undefined;
        if (silent > SAY_ALIVE_MS || (this.options.collects && this.unsaid > 0 && due)) await this.say();
        // In a flow of results, a moment's pause makes one reading of many.
        if (last !== undefined && entries.length < BATCH) await delay(PAUSE_MS);
      } catch (error) {
        if (this.over) return;
        this.options.report(`Reading results: ${error instanceof Error ? error.message : String(error)}; trying again.`);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private async say(leavesMs = this.options.collects ? COLLECTOR_LEAVES_MS : LISTENER_LEAVES_MS): Promise<void> {
    const { name, collects } = this.options;
    const args = [name, this.position, leavesMs, collects ? '1' : '0'];
    await this.owed.track(this.connection.run(scripts.ack, this.prefix, args));
    this.saidAlive = performance.now();
    this.unsaid = 0;
  }

  private async take(entries: readonly Entry[]): Promise<void> {
    const outcomes: Outcome[] = [];
    for (const { id, fields } of entries) {
      // The names in complete.lua and common.lua: nearly all entries are results as they are.
      const found = isResults(fields) ? fields.filter((_, at) => at % 2 === 1).map(resultOf) : [await this.decode(fields)];
      for (const outcome of found) {
        if (outcome === undefined) this.options.report(`The entry ${id} in the results is none; it is skipped.`);
        else if (outcome !== 'nobody') outcomes.push(outcome);
      }
    }
    if (outcomes.length > 0) await this.options.take(outcomes);
  }

  private async decode(fields: readonly Buffer[]): Promise<Outcome | 'nobody' | undefined> {
    const field = Object.fromEntries(fields.flatMap((name, i) => (i % 2 === 0 ? [[name.toString(), fields[i + 1]]] : [])));
    if (field['x'] !== undefined) {
      const letter = {
        id: field['x'].toString(),
        reason: field['r']?.toString() ?? '',
        code: knownCode(field['k']?.toString()),
        died_at: new Date(Number(field['d'])).toISOString(),
        lane: field['l']?.toString() ?? '',
        attempts: Number(field['a'] ?? 0),
      };
      return outcomeOf(letter) ?? 'nobody';
    }
    if (field['b'] === undefined) return undefined;
    return resultOf((await this.owed.track(this.redis.getBuffer(`${this.prefix}rb:${field['b']}`))) ?? undefined);
  }

  /** Another run of the server may have lost what we had read: position and stream no longer fit. */
  private async noticeNewServer(): Promise<void> {
    if (this.sameServer) return;
    const run = /^run_id:(\w+)/m.exec(await this.owed.track(this.redis.info('server')))?.[1];
    if (this.server !== undefined && run !== this.server) this.position = '0-0';
    this.server = run;
    this.sameServer = true;
  }
}

function isResults(fields: readonly Buffer[]): boolean {
  return fields.every((field, at) => at % 2 === 1 || (field.length === 1 && field[0] === 0x72));
}

function resultOf(bytes: Buffer | undefined): Outcome | undefined {
  const result = bytes === undefined ? undefined : decodeResult(bytes);
  return result === undefined ? undefined : { result, dead: false };
}
