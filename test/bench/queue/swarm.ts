/** A process of the bench's swarm: `URL PREFIX NAME COUNT`, COUNT workers with connections of their own. */
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';

const [url = '', prefix = '', name = '', count = '1'] = process.argv.slice(2);
const options = { leaseMs: 30_000, maxRetry: 3, retryDelayMs: 1000, prefix, report: () => undefined };
const open = () => RedisQueue.open(parseAddress(url, {}), options);
const queues = await Promise.all(Array.from({ length: Number(count) }, open));
const caps = new Set(['cpu']);
process.send?.('ready');
await new Promise((resolve) => process.once('message', resolve));

await Promise.all(
  queues.map(async (queue, i) => {
    let claim = await queue.claim({ id: `${name}-${i}`, caps }, { waitMs: 0 });
    while (claim !== undefined) {
      const { task, worker } = claim;
      const result = {
        task_id: task.id,
        status: 'ok' as const,
        data: 0,
        created_at: task.created_at,
        attempts: 0,
        worker_id: worker,
      };
      claim = (await queue.completeAndClaim(claim, result, [], caps)).next;
    }
  }),
);
process.send?.('done');
await Promise.all(queues.map((queue) => queue.close()));
process.disconnect();
