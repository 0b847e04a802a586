/** Dead letters in Redis: a sorted set by time of death over the tasks' hashes. Also finds how a task has ended. */
import * as z from 'zod';
import type { TaskId } from '../../../shared/ids.ts';
import type { DeadLetter, DeadLetterQueue, TaskOutcome } from '../queue.ts';
import { deadOutcome } from '../retry.ts';
import { decodeLetter, decodeResult, decodeTask } from './codec.ts';
import type { Connection } from './connection/connection.ts';
import { entriesOf } from './replies.ts';
import { REMEMBER_S, scripts } from './scripts.ts';
import type { Signer } from './signature.ts';

const PATIENCE_MS = 10_000;
const PAGE = 100;

const Bytes = z.instanceof(Buffer);
/** Reason, code, time of death, bytes: the hash k:<id>, see common.lua. */
const Kept = z.tuple([Bytes.nullable(), Bytes.nullable(), Bytes.nullable(), Bytes.nullable()]);

export class RedisDeadLetters implements DeadLetterQueue {
  private readonly connection: Connection;
  private readonly prefix: string;
  private readonly signer: Signer;
  private readonly reopened: (ids: readonly string[]) => void;

  /** `reopened` is called with the ids of those that are open again. */
  constructor(connection: Connection, prefix: string, signer: Signer, reopened: (ids: readonly string[]) => void) {
    this.connection = connection;
    this.signer = signer;
    this.prefix = prefix;
    this.reopened = reopened;
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<DeadLetter[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
    const letters: DeadLetter[] = [];
    for (let at = offset; letters.length < limit; at += PAGE) {
      const ids = await this.ids(at, at + Math.min(PAGE, limit - letters.length) - 1);
      if (ids.length === 0) break;
      const found = await Promise.all(ids.map((id) => this.inspect(id)));
      letters.push(...found.filter((letter) => letter !== undefined));
    }
    return letters;
  }

  async inspect(id: string): Promise<DeadLetter | undefined> {
    const { state, attempts, big, lane } = await this.record(id);
    if (state !== 'x') return undefined;
    const [r, k, d, kept] = await this.kept(id);
    const bytes =
      (big === '1' ? Bytes.nullable().parse(await this.ask('get', [`${this.prefix}b:${id}`]).catch(ofOtherType)) : kept) ??
      Buffer.alloc(0);
    const text = { x: Buffer.from(id), l: Buffer.from(lane), a: Buffer.from(attempts) };
    const told = { ...text, r: r ?? undefined, k: k ?? undefined, d: d ?? undefined };
    // Another program has written there: what is known of the letter is still listed, so that it can be purged.
    const base = decodeLetter(told) ?? { ...unreadable, id, lane };
    const decoded = decodeTask({ id, lane, attempts: base.attempts, bytes }, this.signer);
    if (decoded.kind === 'task') return { ...base, task: decoded.task };
    return { ...base, raw: bytes.toString('base64') };
  }

  async retry(ids?: readonly string[]): Promise<number> {
    const chosen = ids ?? (await this.ids(0, -1));
    this.reopened(chosen);
    return await this.redrive('retry', chosen);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    return await this.redrive('purge', ids ?? (await this.ids(0, -1)));
  }

  /** How a task ended, until its result is collected; undefined while it is open. */
  async findOutcome(id: TaskId): Promise<TaskOutcome | undefined> {
    const { state, entry } = await this.record(id);
    if (state !== 'D') {
      const letter = state === 'x' ? await this.inspect(id) : undefined;
      return letter === undefined ? undefined : outcomeOf(letter);
    }
    const [found] = entriesOf(await this.ask('xrange', [`${this.prefix}results`, entry, entry]));
    const fields = found?.fields ?? [];
    const large = fields[0]?.toString() === 'b';
    const big = large ? await this.ask('get', [`${this.prefix}rb:${id}`]).catch(ofOtherType) : undefined;
    const told = Buffer.isBuffer(big) ? [big] : fields.filter((_, at) => at % 2 === 1);
    const results = told.map((bytes) => decodeResult(bytes, this.signer));
    const result = results.find((each) => typeof each !== 'string' && each.task_id === id);
    return result === undefined || typeof result === 'string' ? undefined : { result, dead: false };
  }

  /** What the scripts know of a task, see common.lua; the state is empty for an unknown one. */
  private async record(id: string) {
    const text = await this.ask('get', [`${this.prefix}t:${id}`]).catch(ofOtherType);
    const [state = '', entry = '-', , attempts, big, lane = ''] = Buffer.isBuffer(text) ? text.toString().split(' ') : [];
    return { state, entry, attempts: attempts ?? '0', big, lane };
  }

  private async kept(id: string): Promise<z.infer<typeof Kept>> {
    const fields = this.ask('hmget', [`${this.prefix}k:${id}`, 'r', 'k', 'd', 'p']);
    return Kept.catch([null, null, null, null]).parse(await fields.catch(ofOtherType));
  }

  private async redrive(what: 'retry' | 'purge', ids: readonly string[]): Promise<number> {
    let count = 0;
    for (let at = 0; at < ids.length; at += PAGE) {
      const args = [what, REMEMBER_S, ...ids.slice(at, at + PAGE)];
      count += Number(await this.connection.run(scripts.redrive, this.prefix, args, PATIENCE_MS));
    }
    return count;
  }

  private async ids(from: number, to: number): Promise<string[]> {
    return z.array(z.coerce.string()).parse(await this.ask('zrange', [`${this.prefix}dlq`, from, to]));
  }

  private ask(name: string, args: (string | number)[]): Promise<unknown> {
    return this.connection.ask(name, args, PATIENCE_MS);
  }
}

const unreadable = {
  reason: 'What was kept of the task cannot be read.',
  code: 'invalid_input',
  died_at: new Date(0).toISOString(),
  attempts: 0,
} as const;

/** A key of another type, which another program made, counts as none. */
export function ofOtherType(error: unknown): null {
  if (error instanceof Error && error.message.includes('WRONGTYPE')) return null;
  throw error;
}

/** What the caller that waits for the task gets for its dead letter. */
export function outcomeOf(letter: DeadLetter): TaskOutcome | undefined {
  const { id } = letter;
  return deadOutcome(
    letter,
    `Look at it with "peagen queue dlq inspect ${id}", put it back with "peagen queue dlq retry ${id}".`,
  );
}
