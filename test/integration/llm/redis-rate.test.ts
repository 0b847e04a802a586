import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { RedisRateLimiter } from '../../../daemon/llm/rate/redis.ts';
import { RateWindow } from '../../../daemon/llm/rate/window.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';

const PASSWORD = 'planted-password';
const log = createLog({ level: 'silent' });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('the rate limit in Redis', () => {
  let redis: ChildProcess;
  let url: string;
  const open: RedisRateLimiter[] = [];

  before(async function () {
    if (spawnSync('redis-server', ['--version']).status !== 0) {
      assert.notEqual(process.env['CI'], 'true', 'redis-server is not installed');
      this.skip();
    }
    const port = await freePort();
    redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--requirepass', PASSWORD]);
    url = `redis://127.0.0.1:${port}`;
    await new Promise<void>((done) => redis.stdout?.on('data', (text: Buffer) => text.includes('Ready to accept') && done()));
  });
  after(() => redis?.kill('SIGKILL'));
  afterEach(() => {
    for (const limiter of open.splice(0)) limiter.close();
  });

  function limiter(workspace: string): RedisRateLimiter {
    const one = new RedisRateLimiter({ url, workspace, password: PASSWORD, log });
    open.push(one);
    return one;
  }

  it('is one for all workers of a workspace, and another for each workspace and back end', async () => {
    const limit = { requests: 5, tokens: Number.POSITIVE_INFINITY };
    const workers = Array.from({ length: 10 }, () => limiter('team/a'));
    const waits = await Promise.all(workers.flatMap((worker) => [worker.take('x', limit, 10), worker.take('x', limit, 10)]));
    assert.equal(waits.filter((wait) => wait === 0).length, 5);
    assert.ok(waits.every((wait) => wait <= 61_000));
    assert.equal(await limiter('team/b').take('x', limit, 10), 0);
    assert.equal(await workers[0]?.take('y', limit, 10), 0);
  });

  it('decides as the window in this process does', async () => {
    const limit = { requests: 4, tokens: 100 };
    const shared = limiter('team/same');
    const window = new RateWindow(limit);
    for (const tokens of [50, 30, 30, 20, 5, 400]) {
      assert.equal((await shared.take('x', limit, tokens)) === 0, window.take(tokens, Date.now()) === 0, String(tokens));
    }
  });

  it('takes back what a request did not use', async () => {
    const limit = { requests: 100, tokens: 100 };
    const shared = limiter('team/settle');
    assert.equal(await shared.take('x', limit, 100), 0);
    assert.ok((await shared.take('x', limit, 50)) > 0);
    await shared.settle('x', limit, -60);
    assert.equal(await shared.take('x', limit, 50), 0);
  });

  it('lets each process keep to the limit by itself while Redis is gone', async () => {
    const one = new RedisRateLimiter({ url: `redis://127.0.0.1:${await freePort()}`, workspace: 'w', password: undefined, log });
    open.push(one);
    const limit = { requests: 1, tokens: 100 };
    assert.equal(await one.take('x', limit, 1), 0);
    assert.ok((await one.take('x', limit, 1)) > 0);
  });
});
