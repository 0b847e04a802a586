/**
 * The listening side that every queue adapter shares, in this process: subscribers, waits for one result, and the
 * recent results that answer a wait which comes late. It stores nothing durably.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { TaskId } from '../../shared/ids.ts';
import type { Result } from '../../shared/task.ts';
import type { ResultListener, TaskOutcome } from './queue.ts';
import { Recent } from './recent.ts';

const RECENT_RESULTS = 256;

interface Wait {
  readonly resolve: (result: Result | undefined) => void;
  readonly reject: (error: PeagenError) => void;
}

export class Outcomes {
  private readonly listeners = new Set<ResultListener>();
  private readonly waits = new Map<string, Set<Wait>>();
  private readonly recent = new Recent<Result>(RECENT_RESULTS);

  subscribe(listener: ResultListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  recall(id: TaskId): Result | undefined {
    return this.recent.get(id);
  }

  /** A dead letter that was put back is open again: its error is no longer its outcome. */
  forget(id: string): void {
    this.recent.delete(id);
  }

  tell({ result }: TaskOutcome): void {
    this.answer(result);
    for (const listener of this.listeners) {
      try {
        listener(result);
      } catch (error) {
        // A listener's fault is its own: the queue goes on, and the fault is seen.
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }

  /** Ends the waits for this result without telling the listeners. */
  answer(result: Result): void {
    this.recent.set(result.task_id, result);
    const waits = this.waits.get(result.task_id);
    if (waits !== undefined) {
      this.waits.delete(result.task_id);
      for (const wait of waits) wait.resolve(result);
    }
  }

  /** Ends the waits for this result with an error; a later one may succeed. */
  refuse(id: TaskId, error: PeagenError): void {
    for (const wait of [...(this.waits.get(id) ?? [])]) wait.reject(error);
  }

  wait(id: TaskId, options: { timeoutMs: number; signal?: AbortSignal }): Promise<Result | undefined> {
    const { signal } = options;
    if (signal?.aborted) return Promise.reject(cancelled(id));
    const known = this.recent.get(id);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        const waits = this.waits.get(id);
        waits?.delete(wait);
        if (waits?.size === 0) this.waits.delete(id);
      };
      const wait: Wait = {
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      };
      const abort = () => wait.reject(cancelled(id));
      const timer = setTimeout(() => wait.resolve(undefined), options.timeoutMs);
      signal?.addEventListener('abort', abort, { once: true });
      const waits = this.waits.get(id) ?? new Set();
      this.waits.set(id, waits.add(wait));
    });
  }

  close(): void {
    this.listeners.clear();
    for (const waits of [...this.waits.values()]) {
      for (const wait of [...waits]) wait.reject(new PeagenError('cancelled', 'The queue was closed.'));
    }
  }
}

function cancelled(id: TaskId): PeagenError {
  return new PeagenError('cancelled', `Waiting for the result of task ${id} was cancelled.`);
}
