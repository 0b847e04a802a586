/**
 * Idle workers wait here: one blocking call for all of this process, on the bells of every lane that somebody waits for.
 * A bell wakes one waiter, which looks for a task; a claim that succeeds rings again.
 */
import type { Redis } from 'ioredis';
import { PeagenError } from '../../../shared/errors.ts';
import type { Connection } from './connection.ts';

/** Seconds of one blocking call; also how long a lost bell can go unheard. */
const BLOCK_S = 2;
/** Bells that wake everybody: a lane was made. */
const NEWS = 'new:';

interface Waiter {
  readonly bells: ReadonlySet<string>;
  readonly wake: () => void;
}

export class Bells {
  private readonly connection: Connection;
  private readonly prefix: string;
  /** Rung by ourselves, to take the blocking call back when somebody waits for more. */
  private readonly own: string;
  private readonly waiters = new Set<Waiter>();
  private redis: Redis | undefined;
  private listening: ReadonlySet<string> | undefined;
  private running = false;

  constructor(connection: Connection, prefix: string, name: string) {
    this.connection = connection;
    this.prefix = prefix;
    this.own = `wake:${name}`;
  }

  /** Resolves when a lane's bell rings, a lane is made beyond the `known` ones, or after `waitMs`. */
  wait(lanes: readonly string[], known: number, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    if (this.connection.closed) return Promise.reject(new PeagenError('cancelled', 'The queue was closed.'));
    const bells = new Set([...lanes, NEWS + known]);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiters.delete(waiter);
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        this.connection.signal.removeEventListener('abort', abort);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const abort = () => {
        leave();
        reject(new PeagenError('cancelled', 'The queue was closed.'));
      };
      const waiter = { bells, wake };
      const timer = setTimeout(wake, Math.min(waitMs, BLOCK_S * 1000));
      signal?.addEventListener('abort', wake, { once: true });
      this.connection.signal.addEventListener('abort', abort, { once: true });
      this.waiters.add(waiter);
      if (!this.running) void this.listen();
      else if (this.listening !== undefined && ![...bells].every((bell) => this.listening?.has(bell))) this.interrupt();
    });
  }

  private async listen(): Promise<void> {
    this.running = true;
    this.redis ??= this.connection.blocking();
    while (this.waiters.size > 0 && !this.connection.closed) {
      const bells = new Set([this.own]);
      for (const waiter of this.waiters) for (const bell of waiter.bells) bells.add(bell);
      this.listening = bells;
      try {
        const rung = await this.redis.blpop(
          [...bells].map((bell) => `${this.prefix}bell:${bell}`),
          BLOCK_S,
        );
        if (rung !== null) this.hear(rung[0].slice(`${this.prefix}bell:`.length));
      } catch {
        // The connection comes back by itself; whoever waits looks again every two seconds meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    this.listening = undefined;
    this.running = false;
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
    // Whoever comes before the call is taken back is part of the next one.
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
