/** The result store's contract: the final word on exactly-once. Adapters pass test/conformance/results. */
import type { Config } from '../../shared/config.ts';
import type { TaskId } from '../../shared/ids.ts';
import type { Result } from '../../shared/task.ts';

export interface ResultBackend {
  /** Keeps the first result of a task; false when there was one already. Throws `storage_failed` (retryable). */
  put(result: Result): Promise<boolean>;
  get(id: TaskId): Promise<Result | undefined>;
  close(): Promise<void>;
}

declare module '../registry.ts' {
  interface PluginKinds {
    results: (config: Config, workspace: string) => Promise<ResultBackend>;
  }
}
