/**
 * Reads the results stream in order, from a position, and says how far it has come. A follower that collects reads from
 * the beginning, trims what all readers have taken in, and receives a lost server's results again from the beginning.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { PeagenError } from '../../../shared/errors.ts';
import { metrics } from '../../telemetry/metrics.ts';
import type { TaskOutcome } from '../queue.ts';
import { decodeLetter, decodeResult } from './codec.ts';
import type { Connection } from './connection/connection.ts';
import { outcomeOf } from './dead-letters.ts';
import { PendingReplies } from './pending-replies.ts';
import { entriesOf, listOf, type StreamEntry } from './replies.ts';
import { scripts } from './scripts.ts';
import type { Signer } from './signature.ts';

const BATCH = 256;
const BLOCK_MS = 2000;
const RETRY_MS = 500;
/** How long results wait for a reader that has gone silent: a collector may be a laptop that sleeps. */
const COLLECTOR_LEAVES_MS = 3_600_000;
const LISTENER_LEAVES_MS = 30_000;
/** The position is reported, and the stream trimmed, this often at most; were it lost, results would be offered again. */
const SAY_MS = 200;
const PAUSE_MS = 2;
/** A reader without news still reports that it is alive, and notices when the server has lost its data. */
const SAY_ALIVE_MS = 3000;

export interface FollowerOptions {
  readonly name: string;
  readonly collects: boolean;
  readonly take: (outcomes: TaskOutcome[]) => Promise<void>;
  readonly report: (line: string) => void;
  readonly signer: Signer;
  /** The server has lost what it knew of this reader, and so probably everything else. */
  readonly lost?: () => void;
}

/** What an entry of the stream holds: outcomes (none for a letter that nobody waits for), and why it is malformed when it is. */
interface Decoded {
  readonly outcomes: readonly TaskOutcome[];
  readonly malformed?: string;
}

export class Follower {
  private readonly connection: Connection;
  private readonly prefix: string;
  private readonly options: FollowerOptions;
  private readonly redis: Redis;
  private position = '0-0';
  private server: string | undefined;
  private readonly owed = new PendingReplies();
  private sameServer = false;
  private stopped = false;
  private saidAlive = 0;
  /** The server knows this reader: it has said its position before. */
  private known = false;
  /** Entries taken in since the position was last reported. */
  private unsaid = 0;
  /** Resolves when the follower receives everything that comes from now on. */
  readonly ready: Promise<void>;
  private readonly loop: Promise<void>;

  constructor(connection: Connection, prefix: string, options: FollowerOptions) {
    this.connection = connection;
    this.prefix = prefix;
    this.options = options;
    this.redis = connection.blocking(BLOCK_MS);
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
    // Not waited for: were the server away, its position would expire by itself.
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
    const remembered = await this.owed.track(this.connection.run(scripts.ack, this.prefix, args));
    this.saidAlive = performance.now();
    this.unsaid = 0;
    if (this.known && remembered === 0) this.options.lost?.();
    this.known = leavesMs > 0;
  }

  private async take(entries: readonly StreamEntry[]): Promise<void> {
    const outcomes: TaskOutcome[] = [];
    for (const { id, fields } of entries) {
      const found = await this.decode(fields);
      outcomes.push(...found.outcomes);
      if (found.malformed !== undefined) await this.reject(id.toString(), fields, found.malformed);
    }
    if (outcomes.length > 0) await this.options.take(outcomes);
  }

  /** Rejects only when the server is away. */
  private async decode(fields: readonly Buffer[]): Promise<Decoded> {
    // The names in complete.lua and common.lua: nearly all entries are results as they are.
    if (isResults(fields)) return this.results(fields.filter((_, at) => at % 2 === 1));
    const field = Object.fromEntries(fields.flatMap((name, i) => (i % 2 === 0 ? [[name.toString(), fields[i + 1]]] : [])));
    if (field['x'] !== undefined) {
      const letter = decodeLetter(field);
      if (letter === undefined) return malformed('The dead letter is malformed.');
      const outcome = outcomeOf(letter);
      return { outcomes: outcome === undefined ? [] : [outcome] };
    }
    if (field['b'] === undefined) return malformed('It has neither a result nor a dead letter.');
    const bytes = await this.large(field['b'].toString());
    return bytes === undefined ? malformed('It names a large result that does not exist.') : this.results([bytes]);
  }

  private results(values: readonly Buffer[]): Decoded {
    const outcomes: TaskOutcome[] = [];
    let reason: string | undefined;
    for (const value of values) {
      const result = decodeResult(value, this.options.signer);
      if (typeof result === 'string') reason = result;
      else outcomes.push({ result, dead: false });
    }
    return reason === undefined ? { outcomes } : { outcomes, malformed: reason };
  }

  private async large(id: string): Promise<Buffer | undefined> {
    try {
      return (await this.owed.track(this.redis.getBuffer(`${this.prefix}rb:${id}`))) ?? undefined;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
      throw error;
    }
  }

  /** A malformed entry goes to the dead letters, once, whichever reader comes first; the stream goes on behind it. */
  private async reject(entry: string, fields: readonly Buffer[], reason: string): Promise<void> {
    metrics.queueMalformed.inc();
    this.options.report(`The entry ${entry} in the results is malformed and went to the dead letters: ${reason}`);
    const bytes = Buffer.concat(fields.flatMap((field) => [field, Buffer.from(' ')]));
    try {
      await this.owed.track(this.connection.run(scripts.reject, this.prefix, [entry, reason, bytes]));
    } catch (error) {
      // A full server has no room for the letter; that must not stop the results behind the entry.
      if (!this.over) this.options.report(PeagenError.from(error).line);
    }
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

function malformed(reason: string): Decoded {
  return { outcomes: [], malformed: reason };
}
