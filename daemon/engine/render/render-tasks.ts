/**
 * Renders through the queue, several templates per task: a worker's start costs more than most templates. Takes back what
 * is still in the queue when the rendering ends early.
 */
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId, type TaskId } from '../../../shared/ids.ts';
import { type CapTag, TASK_SCHEMA_V, type Task } from '../../../shared/task.ts';
import { derivedTaskId } from '../../handlers/follow-up.ts';
import type { RenderItem } from '../../render/plan.ts';
import {
  GenerateData,
  type GeneratePayload,
  RenderData,
  type RenderEngineName,
  type RenderOutcome,
  type RenderPayload,
} from '../../render/task.ts';
import type { TaskClient } from '../task-client.ts';

/** Tasks in the queue at a time. */
const IN_FLIGHT = 32;
/** Limits of one task: templates, and characters that the engine has to read for them. */
const MAX_JOBS = 64;
const MAX_CHARS = 16 * 1024 * 1024;

interface Batch {
  readonly items: readonly RenderItem[];
  readonly sources: Readonly<Record<string, string>>;
}

/** Items in their order, in parts of about the same size that one task can take: no name in a part means two texts. */
function batchesOf(items: readonly RenderItem[]): Batch[] {
  const even = Math.ceil(items.length / Math.max(1, Math.ceil(items.length / MAX_JOBS)));
  const batches: { items: RenderItem[]; sources: Record<string, string> }[] = [];
  let size = 0;
  for (const item of items) {
    let batch = batches.at(-1);
    const cost = item.shared.length + item.context.length;
    const full =
      batch === undefined ||
      batch.items.length >= even ||
      size + cost > MAX_CHARS ||
      batch.items[0]?.shared !== item.shared ||
      Object.entries(item.sources).some(([name, text]) => (batch?.sources[name] ?? text) !== text);
    if (batch === undefined || full) {
      batch = { items: [], sources: {} };
      batches.push(batch);
      size = 0;
    }
    batch.items.push(item);
    Object.assign(batch.sources, item.sources);
    size += cost;
  }
  return batches;
}

export class RenderTasks {
  private readonly engine: RenderEngineName;
  private readonly taskClient: TaskClient;
  private readonly signal: AbortSignal;
  private readonly keep: boolean;
  private readonly run = newTaskId();
  private readonly open = new Set<TaskId>();
  private count = 0;

  /** Not `keep`: nothing is left of the tasks, as what only looks wants it. */
  constructor(engine: RenderEngineName, taskClient: TaskClient, { signal, keep }: { signal: AbortSignal; keep: boolean }) {
    this.engine = engine;
    this.taskClient = taskClient;
    this.signal = signal;
    this.keep = keep;
  }

  /** One outcome per item; undefined for one that was left behind since another ended the task. */
  async outcomes(items: readonly RenderItem[]): Promise<(RenderOutcome | undefined)[]> {
    const found = await mapLimited(batchesOf(items), (batch) => this.batch(batch));
    this.signal.throwIfAborted();
    return found.flat();
  }

  /** Throws for the first item that fails. */
  readonly texts = async (items: readonly RenderItem[]): Promise<string[]> => {
    const outcomes = await this.outcomes(items);
    const failed = outcomes.find((outcome) => outcome?.kind === 'failed');
    if (failed?.kind === 'failed') throw outcomeError(failed);
    return outcomes.map((outcome) => (outcome?.kind === 'text' ? outcome.text : ''));
  };

  generate(what: string, payload: GeneratePayload): Promise<GenerateData> {
    return this.task(what, payload, ['cpu', 'llm'], (data) => GenerateData.parse(data));
  }

  async cancel(): Promise<void> {
    await this.taskClient.cancel([...this.open], 'the rendering has ended');
  }

  private async batch({ items, sources }: Batch): Promise<(RenderOutcome | undefined)[]> {
    const done: RenderOutcome[] = [];
    while (done.length < items.length && !this.signal.aborted) {
      const rest = items.slice(done.length);
      const payload: RenderPayload = {
        engine: this.engine,
        sources,
        shared: rest[0]?.shared ?? '{}',
        jobs: rest.map(({ entry, context }) => ({ template: entry, context })),
      };
      const { outcomes } = await this.task(rest[0]?.what ?? '', payload, ['cpu'], (data) => RenderData.parse(data));
      done.push(...outcomes.slice(0, rest.length));
      const last = outcomes.at(-1);
      if (last?.kind === 'failed' && last.code === 'too_large') break;
    }
    return items.map((_, index) => done[index]);
  }

  private async task<T>(what: string, payload: unknown, requires: CapTag[], read: (data: unknown) => T): Promise<T> {
    const task: Task = {
      kind: 'render',
      id: derivedTaskId(this.run, what, this.count++),
      payload,
      requires,
      attempts: 0,
      created_at: new Date().toISOString(),
      schema_v: TASK_SCHEMA_V,
    };
    this.open.add(task.id);
    const data = read(await this.taskClient.run(task, this.signal, { keep: this.keep ? 'store' : 'nowhere' }));
    this.open.delete(task.id);
    return data;
  }
}

export function outcomeError({ code, message, hint }: Extract<RenderOutcome, { kind: 'failed' }>): PeagenError {
  return new PeagenError(code, message, { hint });
}

/** Results in the order of the items, this many at work at a time. */
export async function mapLimited<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const rest = items.entries();
  const line = async () => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, line));
  return results;
}
