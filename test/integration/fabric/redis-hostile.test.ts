import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeResult } from '../../../daemon/fabric/redis/codec.ts';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';
import { newQueueKey, queueKey, Signer } from '../../../daemon/fabric/redis/signature.ts';
import { metrics } from '../../../daemon/telemetry/metrics.ts';
import { okResult, task } from '../../conformance/queue/queue-setup.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';

const worker = { id: 'a', caps: new Set(['cpu']) };

describe('a hostile member of a Redis queue', () => {
  let server: RedisServer;
  const queues: RedisQueue[] = [];
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.close();
    const client = server.client();
    await client.flushall();
    client.disconnect();
  });
  after(() => server?.stop());

  const open = async (prefix: string, key?: Buffer) => {
    const lines: string[] = [];
    const report = (line: string) => lines.push(line);
    const options = { leaseMs: 2000, maxRetry: 3, retryDelayMs: 50, prefix, report, key };
    const queue = await RedisQueue.open(parseAddress(server.url, {}), options);
    queues.push(queue);
    return { queue, lines };
  };
  const malformed = async () => (await metrics.queueMalformed.get()).values[0]?.value ?? 0;
  const until = async (reached: () => boolean | Promise<boolean>) => {
    while (!(await reached())) await delay(20);
  };

  const entries: readonly { readonly title: string; readonly fields: readonly (string | Buffer)[] }[] = [
    { title: 'a dead letter whose time is not a number', fields: ['x', 'a'.repeat(32), 'r', 'why', 'd', 'not-a-number'] },
    { title: 'a dead letter of a time beyond the calendar', fields: ['x', 'a'.repeat(32), 'd', '9e99'] },
    { title: 'a dead letter with less than no attempts', fields: ['x', 'a'.repeat(32), 'd', '1', 'a', '-5'] },
    { title: 'the name of a large result whose key is a list', fields: ['b', 'list'] },
    { title: 'the name of a large result that does not exist', fields: ['b', 'nothing'] },
    { title: 'bytes that are no MessagePack', fields: ['r', Buffer.from([0xc1, 0xff])] },
    { title: 'names that no script writes', fields: ['__proto__', 'x', 'constructor', 'y'] },
  ];

  for (const { title, fields } of entries) {
    it(`does not stop the results with ${title}: the entry is skipped, counted and kept as a dead letter`, async () => {
      const prefix = 'peagen:{hostile}:';
      const redis = server.client();
      try {
        const { queue, lines } = await open(prefix);
        const before = await malformed();
        const heard: string[] = [];
        await redis.rpush(`${prefix}rb:list`, 'x');
        await redis.xadd(`${prefix}results`, '*', ...fields);
        queue.collect(async (outcomes) => {
          heard.push(...outcomes.map(({ result }) => result.task_id));
        });
        const honest = task();
        await queue.enqueue([honest]);
        const claim = await queue.claim(worker, { waitMs: 2000 });
        assert.ok(claim);
        await queue.complete(claim, okResult(honest.id), []);
        await until(() => heard.includes(honest.id));
        assert.equal((await malformed()) - before, 1);
        assert.equal(lines.filter((line) => /is malformed/.test(line)).length, 1, lines.join('\n'));
        const [letter, ...more] = await queue.deadLetters.list();
        assert.deepEqual([letter?.lane, letter?.code, more], ['results', 'invalid_input', []]);
        await until(async () => (await redis.xlen(`${prefix}results`)) === 0);
        assert.equal(await queue.deadLetters.purge(), 1);
      } finally {
        redis.disconnect();
      }
    });
  }

  it('does not take the good results of an entry along with a bad one', async () => {
    const prefix = 'peagen:{mixed}:';
    const redis = server.client();
    try {
      const { queue } = await open(prefix);
      const id = task().id;
      const heard: string[] = [];
      await redis.xadd(`${prefix}results`, '*', 'r', encodeResult(okResult(id), new Signer(undefined, prefix)), 'r', 'none');
      queue.collect(async (outcomes) => {
        heard.push(...outcomes.map(({ result }) => result.task_id));
      });
      await until(() => heard.includes(id));
      await until(async () => (await queue.depth()).dead === 1);
    } finally {
      redis.disconnect();
    }
  });

  it('does not stop claims, sweeps, the depth or the dead letters with keys of another type', async () => {
    const prefix = 'peagen:{types}:';
    const redis = server.client();
    try {
      const { queue } = await open(prefix);
      await redis.sadd(`${prefix}lanes`, 'execute/', 'evaluate/cpu');
      await redis.set(`${prefix}lane:execute/`, 'no stream');
      await redis.hset(`${prefix}lane:evaluate/cpu`, 'no', 'stream');
      await redis.rpush(`${prefix}t:list`, 'no record');
      await redis.zadd(`${prefix}delayed`, 1, 'list', 2, 'gone');
      await redis.set(`${prefix}t:gone`, 'd - 0 0 0 execute/cpu ');
      await redis.zadd(`${prefix}dlq`, 1, 'list', 2, 'hash', 3, 'time');
      await redis.set(`${prefix}t:hash`, 'x - 0 0 0 execute/cpu ');
      await redis.set(`${prefix}k:hash`, 'no hash');
      await redis.set(`${prefix}t:time`, 'x - 0 0 0 execute/cpu ');
      await redis.hset(`${prefix}k:time`, 'r', 'why', 'd', 'no time');
      await redis.hset(`${prefix}readers`, 'evil', 'no position');
      await redis.zadd(`${prefix}readers:until`, 9e15, 'evil');
      queue.collect(async () => undefined);
      const honest = task();
      await queue.enqueue([honest]);
      assert.equal((await queue.claim(worker, { waitMs: 2000 }))?.task.id, honest.id);
      await queue.sweep();
      assert.equal((await queue.depth()).claimed, 1);
      assert.deepEqual((await queue.deadLetters.list()).map(({ id }) => id).sort(), ['gone', 'hash', 'time']);
      await until(async () => (await redis.hexists(`${prefix}readers`, 'evil')) === 0);
    } finally {
      redis.disconnect();
    }
  });

  describe('without the key of the workspace', () => {
    const prefix = 'peagen:{signed}:';
    const key = () => queueKey({ PEAGEN_QUEUE_KEY: newQueueKey() });

    it('has its tasks refused, whether they are unsigned or signed by another key, while signed ones are worked on', async () => {
      const own = key();
      const { queue } = await open(prefix, own);
      const { queue: host } = await open(prefix, own);
      const { queue: unsigned } = await open(prefix);
      const { queue: other } = await open(prefix, key());
      const honest = task();
      await unsigned.enqueue([task()]);
      await other.enqueue([task()]);
      await queue.enqueue([honest]);
      const claim = await host.claim(worker, { waitMs: 2000 });
      assert.equal(claim?.task.id, honest.id);
      const reasons = (await queue.deadLetters.list()).map(({ reason }) => reason);
      assert.match(reasons[0] ?? '', /not signed, and this host has a key: set PEAGEN_QUEUE_KEY/);
      assert.match(reasons[1] ?? '', /signature is wrong/);
      assert.equal(reasons.length, 2);
    });

    it('has its results refused, also one that was signed as a task', async () => {
      const own = key();
      const { queue } = await open(prefix, own);
      const redis = server.client();
      try {
        const heard: string[] = [];
        const [forged, reused, honest] = [task(), task(), task()];
        await queue.enqueue([honest]);
        await redis.xadd(`${prefix}results`, '*', 'r', encodeResult(okResult(forged.id), new Signer(undefined, prefix)));
        await redis.xadd(`${prefix}results`, '*', 'r', encodeResult(okResult(forged.id), new Signer(own, 'peagen:{elsewhere}:')));
        const asTask = new Signer(own, prefix).sign(['task', reused.id, 'execute/cpu'], Buffer.from([0x80]));
        await redis.xadd(`${prefix}results`, '*', 'r', asTask);
        queue.collect(async (outcomes) => {
          heard.push(...outcomes.map(({ result }) => result.task_id));
        });
        const claim = await queue.claim(worker, { waitMs: 2000 });
        assert.ok(claim);
        await queue.complete(claim, okResult(honest.id), []);
        await until(() => heard.includes(honest.id));
        assert.deepEqual(heard, [honest.id]);
        assert.equal((await queue.deadLetters.list()).length, 3);
      } finally {
        redis.disconnect();
      }
    });

    it('is refused with a clear message when its own host has no key, and when the key is malformed', async () => {
      const { queue } = await open(prefix, key());
      const { queue: host, lines } = await open(prefix);
      await queue.enqueue([task()]);
      assert.equal(await host.claim(worker, { waitMs: 0 }), undefined);
      assert.match(lines.join(), /It is signed, and this host has no key: set PEAGEN_QUEUE_KEY/);
      assert.throws(() => queueKey({ PEAGEN_QUEUE_KEY: 'short' }), {
        code: 'invalid_config',
        message: /no key of at least 32 bytes/,
      });
    });
  });

  it('loses no run with FLUSHALL: lost tasks are back within 10 s, for idle workers and for new ones', async () => {
    const prefix = 'peagen:{flushed}:';
    const redis = server.client();
    try {
      const { queue } = await open(prefix);
      const { queue: idle } = await open(prefix);
      queue.collect(async () => undefined);
      const first = task();
      await queue.enqueue([first, task({ requires: ['cpu', 'gpu'] })]);
      // The worker knows the lane from its first task, and has it in hand.
      assert.equal((await idle.claim(worker, { waitMs: 2000 }))?.task.id, first.id);
      await until(async () => (await redis.zcard(`${prefix}readers:until`)) === 1);
      const flushed = performance.now();
      await redis.flushall();
      // A claim for a lane that is known and gone makes its stream again.
      assert.equal(await idle.claim({ ...worker, id: 'b' }, { waitMs: 0 }), undefined);
      const { queue: fresh } = await open(prefix);
      const found = await fresh.claim({ ...worker, id: 'c' }, { waitMs: 10_000 });
      assert.equal(found?.task.id, first.id);
      const takenMs = performance.now() - flushed;
      assert.ok(takenMs < 10_000, `${takenMs} ms`);
      assert.deepEqual((await redis.smembers(`${prefix}lanes`)).sort(), ['execute/cpu', 'execute/cpu+gpu']);
    } finally {
      redis.disconnect();
    }
  });
});
