/** `peagen worker start` ends in bounded time in every state, also when its Redis is gone; and it says how it is over HTTP. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entryPoint } from '../../../daemon/assets.ts';
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { retryDelay } from '../../../daemon/fabric/redis/connection/connection.ts';
import { openRedisQueue } from '../../../daemon/fabric/redis/open.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';
import { evaluateTask } from '../../conformance/launchers/launcher.ts';
import { freePort, RedisServer, requireRedis } from '../../redis/server.ts';
import { handlersPackage, pidAt, runs, until } from './worker-fabric.ts';

const GRACE_MS = 6000;
/** For the start of processes on a busy machine; far below the ten minutes that an unbounded end took. */
const SLACK_MS = 10_000;

describe('the end of "worker start"', function () {
  this.timeout(180_000);
  let redis: RedisServer;
  let folder: string;
  let queue: TaskQueue | undefined;
  let child: ChildProcess;
  let said: { out: string; err: string };
  let ended: Promise<number | null>;

  before(function () {
    requireRedis(this);
  });
  beforeEach(async () => {
    redis = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'peagen-stop-'));
    const text = `[task_queue]\nprovider = "redis"\nurl = "${redis.url}"\nlease_ms = 3000\n`;
    await writeFile(join(folder, '.peagen.toml'), text);
    queue = await openRedisQueue(Config.parse({ task_queue: { provider: 'redis', url: redis.url, lease_ms: 3000 } }), folder);
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await queue?.close();
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (env: NodeJS.ProcessEnv = {}, ...args: string[]) => {
    const flags = ['--caps', 'cpu', '--plugins', 'evaluate,render-test', '--concurrency', '1', '--json', ...args];
    child = spawn(process.execPath, [entryPoint('cli'), 'worker', 'start', '--grace', `${GRACE_MS}ms`, ...flags], {
      cwd: folder,
      env: { ...process.env, PEAGEN__PLUGINS__PACKAGES: JSON.stringify([handlersPackage]), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    said = { out: '', err: '' };
    child.stdout?.on('data', (piece) => {
      said.out += String(piece);
    });
    child.stderr?.on('data', (piece) => {
      said.err += String(piece);
    });
    ended = new Promise((resolve) => child.once('close', resolve));
    await until('it serves', () => /serving/.test(said.err));
  };
  const enqueue = async (payload: unknown): Promise<Task> => {
    const task: Task = { ...evaluateTask(), id: newTaskId(), kind: 'render', payload };
    await queue?.enqueue([task]);
    return task;
  };
  /** Ends the test's own view of the server first, so that it does not wait for it. */
  const killRedis = async () => {
    await queue?.close();
    queue = undefined;
    await redis.kill();
  };
  const endsInTime = async () => {
    const asked = performance.now();
    child.kill('SIGTERM');
    assert.equal(await ended, 0, said.err);
    const ms = performance.now() - asked;
    assert.ok(ms < GRACE_MS + SLACK_MS, `${ms} ms: ${said.err}`);
  };

  it('is bounded while it is idle and Redis is gone', async () => {
    await start();
    const task = evaluateTask();
    await queue?.enqueue([task]);
    await queue?.waitResult(task.id, { timeoutMs: 60_000 });
    await killRedis();
    await endsInTime();
  });

  it('is bounded with a task in hand and Redis gone, and leaves no process', async () => {
    await start();
    await enqueue({ do: 'hang', mark: join(folder, 'mark') });
    const pid = await pidAt(join(folder, 'mark'));
    await killRedis();
    await endsInTime();
    await until('its process is gone', async () => !(await runs(pid)));
  });

  it('is bounded with a result that Redis cannot take', async () => {
    await start();
    await enqueue({ do: 'spin', mark: join(folder, 'mark'), ms: 1000 });
    const pid = await pidAt(join(folder, 'mark'));
    await killRedis();
    await until('the task is done', async () => !(await runs(pid)));
    await endsInTime();
  });

  describe('after ten minutes without Redis', () => {
    /** Failures in a row after which nothing changes any more: all that is left of the ten minutes is more of the same. */
    const SETTLED = 6;
    let refusing: Server | undefined;
    afterEach(() => refusing?.close());

    /** Takes connections in place of Redis, and drops them, until each of those that a host has has waited the longest. */
    const goneForLong = async () => {
      assert.equal(retryDelay(SETTLED), retryDelay(600_000 / retryDelay(SETTLED)));
      await killRedis();
      const attempts: number[] = [];
      refusing = createServer((socket) => {
        attempts.push(performance.now());
        socket.destroy();
      }).listen(redis.port, '127.0.0.1');
      const hosts = 3;
      await until('it has waited the longest', () => attempts.length > hosts * (SETTLED + 2), 60_000);
    };

    it('is bounded while it is idle', async () => {
      await start();
      await goneForLong();
      await endsInTime();
    });

    it('is bounded with a result that Redis could never take', async () => {
      await start();
      await enqueue({ do: 'spin', mark: join(folder, 'mark'), ms: 1000 });
      const pid = await pidAt(join(folder, 'mark'));
      await goneForLong();
      await until('the task is done', async () => !(await runs(pid)));
      await endsInTime();
    });
  });

  it('gives the task in hand back when its grace is over', async () => {
    await start();
    await enqueue({ do: 'hang', mark: join(folder, 'mark') });
    await pidAt(join(folder, 'mark'));
    await endsInTime();
    assert.deepEqual(JSON.parse(said.out), { stopped: 'signal', launched: 1, exits: { drained: 1 } });
    const depth = await queue?.depth();
    assert.deepEqual([depth?.pending, depth?.claimed, depth?.delayed], [1, 0, 0]);
  });

  it('comes at once with the second signal', async () => {
    await start({}, '--grace', '10m');
    await enqueue({ do: 'hang', mark: join(folder, 'mark') });
    const pid = await pidAt(join(folder, 'mark'));
    child.kill('SIGTERM');
    await until('it has heard', () => /once more to end at once/.test(said.err));
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
    await until('its process is gone', async () => !(await runs(pid)));
  });

  it('is announced, as is its health, on the port that it is given', async () => {
    const port = await freePort();
    await start({ PEAGEN_METRICS_PORT: String(port) });
    await until('it serves health', () => /healthz/.test(said.err));
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    assert.deepEqual([await get('/healthz'), await get('/readyz'), await get('/metrics')], [200, 200, 200]);
    await killRedis();
    await until('it is not ready', async () => (await get('/readyz')) === 503);
    assert.equal(await get('/healthz'), 200);
    await endsInTime();
  });
});
