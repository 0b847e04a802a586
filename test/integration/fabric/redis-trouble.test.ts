import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { announcePool } from '../../../daemon/fabric/presence.ts';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { checkCluster } from '../../../daemon/fabric/redis/connection/check.ts';
import { checkServer } from '../../../daemon/fabric/redis/connection/connection.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';
import type { Log } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { okResult, task } from '../../conformance/queue/queue-setup.ts';
import { freePort, RedisServer, type RedisServerOptions, requireRedis } from '../../redis/server.ts';

const PREFIX = 'peagen:{team/project}:';
/** The port that this server listens on from now on. */
async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

const worker = { id: 'a', caps: new Set(['cpu']) };

describe('trouble with Redis', () => {
  const servers: RedisServer[] = [];
  const queues: RedisQueue[] = [];
  before(function () {
    requireRedis(this);
  });
  afterEach(async () => {
    for (const queue of queues.splice(0)) await queue.close();
    for (const server of servers.splice(0)) await server.stop();
  });

  const serve = async (options: RedisServerOptions = {}) => {
    const server = await RedisServer.start(options);
    servers.push(server);
    return server;
  };
  const connect = async (url: string, env: NodeJS.ProcessEnv = {}, prefix = PREFIX) => {
    const lines: string[] = [];
    const options = { leaseMs: 2000, maxRetry: 3, retryDelayMs: 50, prefix, report: (line: string) => lines.push(line) };
    const queue = await RedisQueue.open(parseAddress(url, env), options);
    queues.push(queue);
    return { queue, lines };
  };
  /** The one line that a user sees. */
  const refusal = async (url: string, env: NodeJS.ProcessEnv = {}) => {
    try {
      await connect(url, env);
    } catch (error) {
      assert.ok(error instanceof PeagenError, String(error));
      assert.ok(!error.line.includes('\n'));
      return error.line;
    }
    assert.fail('it connected');
  };

  it('names a server that is not there', async () => {
    const port = await freePort();
    assert.match(
      await refusal(`redis://127.0.0.1:${port}`),
      new RegExp(`Redis at 127.0.0.1:${port} does not answer: .*ECONNREFUSED.*task_queue.url`),
    );
    assert.match(await refusal('redis://no-such-host.invalid'), /no-such-host.invalid:6379 (cannot be found|does not answer)/);
  });

  it('names a wrong and a missing password, and never shows one', async () => {
    const { port } = await serve({ extra: ['--requirepass', 'right'] });
    const wrong = await refusal(`redis://:wrong-one@127.0.0.1:${port}`);
    assert.match(wrong, /refuses the password of user "default".*PEAGEN_REDIS_PASSWORD/);
    assert.ok(!wrong.includes('wrong-one'));
    assert.match(await refusal(`redis://127.0.0.1:${port}`), /asks for a password.*PEAGEN_REDIS_PASSWORD/);
    await connect(`redis://127.0.0.1:${port}`, { PEAGEN_REDIS_PASSWORD: 'right' });
  });

  it('names an eviction policy that would lose tasks', async () => {
    const server = await serve({ extra: ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'] });
    assert.match(await refusal(server.url), /maxmemory-policy allkeys-lru.*noeviction/);
  });

  it('names a server that is too old, and takes Valkey', () => {
    assert.throws(() => checkServer('redis_version:6.2.14\r\n', 'host:1'), { code: 'unsupported', message: /6\.2\.14.*7\.0/ });
    checkServer('redis_version:7.2.4\r\nserver_name:valkey\r\nmaxmemory_policy:noeviction\r\n', 'host:1');
  });

  it('is found by a look at it, with what the user may not do, and nothing is left there', async () => {
    const server = await serve({
      acl: ['user default on nopass ~* +@all', 'user few on >pw ~* +@all -xautoclaim -zadd', 'user other on >pw ~other:* +@all'],
    });
    const look = (user: string, password: string | undefined) =>
      checkCluster(
        `redis://${user}@127.0.0.1:${server.port}`,
        PREFIX,
        password === undefined ? {} : { PEAGEN_REDIS_PASSWORD: password },
      );
    const all = await look('default', undefined);
    assert.deepEqual([all.denied, all.pools, all.user, all.where], [[], [], 'default', `127.0.0.1:${server.port}`]);
    assert.match(all.version, /^7\./);
    assert.ok(all.latency_ms > 0);
    assert.deepEqual((await look('few', 'pw')).denied.sort(), ['XAUTOCLAIM', 'ZADD']);
    await assert.rejects(look('other', 'pw'), { code: 'invalid_config', message: /denies user "other" what the queue needs/ });
    const client = server.client();
    assert.deepEqual(await client.keys('*'), []);
    client.disconnect();
  });

  it('is recognised by a look at it when TLS fails', async () => {
    const server = await serve({ tls: true });
    await assert.rejects(checkCluster(server.url, PREFIX, {}), (error: PeagenError) => {
      assert.match(error.line, /certificate/i);
      return true;
    });
    await assert.rejects(checkCluster(server.url.replace('rediss', 'redis'), PREFIX, {}), { name: 'PeagenError' });
  });

  it('shows the workers that serve a workspace while they say so, and the tasks that wait', async () => {
    const server = await serve();
    const { queue } = await connect(server.url);
    await queue.pools.announce({ id: 'a', host: 'one', classes: [{ caps: ['cpu'], parallel: 2 }] }, 60_000);
    await queue.pools.announce({ id: 'b', host: 'two', classes: [] }, -1);
    await queue.enqueue([task(), task()]);
    const seen = await checkCluster(server.url, PREFIX, {});
    assert.deepEqual(
      seen.pools.map(({ host }) => host),
      ['one'],
    );
    assert.deepEqual([seen.pending, seen.claimed], [2, 0]);
    await queue.pools.withdraw('a');
    assert.deepEqual(await queue.pools.list(), []);
  });

  it('counts the workers of all hosts of a workspace, and says when they are more than its soft limit', async () => {
    const server = await serve();
    const { queue } = await connect(server.url);
    const warned = Promise.withResolvers<string>();
    const warn = (message: unknown) => warned.resolve(String(message));
    const log: Log = { debug: () => undefined, info: () => undefined, warn, error: warn, child: () => log };
    const { task_queue } = Config.parse({});
    const classes = [{ name: 'cpu', caps: ['cpu'], parallel: 200 }];
    const first = announcePool(queue, classes, log, task_queue);
    const second = announcePool(queue, classes, log, task_queue);
    assert.match(await warned.promise, /^400 workers serve this workspace, more than the 256 of task_queue\.max_workers/);
    await Promise.all([first(), second()]);
  });

  it('names what the user is not permitted to do: keys, commands, and commands of a script', async () => {
    const users = { keys: '~other:* +@all', command: '~* +@all -evalsha', scripted: '~* +@all -mget' };
    const lines = Object.entries(users).map(([name, rights]) => `user ${name} on >pw ${rights}`);
    const server = await serve({ acl: ['user default on nopass ~* +@all', ...lines] });
    for (const name of Object.keys(users)) {
      const { queue } = await connect(`redis://${name}:pw@127.0.0.1:${server.port}`);
      await assert.rejects(queue.enqueue([task()]), (error: PeagenError) => {
        assert.equal(error.code, 'invalid_config', error.line);
        assert.match(error.line, new RegExp(`denies user "${name}".*[+]@read`));
        return true;
      });
    }
  });

  it('shows what the server answers when something else has written to its keys', async () => {
    const server = await serve();
    const { queue } = await connect(server.url);
    const other = server.client();
    try {
      await other.set(`${PREFIX}lane:execute/cpu`, 'no stream');
      await assert.rejects(queue.enqueue([task()]), { message: /answers with an error: WRONGTYPE/ });
    } finally {
      other.disconnect();
    }
  });

  it('names both ways of getting TLS wrong, and a certificate that is not trusted', async () => {
    const [plain, secure] = [await serve(), await serve({ tls: true })];
    assert.match(await refusal(`rediss://127.0.0.1:${plain.port}`), /TLS.*redis:\/\//);
    assert.match(await refusal(`redis://127.0.0.1:${secure.port}`), /expects TLS.*rediss:\/\//);
    assert.match(await refusal(secure.url), /certificate.*PEAGEN_REDIS_CA/);
    await connect(secure.url, { PEAGEN_REDIS_CA: secure.ca });
  });

  it('takes a server that hangs up for one that is away, not for one with TLS: it may be on its way down', async () => {
    const ends: ((socket: Socket) => unknown)[] = [(socket) => socket.end(), (socket) => socket.resetAndDestroy()];
    for (const end of ends) {
      const dying = createServer((socket) => socket.on('error', () => undefined).once('data', () => end(socket)));
      await assert.rejects(connect(`redis://127.0.0.1:${await portOf(dying)}`), (error: PeagenError) => {
        assert.deepEqual([error.code, error.retryable], ['unavailable', true], error.line);
        return true;
      });
      dying.close();
    }
  });

  it('gives up on a server that accepts and says nothing, with and without TLS', async () => {
    const silent = createServer(() => undefined);
    const port = await portOf(silent);
    try {
      for (const scheme of ['redis', 'rediss']) {
        await assert.rejects(connect(`${scheme}://127.0.0.1:${port}`), { code: 'unavailable', message: /does not answer/ });
      }
    } finally {
      silent.close();
    }
  });

  it('says that the server is gone and back, once each; work resumes, and nothing is lost or doubled', async () => {
    const server = await serve({ appendOnly: true });
    const { queue, lines } = await connect(server.url);
    const { queue: workers } = await connect(server.url);
    const results = new Map<string, number>();
    queue.collect(async (outcomes) => {
      for (const { result } of outcomes) results.set(result.task_id, (results.get(result.task_id) ?? 0) + 1);
    });
    const tasks = Array.from({ length: 40 }, () => task());
    await queue.enqueue(tasks.slice(0, 20));
    const held = await workers.claim(worker, { waitMs: 2000 });
    assert.ok(held);
    await server.kill();
    const later = queue.enqueue(tasks.slice(20));
    const completing = workers.complete(held, okResult(held.task.id), []);
    await assert.rejects(queue.depth(), { code: 'unavailable' });
    assert.match(queue.trouble ?? '', /does not answer/);
    await server.up();
    await later;
    assert.equal(await completing, 'stored');
    assert.equal(queue.trouble, undefined);
    for (let i = 1; i < tasks.length; i++) {
      const claim = await workers.claim(worker, { waitMs: 5000 });
      assert.ok(claim);
      await workers.complete(claim, okResult(claim.task.id), []);
    }
    while (results.size < tasks.length) await delay(20);
    assert.deepEqual(
      [...results.values()],
      tasks.map(() => 1),
    );
    const said = lines.filter((line) => /does not answer|is back/.test(line));
    assert.equal(said.length, 2, lines.join('\n'));
    assert.match(said[0] ?? '', /goes on when it is back/);
    assert.equal((await queue.depth()).dead, 0);
  });

  it('goes on when every connection is cut', async () => {
    const server = await serve();
    const { queue } = await connect(server.url);
    const admin = server.client();
    try {
      const waiting = queue.claim(worker, { waitMs: 20_000 });
      for (let round = 0; round < 5; round++) {
        await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        await queue.depth();
      }
      await queue.enqueue([task()]);
      assert.ok(await waiting);
    } finally {
      admin.disconnect();
    }
  });

  it('drains a full server: workers go on while producers hear why they cannot', async () => {
    const server = await serve({ extra: ['--maxmemory', '20mb', '--maxmemory-policy', 'noeviction'] });
    const { queue } = await connect(server.url);
    queue.collect(async () => undefined);
    let accepted = 0;
    const fill = async () => {
      for (;;) {
        await queue.enqueue(Array.from({ length: 20 }, () => task({ payload: 'x'.repeat(20_000) })));
        accepted += 20;
      }
    };
    await assert.rejects(fill(), (error: PeagenError) => /is full/.test(error.line) && error.retryable);
    let finished = 0;
    for (;;) {
      const claim = await queue.claim(worker, { waitMs: 100 });
      if (claim === undefined) break;
      assert.equal(await queue.complete(claim, okResult(claim.task.id), []), 'stored');
      finished += 1;
    }
    assert.ok(finished >= accepted, `${finished} of ${accepted}`);
    await queue.enqueue([task()]);
  });

  it('enqueues again what a server has lost', async () => {
    const server = await serve();
    const { queue, lines } = await connect(server.url);
    queue.collect(async () => undefined);
    const tasks = Array.from({ length: 30 }, () => task());
    await queue.enqueue(tasks);
    await server.kill();
    await server.up();
    assert.equal((await queue.depth()).pending, 0);
    await queue.reconcile();
    assert.equal((await queue.depth()).pending, 30);
    assert.ok(lines.some((line) => /forgotten 30/.test(line)));
    await queue.reconcile();
    assert.equal((await queue.depth()).pending, 30);
  });
});

describe('what others write into Redis', () => {
  let server: RedisServer;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  after(() => server?.stop());
  const open = (prefix: string) =>
    RedisQueue.open(parseAddress(server.url, {}), {
      leaseMs: 2000,
      maxRetry: 3,
      retryDelayMs: 50,
      prefix,
      report: () => undefined,
    });

  it('makes dead letters of malformed entries, with their bytes and a reason, and goes on', async () => {
    const queue = await open('peagen:{a}:');
    const redis = server.client();
    try {
      const [good, bad, wrongLane] = [task(), task(), task()];
      await queue.enqueue([bad, wrongLane]);
      const lane = 'peagen:{a}:lane:execute/cpu';
      // The queue's own entries, with other bytes in them: as somebody with access to Redis could write them.
      for (const [one, bytes] of [
        [bad, Buffer.from([0xc1, 0xff])],
        [wrongLane, Buffer.from('84a46b696e64a46e6f6e65', 'hex')],
      ] as const) {
        const entry = await redis.xadd(lane, '*', one.id, bytes);
        const record = (await redis.get(`peagen:{a}:t:${one.id}`)) ?? '';
        const [, old = ''] = record.split(' ');
        await redis.xdel(lane, old);
        await redis.set(`peagen:{a}:t:${one.id}`, record.replace(old, entry ?? ''));
      }
      await redis.xadd(lane, '*', 'whatever', Buffer.from([0, 1, 2, 255]));
      await redis.xadd(lane, '*', 'feedfeedfeedfeed', 'y');
      await queue.enqueue([good]);
      assert.equal((await queue.claim(worker, { waitMs: 2000 }))?.task.id, good.id);
      const letters = await queue.deadLetters.list();
      assert.equal(letters.length, 4);
      for (const letter of letters) {
        assert.ok(letter.reason.length > 10);
        assert.equal(letter.task, undefined);
        assert.ok(Buffer.from(letter.raw ?? '', 'base64').length > 0);
      }
      assert.equal((await queue.depth()).claimed, 1);
      assert.equal(await queue.deadLetters.purge(), 4);
    } finally {
      redis.disconnect();
      await queue.close();
    }
  });

  it('keeps workspaces apart', async () => {
    const [one, other] = [await open('peagen:{team/one}:'), await open('peagen:{team/other}:')];
    const redis = server.client();
    try {
      await one.enqueue([task()]);
      assert.equal(await other.claim(worker, { waitMs: 50 }), undefined);
      assert.equal((await other.depth()).pending, 0);
      assert.ok(await one.claim(worker, { waitMs: 1000 }));
      const keys = await redis.keys('*');
      assert.ok(
        keys.every((key) => /^peagen:\{[\w/]+\}:/.test(key)),
        keys.join(' '),
      );
    } finally {
      redis.disconnect();
      await one.close();
      await other.close();
    }
  });

  it('leaves nothing behind but memories that expire, also of large payloads and results', async () => {
    const queue = await open('peagen:{tidy}:');
    const redis = server.client();
    try {
      let collected = 0;
      queue.collect(async (outcomes) => {
        collected += outcomes.length;
      });
      for (let i = 0; i < 20; i++) {
        const one = task({ payload: 'x'.repeat(i * 5000) });
        await queue.enqueue([one]);
        const claim = await queue.claim(worker, { waitMs: 1000 });
        assert.ok(claim);
        await queue.complete(claim, okResult(one.id, 'y'.repeat(i * 5000)), []);
      }
      const left = async () =>
        (await redis.keys('peagen:{tidy}:*')).filter((key) => !key.includes(':t:') && !key.includes(':bell:'));
      const kept = /:(lane:execute\/cpu|lanes|results|readers|readers:until|swept|rblobs|rb:\w+)$/;
      while (collected < 20 || (await redis.xlen('peagen:{tidy}:results')) > 0) await delay(20);
      assert.deepEqual(
        (await left()).filter((key) => !kept.test(key)),
        [],
      );
      assert.ok((await left()).filter((key) => /:rb:/.test(key)).length <= 1);
      for (const key of await redis.keys('peagen:{tidy}:t:*')) assert.ok((await redis.ttl(key)) > 0);
    } finally {
      redis.disconnect();
      await queue.close();
    }
  });
});
