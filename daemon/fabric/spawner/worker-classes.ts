/** The classes of workers that a machine launches, and which of them runs the tasks of which lane. */
import { availableParallelism } from 'node:os';
import type { Config } from '../../../shared/config.ts';
import { type CapTag, canClaim } from '../../../shared/task.ts';
import { parseLane } from '../lanes.ts';

export interface WorkerClass {
  readonly name: string;
  readonly caps: readonly CapTag[];
  /** Tasks that its workers may hold at a time. */
  readonly parallel: number;
}

/** Tasks that ask models wait for the network: a run asks for as many at a time as its population, however few cores there are. */
const MODEL_PARALLEL = 32;

/**
 * Workers that hold keys are a class of their own: everything that runs candidates is done by workers that never had
 * one in their environment.
 */
export function workerClasses(caps: readonly CapTag[], config: Config, parallel = availableParallelism()): WorkerClass[] {
  const max_parallel = Math.min(config.worker.defaults.max_parallel, config.task_queue.max_workers);
  const keyless = caps.filter((tag) => tag !== 'llm');
  const classes: WorkerClass[] = [];
  if (keyless.length > 0) classes.push({ name: keyless.join('+'), caps: keyless, parallel: Math.min(max_parallel, parallel) });
  if (caps.includes('llm')) {
    const tags = caps.includes('cpu') ? ['cpu', 'llm'] : ['llm'];
    classes.push({ name: tags.join('+'), caps: tags, parallel: Math.min(max_parallel, Math.max(MODEL_PARALLEL, parallel)) });
  }
  return classes;
}

/** Waiting tasks by class: each lane counts for the first class that can run it. `homeless`: lanes that none can. */
export function demandOf(
  byLane: Readonly<Record<string, number>>,
  classes: readonly WorkerClass[],
): { pending: number[]; homeless: string[] } {
  const pending = classes.map(() => 0);
  const sets = classes.map((group) => new Set(group.caps));
  const homeless: string[] = [];
  for (const [lane, count] of Object.entries(byLane)) {
    const tags = parseLane(lane)?.tags;
    if (count === 0 || tags === undefined) continue;
    const index = sets.findIndex((caps) => canClaim(tags, caps));
    if (index < 0) homeless.push(lane);
    else pending[index] = (pending[index] ?? 0) + count;
  }
  return { pending, homeless };
}
