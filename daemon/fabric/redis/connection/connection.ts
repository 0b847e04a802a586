/**
 * Connections to one Redis and the way every step is sent: again until it is answered, because each is harmless to
 * repeat. Says once when the server goes away and once when it is back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Command, Redis } from 'ioredis';
import { PeagenError } from '../../../../shared/errors.ts';
import { PendingReplies } from '../pending-replies.ts';
import type { Script } from '../scripts.ts';
import type { Address } from './address.ts';
import { speaksPlain, speaksTls } from './protocol-probe.ts';
import { explain, passing } from './redis-errors.ts';

const OLDEST_VERSION = 7;
/** Beyond what a call blocks: the only thing that notices a half-open connection. */
const SOCKET_TIMEOUT_MS = 8000;
const CONNECT_TIMEOUT_MS = 5000;
const MISMATCH_MS = 2000;
const LONGEST_RETRY_MS = 2000;

export type Argument = string | number | Buffer;

export class Connection {
  readonly address: Address;
  private readonly main: Redis;
  private readonly others: Redis[] = [];
  private readonly report: (line: string) => void;
  private readonly owed = new PendingReplies();
  private readonly closing = new AbortController();
  /** Why the server cannot be reached at the moment. */
  private away: string | undefined;
  private corked = false;

  private constructor(address: Address, report: (line: string) => void) {
    this.address = address;
    this.report = report;
    this.main = new Redis({ ...address.options, ...settings, lazyConnect: true });
    this.watch(this.main);
  }

  /** Connects and checks the server; rejects with one clear line when it cannot serve. */
  static async open(address: Address, report: (line: string) => void): Promise<Connection> {
    await probe(address);
    const connection = new Connection(address, report);
    try {
      await connection.main.connect();
    } catch (error) {
      connection.main.disconnect();
      throw explain(error, address.where, address.user);
    }
    return connection;
  }

  get closed(): boolean {
    return this.closing.signal.aborted;
  }

  get trouble(): string | undefined {
    return this.away;
  }

  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /** A connection for calls that block for `longestMs` at most, owned and closed by this one. */
  blocking(longestMs: number): Redis {
    const redis = new Redis({ ...this.address.options, ...settings, socketTimeout: longestMs + SOCKET_TIMEOUT_MS });
    redis.on('error', () => undefined);
    this.others.push(redis);
    return redis;
  }

  /** Runs a script on the workspace's keys. `patienceMs`: for whom a user waits; without it, until the queue is closed. */
  async run(script: Script, prefix: string, args: readonly Argument[], patienceMs?: number): Promise<unknown> {
    const giveUp = patienceMs === undefined ? undefined : performance.now() + patienceMs;
    return await this.again(() => this.send(script, prefix, args, giveUp), giveUp);
  }

  /** A plain command that changes nothing. */
  ask(name: string, args: Argument[], patienceMs?: number): Promise<unknown> {
    const giveUp = patienceMs === undefined ? undefined : performance.now() + patienceMs;
    return this.again(() => this.patiently(this.command(name, args), giveUp), giveUp);
  }

