/** The queue "postgres": `[task_queue] provider = "postgres"`, with the address of the server as its `url`. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Plugin } from 'peagen/plugin';
import * as z from 'zod';
import { QueueError } from './connection.js';
import { PostgresQueue } from './queue.js';

/** The table [plugins.postgres] of .peagen.toml. */
const Options = z.strictObject({
  /** Milliseconds before the first retry of a task that failed; doubles with each. */
  retry_delay_ms: z.number().positive().default(1000),
});

const schema = new URL('../../schema.sql', import.meta.url);

export default {
  options: Options,
  async make({ retry_delay_ms: retryDelayMs }, { config: { task_queue }, workspace }) {
    const { url, lease_ms, max_retry } = task_queue;
    if (url === undefined || !/^postgres(ql)?:/.test(url)) {
      throw new QueueError(
        'invalid_config',
        'The queue "postgres" needs task_queue.url, such as "postgres://peagen@host/peagen".',
      );
    }
    return await PostgresQueue.open({
      url,
      password: process.env['PEAGEN_QUEUE_PASSWORD'],
      setup: await readFile(schema, 'utf8'),
      workspace: task_queue.workspace ?? `local/${basename(workspace)}`,
      leaseMs: lease_ms,
      maxRetry: max_retry,
      retryDelayMs,
    });
  },
} satisfies Plugin<'queue', z.infer<typeof Options>>;
