/** The questions to models that a run has under way. When it stops, they are broken off, and say what they have cost. */
import { setTimeout } from 'node:timers/promises';
import type { TaskId } from '../../../shared/ids.ts';
import type { Log } from '../../telemetry/log.ts';
import type { TaskClient } from '../task-client.ts';

/** A worker learns at its next heartbeat that its task is not wanted any more, and then has a moment to tidy up. */
const LAST_WORDS_MS = 12_000;

export class Questions {
  private readonly taskClient: TaskClient;
  private readonly log: Log;
  private readonly open = new Map<TaskId, Promise<unknown>>();
  private over = false;

  constructor(taskClient: TaskClient, log: Log) {
    this.taskClient = taskClient;
    this.log = log;
  }

  /** `answer` settles with the task. */
  track<T>(id: TaskId, answer: Promise<T>): Promise<T> {
    const tracked = answer.finally(() => this.open.delete(id));
    this.open.set(id, tracked);
    return tracked;
  }

  /** Resolves when all questions have ended, with a whole answer, a part of one or none, or when no answer can come any more. */
  async breakOff(): Promise<void> {
    if (this.open.size === 0) return;
    const answered = Promise.allSettled(this.open.values());
    const enough = new AbortController();
    try {
      await this.taskClient.withdraw([...this.open.keys()], 'the run has stopped');
      await Promise.race([answered, setTimeout(LAST_WORDS_MS, undefined, { signal: enough.signal })]);
    } catch (caught) {
      this.log.warn({ err: caught }, 'questions to models could not be withdrawn');
    } finally {
      enough.abort();
    }
    this.over = true;
    if (this.open.size > 0)
      this.log.warn(
        { tasks: [...this.open.keys()] },
        'these questions did not say what they have cost; all that they may have cost is counted',
      );
  }

  /** It was cancelled and has not reported its cost yet. */
  unaccounted(id: TaskId): boolean {
    return this.over && this.open.has(id);
  }
}
