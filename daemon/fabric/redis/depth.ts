/** What depth.lua returns, as the queue's contract has it. */
import * as z from 'zod';
import { TaskKind } from '../../../shared/task.ts';
import type { Depth } from '../queue.ts';

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
