/** The conformance suite of task queues: every adapter passes all of it. `open` gives a queue on an empty workspace. */
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { claimCases } from './queue-claim-cases.ts';
import { completeCases } from './queue-complete-cases.ts';
import { endCases } from './queue-end-cases.ts';
import { outcomeCases } from './queue-outcome-cases.ts';
import { type Fresh, type Open, RETRY } from './queue-setup.ts';

export function queueConformance(name: string, open: Open): void {
  describe(`${name}: the queue contract`, function () {
    this.timeout(300_000);
    const opened: TaskQueue[] = [];
    const fresh: Fresh = async (options = {}) => {
      const result = await open({ leaseMs: 60_000, retryDelayMs: RETRY, maxRetry: 3, ...options });
      opened.push(result.queue, result.second);
      return result;
    };
    afterEach(async () => {
      for (const queue of opened.splice(0)) await queue.close();
    });

    for (const cases of [claimCases, completeCases, endCases, outcomeCases]) cases(fresh);
  });
}
