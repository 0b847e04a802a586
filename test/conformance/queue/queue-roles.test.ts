/** The rules that `peagen queue acl` prints are enough for what each role does, and for nothing else. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { QueueOptions } from '../../../daemon/fabric/queue.ts';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { queueAcl } from '../../../daemon/fabric/redis/connection/roles.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { queueConformance } from './queue-cases.ts';
import { okResult, take, task, worker } from './queue-setup.ts';

const passwords = { PEAGEN_DAEMON_PASSWORD: 'd-word', PEAGEN_HOST_PASSWORD: 'h-word', PEAGEN_AUTOSCALER_PASSWORD: 'a-word' };

describe('the users of a cluster', () => {
  let server: RedisServer;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start({ acl: queueAcl('team/*', passwords) });
  });
  after(() => server?.stop());

  const connect = (role: string, workspace: string, options: Partial<QueueOptions> = {}) => {
    const address = parseAddress(server.url.replace('://', `://peagen-${role}@`), { PEAGEN_REDIS_PASSWORD: `${role[0]}-word` });
    const defaults = { leaseMs: 60_000, maxRetry: 3, retryDelayMs: 20, report: () => undefined };
    return RedisQueue.open(address, { ...defaults, ...options, prefix: `peagen:{${workspace}}:` });
  };
  const client = (role: string) => server.client({ username: `peagen-${role}`, password: `${role[0]}-word` });

  queueConformance('redis as the daemon of a cluster', async (options) => {
    const workspace = `team/${randomBytes(6).toString('hex')}`;
    const [queue, second] = [await connect('daemon', workspace, options), await connect('daemon', workspace, options)];
    return { queue, second, pass: (ms) => delay(ms) };
  });

  it('let a host claim, extend, complete, fail, give back and announce itself', async () => {
    const [daemon, host] = [await connect('daemon', 'team/host'), await connect('host', 'team/host')];
    const tasks = Array.from({ length: 3 }, () => task());
    await daemon.enqueue(tasks);
    const done = await take(host, worker('a'));
    assert.equal(await host.extend(done), true);
    assert.equal(await host.complete(done, okResult(done.task.id), [task({ kind: 'evaluate' })]), 'stored');
    assert.equal((await daemon.waitResult(done.task.id, { timeoutMs: 20_000 }))?.status, 'ok');
    assert.equal(await host.fail(await take(host, worker('b')), { reason: 'no', code: 'internal', retryable: true }), 'retry');
    await host.release(await take(host, worker('c')));
    await host.sweep();
    const pool = { id: 'p', host: 'h', classes: [{ caps: ['cpu'], parallel: 2 }] };
    await host.pools.announce(pool, 60_000);
    assert.deepEqual(await daemon.pools.list(), [pool]);
    await Promise.all([daemon.close(), host.close()]);
  });

  it('let an autoscaler measure lanes, and change nothing', async () => {
    const daemon = await connect('daemon', 'team/scale');
    await daemon.enqueue([task(), task()]);
    const scaler = client('autoscaler');
    assert.equal(await scaler.xlen('peagen:{team/scale}:lane:execute/cpu'), 2);
    await assert.rejects(scaler.xadd('peagen:{team/scale}:lane:execute/cpu', '*', 'a', 'b'), /NOPERM/);
    await assert.rejects(scaler.eval('return 1', 0), /NOPERM/);
    scaler.disconnect();
    await daemon.close();
  });

  it('keep three users and workspaces apart on one Redis', async () => {
    const names = ['team/one', 'team/two', 'team/three'];
    const queues = await Promise.all(names.map((name) => connect('daemon', name)));
    const tasks = names.map(() => task());
    await Promise.all(queues.map((queue, index) => queue.enqueue(tasks.slice(index, index + 1))));
    for (const [index, queue] of queues.entries()) {
      assert.equal((await queue.depth()).pending, 1);
      assert.equal((await take(queue, worker('w'))).task.id, tasks[index]?.id);
      assert.equal(await queue.claim(worker('v'), { waitMs: 0 }), undefined);
      await queue.close();
    }
  });

  it('reach no workspace of another team, and no command that a queue does not need', async () => {
    await assert.rejects(
      connect('daemon', 'other/one').then((queue) => queue.depth()),
      /NOPERM|permissions/i,
    );
    for (const role of ['daemon', 'host']) {
      const connection = client(role);
      for (const command of ['flushall', 'config', 'keys', 'acl', 'shutdown']) {
        await assert.rejects(connection.call(command, ...(command === 'keys' ? ['*'] : [])), /NOPERM|wrong number/);
      }
      connection.disconnect();
    }
  });
});
