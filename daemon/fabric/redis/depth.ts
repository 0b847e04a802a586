/** What waits: how much, as depth.lua returns it, and the tasks themselves, which are looked at and stay. */
import * as z from 'zod';
import { type Task, TaskKind } from '../../../shared/task.ts';
import type { Depth } from '../queue.ts';
import { decodeTask } from './codec.ts';
import type { Connection } from './connection/connection.ts';
import { ofOtherType } from './dead-letters.ts';
import { entriesOf } from './replies.ts';
import type { Signer } from './signature.ts';

const PAGE = 100;
const PATIENCE_MS = 10_000;

/** At most `limit` of each lane, of any age; what is not a task is left out. */
export async function waitingIn(connection: Connection, prefix: string, signer: Signer, limit: number): Promise<Task[]> {
  const ask = (name: string, args: (string | number)[]): Promise<unknown> =>
    connection.ask(name, args, PATIENCE_MS).catch(ofOtherType);
  const text = (reply: unknown): string => (Buffer.isBuffer(reply) ? reply.toString() : '');
  const found: Task[] = [];
  for (const lane of z
    .array(z.instanceof(Buffer))
    .parse((await ask('smembers', [`${prefix}lanes`])) ?? [])
    .map(text)) {
    const most = found.length + limit;
    for (let from = '-'; found.length < most; ) {
      const entries = entriesOf((await ask('xrange', [`${prefix}lane:${lane}`, from, '+', 'COUNT', PAGE])) ?? []);
      for (const { id: entry, fields } of entries) {
        const id = text(fields[0]);
        const [state, place, , attempts, big] = text(await ask('get', [`${prefix}t:${id}`])).split(' ');
        if (state !== 'q' || place !== text(entry)) continue;
        const bytes = big === '1' ? await ask('get', [`${prefix}b:${id}`]) : fields[1];
        const stored = { id, lane, attempts: Number(attempts), bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0) };
        const decoded = decodeTask(stored, signer);
        if (decoded.kind === 'task' && found.length < most) found.push(decoded.task);
      }
      const last = entries.at(-1);
      if (last === undefined || entries.length < PAGE) break;
      from = `(${text(last.id)}`;
    }
  }
  return found;
}

export function depthOf(reply: unknown): Depth {
  const [now = 0, delayed = 0, dead = 0, ...lanes] = z
    .array(z.union([z.number(), z.instanceof(Buffer)]))
    .parse(reply)
    .map((value) => (typeof value === 'number' ? value : value.toString()));
  const byKind: Partial<Record<TaskKind, number>> = {};
  const byLane: Record<string, number> = {};
  const oldestByLane: Record<string, number> = {};
  let [pending, claimed, oldest] = [0, 0, Number(now)];
  for (let i = 0; i + 3 < lanes.length; i += 4) {
    const [name, waiting] = [String(lanes[i]), Number(lanes[i + 1])];
    const kind = TaskKind.safeParse(name.slice(0, name.indexOf('/')));
    byLane[name] = waiting;
    if (kind.success) byKind[kind.data] = (byKind[kind.data] ?? 0) + waiting;
    pending += waiting;
    claimed += Number(lanes[i + 2]);
    if (lanes[i + 3] === '') continue;
    const since = Number(lanes[i + 3]);
    oldestByLane[name] = Math.max(0, Number(now) - since);
    oldest = Math.min(oldest, since);
  }
  return {
    pending,
    claimed,
    delayed: Number(delayed),
    dead: Number(dead),
    byKind,
    byLane,
    oldestMs: Number(now) - oldest,
    oldestByLane,
  };
}
