/**
 * Idle workers wait here: one blocking call for all of this process, on the bells of every lane that somebody waits for.
 * Behind the call, on the same connection, stands a claim for the one who waits longest: the server makes it as soon as a
 * bell rings, so that a task takes one way to its worker, not three. When that claim finds nothing, the bell wakes one
 * waiter, which looks for a task itself; a claim that succeeds rings again.
 */
import type { Redis } from 'ioredis';
import { PeagenError } from '../../../shared/errors.ts';
import type { Argument, Connection } from './connection/connection.ts';
import { type FoundTask, foundOf, listOf } from './replies.ts';
import { scripts } from './scripts.ts';

/** Seconds of one blocking call; also how long a lost bell can go unheard. */
const BLOCK_S = 10;
/** Bells that wake everybody: a lane was made. */
const NEWS = 'new:';

interface Waiter {
  readonly lanes: readonly string[];
  readonly bells: ReadonlySet<string>;
  /** What claim.lua takes, to claim for it. */
  readonly claim: readonly Argument[];
  /** Ends the wait, with a task that was claimed for it. */
  readonly wake: (found?: FoundTask) => void;
  /** Its time is over, and a claim for it is under way. */
  leaving: boolean;
}

export class Wakeups {
  private readonly connection: Connection;
  private readonly prefix: string;
  /** Rung by ourselves, to take the blocking call back when somebody waits for more, or not any more. */
  private readonly own: string;
  private readonly waiters = new Set<Waiter>();
  private redis: Redis | undefined;
  private listening: ReadonlySet<string> | undefined;
  /** For whom the claim behind the blocking call is. */
  private served: Waiter | undefined;
  private running = false;

  constructor(connection: Connection, prefix: string, name: string) {
    this.connection = connection;
    this.prefix = prefix;
    this.own = `wake:${name}`;
  }

  /**
   * Resolves with a task that was claimed; with nothing when it is time to look: a lane's bell rang, a lane was made beyond
   * the `known` ones, `waitMs` or a moment have passed, `signal` fired. A task may come after all of these.
   */
  wait(
    lanes: readonly string[],
    known: number,
    worker: string,
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
      const waiter: Waiter = { lanes, bells, claim: [lanes.length, ...lanes, worker], wake, leaving: false };
      const timer = setTimeout(over, Math.min(waitMs, BLOCK_S * 1000));
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
      const [served] = this.waiters;
      if (served === undefined) break;
      this.served = served;
      const keys = [...bells].map((bell) => `${this.prefix}bell:${bell}`);
      try {
        const ringing = this.redis.blpop(keys, BLOCK_S);
        const claiming = this.redis.callBuffer('evalsha', scripts.claim.sha, 1, this.prefix, ...served.claim);
        // Refused, as by a server that does not know the script, it is made again by the next caller that wakes.
        const answer = claiming.then(listOf, () => undefined);
        const bell = (await ringing)?.[0].slice(`${this.prefix}bell:`.length);
        const values = await answer;
        const found = values === undefined ? undefined : foundOf(values, 0);
        this.served = undefined;
        if (typeof found === 'object') served.wake(found);
        else if (found === undefined || served.leaving) served.wake();
        // In a lane of its own the one who was served has just looked.
        if (bell !== undefined && !served.lanes.includes(bell)) this.hear(bell);
      } catch {
        served.wake();
        // The connection comes back by itself; a caller that waits looks again meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    this.served = undefined;
    this.listening = undefined;
    this.running = false;
  }

  private open(): Redis {
    return this.connection.blocking().on('close', () => this.lost());
  }

  /** Nobody waits for the answer of a server that is gone. What it claimed all the same, it takes back with the lease. */
  private lost(): void {
    if (this.served?.leaving) this.served.wake();
  }

  private hear(bell: string): void {
    if (bell === this.own) return;
    const news = bell.startsWith(NEWS);
    // Every process has to hear the news: it is rung on, and expires.
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
