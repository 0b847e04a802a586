/**
 * Idle workers wait here: one blocking call for all of this process, on the wake-up keys of every lane that a worker waits for.
 * Behind the call, on the same connection, stands a claim for the worker that has waited longest: the server makes it as soon as a
 * bell rings, so that a task takes one way to its worker, not three. When that claim finds nothing, the bell wakes one
 * waiter, which looks for a task itself; a claim that succeeds rings again.
 */
import type { Redis } from 'ioredis';
import { PeagenError } from '../../../shared/errors.ts';
import type { Argument, Connection } from './connection/connection.ts';
import { type FoundTask, foundOf, listOf } from './replies.ts';
import { scripts } from './scripts.ts';

/**
 * Milliseconds of one blocking call, which doubles while nothing is heard; also how long a lost bell can go unheard. With what
 * a sweep and a lease take, the longest one stays below the minute in which a crashed worker's task is done.
 */
const [SHORTEST_BLOCK_MS, LONGEST_BLOCK_MS] = [10_000, 40_000];
/** What a timer can count. */
const LONGEST_WAIT_MS = 3_600_000;
/** Bells that wake everybody: a lane was made. */
const NEWS = 'new:';

interface Waiter {
  readonly lanes: readonly string[];
  readonly bells: ReadonlySet<string>;
  /** The number of lanes of the workspace when it looked. */
  readonly known: number;
  /** What claim.lua takes, to claim for it; undefined for one that only wants to be woken. */
  readonly claim: readonly Argument[] | undefined;
  /** Ends the wait, with a task that was claimed for it. */
  readonly wake: (found?: FoundTask) => void;
  /** Its time is over, and a claim for it is under way. */
  leaving: boolean;
}

export class Wakeups {
  private readonly connection: Connection;
  private readonly prefix: string;
  /** A key that this process writes itself, to end the blocking call when the lanes that are waited for change. */
  private readonly own: string;
  private readonly waiters = new Set<Waiter>();
  private redis: Redis | undefined;
  private listening: ReadonlySet<string> | undefined;
  /** For whom the claim behind the blocking call is. */
  private served: Waiter | undefined;
  private running = false;
  private blockMs = SHORTEST_BLOCK_MS;

  constructor(connection: Connection, prefix: string, name: string) {
    this.connection = connection;
    this.prefix = prefix;
    this.own = `wake:${name}`;
  }

  /**
   * Resolves with a task that was claimed; with nothing when it is time to look: a lane's bell rang, a lane was made beyond
   * the `known` ones, `waitMs` have passed, nothing was heard for long, `signal` fired. A task may come after all of these.
   * Without a `worker` nothing is claimed.
   */
  wait(
    lanes: readonly string[],
    known: number,
    worker: string | undefined,
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<FoundTask | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    if (this.connection.closed) return Promise.reject(new PeagenError('cancelled', 'The queue was closed.'));
    const bells = new Set([...lanes, NEWS + known]);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiters.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        this.connection.signal.removeEventListener('abort', abort);
      };
      const wake = (found?: FoundTask) => {
        leave();
        resolve(found);
      };
      const over = () => {
        // The claim that is under way may have found a task already; without a connection there is nothing to wait for.
        if (this.served !== waiter || this.redis?.status !== 'ready') wake();
        else if (!waiter.leaving) {
          waiter.leaving = true;
          this.interrupt();
        }
      };
      const abort = () => {
        leave();
        reject(new PeagenError('cancelled', 'The queue was closed.'));
      };
      const claim = worker === undefined ? undefined : [lanes.length, ...lanes, worker];
      const waiter: Waiter = { lanes, bells, known, claim, wake, leaving: false };
      const timer = setTimeout(over, Math.min(waitMs, LONGEST_WAIT_MS));
      signal?.addEventListener('abort', over, { once: true });
      this.connection.signal.addEventListener('abort', abort, { once: true });
      this.waiters.add(waiter);
      if (!this.running) void this.listen();
      else if (this.listening !== undefined && ![...bells].every((bell) => this.listening?.has(bell))) this.interrupt();
    });
  }

  private async listen(): Promise<void> {
    this.running = true;
    this.redis ??= this.open();
    while (this.waiters.size > 0 && !this.connection.closed) {
      const bells = new Set([this.own]);
      for (const waiter of this.waiters) for (const bell of waiter.bells) bells.add(bell);
      this.listening = bells;
      const served = [...this.waiters].find(({ claim }) => claim !== undefined);
      this.served = served;
      const keys = [...bells].map((bell) => `${this.prefix}bell:${bell}`);
      try {
        const ringing = this.redis.blpop(keys, this.blockMs / 1000);
        const answer = this.claimFor(served, this.redis);
        const bell = (await ringing)?.[0].slice(`${this.prefix}bell:`.length);
        const found = await answer;
        this.served = undefined;
        if (typeof found === 'object') served?.wake(found);
        else if (found === undefined || served?.leaving || found !== served?.known) served?.wake();
        if (bell !== this.own)
          this.blockMs = bell === undefined ? Math.min(2 * this.blockMs, LONGEST_BLOCK_MS) : SHORTEST_BLOCK_MS;
        // After a long silence each looks for itself.
        if (bell === undefined) for (const waiter of [...this.waiters]) waiter.wake();
        // In a lane of its own, the worker that was served has just looked.
        else if (!served?.lanes.includes(bell)) this.hear(bell);
      } catch {
        served?.wake();
        // The connection comes back by itself; a caller that waits looks again meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    this.served = undefined;
    this.listening = undefined;
    this.running = false;
  }

  private async claimFor(served: Waiter | undefined, redis: Redis): Promise<FoundTask | number | undefined> {
    if (served?.claim === undefined) return undefined;
    // Refused, as by a server that does not know the script, it is made again by the next caller that wakes.
    const values = await redis
      .callBuffer('evalsha', scripts.claim.sha, 1, this.prefix, ...served.claim)
      .then(listOf, () => undefined);
    return values === undefined ? undefined : foundOf(values, 0);
  }

  private open(): Redis {
    return this.connection.blocking(LONGEST_BLOCK_MS).on('close', () => this.lost());
  }

  /** The answer of a server that is gone is not waited for. What it claimed all the same, it takes back when the lease ends. */
  private lost(): void {
    if (this.served?.leaving) this.served.wake();
  }

  private hear(bell: string): void {
    if (bell === this.own) return;
    const news = bell.startsWith(NEWS);
    // Every process has to be woken: the key is written again, and expires.
    if (news) this.ring(bell);
    for (const waiter of [...this.waiters]) {
      if (!waiter.bells.has(bell)) continue;
      waiter.wake();
      if (!news) return;
    }
  }

  private interrupt(): void {
    // A caller that comes before the call is taken back is part of the next one.
    this.listening = undefined;
    this.ring(this.own);
  }

  private ring(bell: string): void {
    const key = `${this.prefix}bell:${bell}`;
    const ignore = () => undefined;
    this.connection.command('rpush', [key, '1']).catch(ignore);
    this.connection.command('expire', [key, 10]).catch(ignore);
  }
}