  private async again(step: () => Promise<unknown>, giveUp: number | undefined): Promise<unknown> {
    for (let failures = 0; ; failures++) {
      const retryMs = retryDelay(failures);
      this.assertOpen();
      try {
        return await step();
      } catch (error) {
        this.assertOpen();
        if (!passing(error)) throw explain(error, this.address.where, this.address.user);
        if (giveUp !== undefined && performance.now() + retryMs > giveUp)
          throw explain(error, this.address.where, this.address.user);
        await delay(retryMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closing.abort();
    for (const redis of [this.main, ...this.others]) redis.disconnect();
    this.owed.end();
  }

  private async send(script: Script, prefix: string, args: readonly Argument[], giveUp: number | undefined): Promise<unknown> {
    try {
      return await this.patiently(this.command('evalsha', [script.sha, 1, prefix, ...args]), giveUp);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await this.patiently(this.command('eval', [script.text, 1, prefix, ...args]), giveUp);
    }
  }

  /** Any command on the main connection; replies are buffers. Commands of one turn leave in one write. */
  command(name: string, args: Argument[]): Promise<unknown> {
    const { stream } = this.main;
    if (!this.corked && stream !== undefined) {
      this.corked = true;
      stream.cork();
      process.nextTick(() => {
        this.corked = false;
        stream.uncork();
      });
    }
    const command = new Command(name, args);
    this.main.sendCommand(command);
    return this.owed.track(command.promise);
  }

  /** Closing rejects whatever is under way, so only impatience needs a timer. */
  private async patiently(answer: Promise<unknown>, giveUp: number | undefined): Promise<unknown> {
    if (giveUp === undefined) return await answer;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(explain(new Error('no answer in time'), this.address.where, this.address.user)),
      Math.max(1, giveUp - performance.now()),
    );
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  private assertOpen(): void {
    if (this.closed) throw new PeagenError('cancelled', 'The queue was closed.');
  }

  private watch(redis: Redis): void {
    let last: unknown = new Error('the connection was closed');
    redis.on('error', (error) => {
      last = error;
    });
    redis.on('close', () => {
      if (this.away !== undefined || this.closed) return;
      this.away = explain(last, this.address.where, this.address.user).line;
      this.report(this.away);
    });
    redis.on('ready', () => {
      if (this.away !== undefined) this.report(`Redis at ${this.address.where} is back; work goes on.`);
      this.away = undefined;
    });
  }
}

/** Milliseconds to wait after this number of failures in a row: the same from the sixth on. */
export function retryDelay(failures: number): number {
  return Math.min(50 * 2 ** Math.min(failures, 6), LONGEST_RETRY_MS);
}

const settings = {
  protocol: 2,
  maxRetriesPerRequest: null,
  socketTimeout: SOCKET_TIMEOUT_MS,
  connectTimeout: CONNECT_TIMEOUT_MS,
  keepAlive: 10_000,
  disableClientInfo: true,
  replyMapping: 'legacy',
  retryStrategy: retryDelay,
} as const;

/** One attempt on a connection of its own, so that the reason of a failure is the first one, and is reported at once. */
async function probe({ options, where, user }: Address): Promise<void> {
  const redis = new Redis({
    ...options,
    protocol: 2,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    enableReadyCheck: false,
    disableClientInfo: true,
    replyMapping: 'legacy',
    retryStrategy: () => null,
  });
  let first: unknown;
  redis.on('error', (error) => {
    first ??= error;
  });
  try {
    await redis.connect();
    checkServer(await redis.info(), where);
  } catch (error) {
    const reason = error instanceof PeagenError ? error : (first ?? error);
    // A server with TLS hangs up on plain text without a word; one without waits for the rest of the handshake.
    if (options.tls === undefined && /closed|ECONNRESET|EPIPE/.test(String(reason)) && (await speaksTls(options, MISMATCH_MS))) {
      throw new PeagenError('invalid_config', `Redis at ${where} expects TLS.`, {
        hint: 'Use rediss:// in task_queue.url.',
        cause: error,
      });
    }
    if (options.tls !== undefined && /ETIMEDOUT/.test(String(reason)) && (await speaksPlain(options, MISMATCH_MS))) {
      throw new PeagenError('invalid_config', `Redis at ${where} does not answer in TLS.`, {
        hint: 'Use redis:// in task_queue.url, or give the server a TLS port.',
        cause: error,
      });
    }
    throw explain(reason, where, user);
  } finally {
    redis.disconnect();
  }
}

/** `info` as Redis prints it. Valkey reports a Redis version for compatibility. */
export function checkServer(info: string, where: string): void {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const version = field('redis_version') ?? '';
  if (field('server_name') !== 'valkey' && !(Number.parseInt(version, 10) >= OLDEST_VERSION)) {
    throw new PeagenError('unsupported', `Redis at ${where} has version ${version || 'unknown'}; the queue needs 7.0 or newer.`, {
      hint: 'Update it, or use Valkey 8.',
    });
  }
  const policy = field('maxmemory_policy');
  if (policy !== undefined && policy !== 'noeviction') {
    throw new PeagenError('unsupported', `Redis at ${where} has maxmemory-policy ${policy}: it would drop waiting tasks.`, {
      hint: 'Set "maxmemory-policy noeviction" on the server.',
    });
  }
  if (field('loading') === '1')
    throw new PeagenError('unavailable', `Redis at ${where} is still loading its data.`, {
      hint: 'Try again in a moment.',
    });
}
