import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';
import { RedisServer, type RedisServerOptions, requireRedis } from '../../redis/server.ts';
import { queueConformance } from './queue-cases.ts';
import { type Open, okResult, task } from './queue-setup.ts';

const PASSWORD = 'correct-horse';

/** The ACL of a daemon: its workspace's keys, what the scripts call, nothing else. */
const daemonUser = [
  'user default off',
  `user peagen on >${PASSWORD} ~peagen:{test/*}:* -@all +@read +@write +@stream +evalsha +eval +info +time +blpop +hello +ping +client|setname -@dangerous +info -@admin`,
];

function variant(name: string, options: RedisServerOptions, env: NodeJS.ProcessEnv, user: string): void {
  describe(name, () => {
    let server: RedisServer;
    before(async function () {
      requireRedis(this);
      server = await RedisServer.start(options);
    });
    after(async () => {
      await server?.stop();
    });
    const open: Open = async (queueOptions) => {
      const address = parseAddress(server.url.replace('://', `://${user}`), { ...env, PEAGEN_REDIS_CA: server.ca });
      const prefix = `peagen:{test/${randomBytes(6).toString('hex')}}:`;
      const make = () =>
        RedisQueue.open(address, {
          leaseMs: 30_000,
          maxRetry: 3,
          retryDelayMs: 1000,
          ...queueOptions,
          prefix,
          report: (line) => {
            if (!/the store is away|dead letters/.test(line)) console.log(line);
          },
        });
      return { queue: await make(), second: await make(), pass: (ms) => delay(ms) };
    };
    queueConformance(name, open);
  });
}

describe('a queue on Redis', () => {
  it('reports tasks that have come to a spawner that could run them, and claims none', async function () {
    requireRedis(this);
    const server = await RedisServer.start();
    const options = {
      leaseMs: 30_000,
      maxRetry: 3,
      retryDelayMs: 1000,
      prefix: 'peagen:{test/arrival}:',
      report: () => undefined,
    };
    const [queue, other] = [
      await RedisQueue.open(parseAddress(server.url, {}), options),
      await RedisQueue.open(parseAddress(server.url, {}), options),
    ];
    const end = new AbortController();
    try {
      let arrivals = 0;
      const arrival = (signal: AbortSignal) => queue.arrival([new Set(['gpu']), new Set(['cpu'])], signal).then(() => ++arrivals);
      const first = arrival(end.signal);
      await other.enqueue([task({ requires: ['cpu'] })]);
      assert.equal(await first, 1, 'a lane that was made in the meantime');
      assert.deepEqual([(await queue.depth()).pending, (await queue.depth()).claimed], [1, 0]);
      assert.ok(await other.claim({ id: 'a', caps: new Set(['cpu']) }, { waitMs: 0 }));
      const never = arrival(end.signal);
      end.abort();
      await never;
      const second = arrival(new AbortController().signal);
      await other.enqueue([task({ requires: ['cpu'] })]);
      await second;
    } finally {
      await Promise.all([queue.close(), other.close()]);
      await server.stop();
    }
  });
});

describe('a Redis with append-only files that is killed and started again', () => {
  it('has every task as it was: waiting, claimed, delayed, dead and done', async function () {
    requireRedis(this);
    const server = await RedisServer.start({ appendOnly: true, extra: ['--appendfsync', 'always'] });
    const options = {
      leaseMs: 30_000,
      maxRetry: 3,
      retryDelayMs: 60_000,
      prefix: 'peagen:{test/restart}:',
      report: () => undefined,
    };
    const queue = await RedisQueue.open(parseAddress(server.url, {}), options);
    try {
      const caps = new Set(['cpu']);
      const take = async (id: string) => {
        const claim = await queue.claim({ id, caps }, { waitMs: 5000 });
        assert.ok(claim);
        return claim;
      };
      await queue.enqueue(Array.from({ length: 5 }, () => task()));
      const [done, delayed, dead, held] = [await take('a'), await take('b'), await take('c'), await take('d')];
      assert.equal(await queue.complete(done, okResult(done.task.id), [task({ kind: 'evaluate' })]), 'stored');
      assert.equal(await queue.fail(delayed, { reason: 'flaky', code: 'internal', retryable: true }), 'retry');
      assert.equal(await queue.fail(dead, { reason: 'bad', code: 'internal', retryable: false }), 'dead');
      const { oldestMs: _, oldestByLane: lanes = {}, ...before } = await queue.depth();
      assert.deepEqual([before.pending, before.claimed, before.delayed, before.dead], [2, 1, 1, 1]);

      await server.kill();
      await server.up();
      const { oldestMs: __, oldestByLane: lanesAfter = {}, ...after } = await queue.depth();
      assert.deepEqual([after, Object.keys(lanesAfter).sort()], [before, Object.keys(lanes).sort()]);
      assert.equal(await queue.complete(done, okResult(done.task.id), []), 'stored', 'the same answer as before');
      assert.equal(await queue.extend(held), true);
      assert.equal((await take('d')).task.id, held.task.id);
      assert.equal((await queue.waitResult(done.task.id, { timeoutMs: 20_000 }))?.status, 'ok');
      assert.equal((await queue.deadLetters.list())[0]?.reason, 'bad');
      assert.deepEqual([(await take('e')).task.kind, (await take('f')).task.kind].sort(), ['evaluate', 'execute']);
    } finally {
      await queue.close();
      await server.stop();
    }
  });
});

variant('redis', {}, {}, '');
variant('redis with TLS and an ACL user', { tls: true, acl: daemonUser }, { PEAGEN_REDIS_PASSWORD: PASSWORD }, 'peagen@');
variant('redis with append-only files', { appendOnly: true }, {}, '');
