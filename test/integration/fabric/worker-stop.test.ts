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
import { evaluateTask } from '../../conformance/launchers/launcher.ts';
import { inLanes, type Lanes } from '../../ordinary/lanes.ts';
import { freePort, RedisServer, requireRedis } from '../../redis/server.ts';
import { handlersPackage, pidAt, runs, until } from './worker-fabric.ts';

const GRACE_MS = 6000;
/** For the start of processes on a busy machine; far below the ten minutes that an unbounded end took. */
const SLACK_MS = 10_000;
/** Failures in a row after which nothing changes any more: all that is left of ten minutes without Redis is more of the same. */
const SETTLED = 6;

/** A worker in a folder of its own, with a Redis of its own. */
class StoppingWorker implements AsyncDisposable {
  readonly folder: string;
  readonly redis: RedisServer;
  private queue: TaskQueue | undefined;
  private child: ChildProcess | undefined;
  private ended: Promise<number | null> | undefined;
  readonly said = { out: '', err: '' };

  private constructor(folder: string, redis: RedisServer, queue: TaskQueue) {
    this.folder = folder;
    this.redis = redis;
    this.queue = queue;
  }

  static async open(): Promise<StoppingWorker> {
    const redis = await RedisServer.start();
    const folder = await mkdtemp(join(tmpdir(), 'peagen-stop-'));
    const text = `[task_queue]\nprovider = "redis"\nurl = "${redis.url}"\nlease_ms = 3000\n`;
    await writeFile(join(folder, '.peagen.toml'), text);
    const config = Config.parse({ task_queue: { provider: 'redis', url: redis.url, lease_ms: 3000 } });
    return new StoppingWorker(folder, redis, await openRedisQueue(config, folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.queue?.close();
    await this.redis.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  async start(env: NodeJS.ProcessEnv = {}, ...args: string[]): Promise<void> {
    const flags = ['--caps', 'cpu', '--plugins', 'evaluate,render-test', '--concurrency', '1', '--json', ...args];
    const child = spawn(process.execPath, [entryPoint('cli'), 'worker', 'start', '--grace', `${GRACE_MS}ms`, ...flags], {
      cwd: this.folder,
      env: { ...process.env, PEAGEN__PLUGINS__PACKAGES: JSON.stringify([handlersPackage]), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    child.stdout.on('data', (piece) => {
      this.said.out += String(piece);
    });
    child.stderr.on('data', (piece) => {
      this.said.err += String(piece);
    });
    this.ended = new Promise((resolve) => child.once('close', resolve));
    await until('it serves', () => /serving/.test(this.said.err));
  }

  async enqueue(payload: unknown): Promise<void> {
    await this.queue?.enqueue([{ ...evaluateTask(), id: newTaskId(), kind: 'render', payload }]);
  }

  async doOne(): Promise<void> {
    const task = evaluateTask();
    await this.queue?.enqueue([task]);
    await this.queue?.waitResult(task.id, { timeoutMs: 60_000 });
  }

  /** The id of the process of a task that does this and writes to a file first. */
  async inHand(what: 'hang' | 'spin', ms?: number): Promise<number> {
    const mark = join(this.folder, 'mark');
    await this.enqueue({ do: what, mark, ...(ms === undefined ? {} : { ms }) });
    return await pidAt(mark);
  }

  async depth() {
    return await this.queue?.depth();
  }

  /** Ends the test's own view of the server first, so that it does not wait for it. */
  async killRedis(): Promise<void> {
    await this.queue?.close();
    this.queue = undefined;
    await this.redis.kill();
  }

  /** Takes connections in place of Redis, and drops them, until each of those that a host has has waited the longest. */
  async goneForLong(): Promise<Server> {
    assert.equal(retryDelay(SETTLED), retryDelay(600_000 / retryDelay(SETTLED)));
    await this.killRedis();
    const attempts: number[] = [];
    const refusing = createServer((socket) => {
      attempts.push(performance.now());
      socket.destroy();
    }).listen(this.redis.port, '127.0.0.1');
    const hosts = 3;
    await until('it has waited the longest', () => attempts.length > hosts * (SETTLED + 2), 60_000);
    return refusing;
  }

  terminate(): void {
    this.child?.kill('SIGTERM');
  }

  async endsWell(): Promise<void> {
    assert.equal(await this.ended, 0, this.said.err);
  }

  async endsInTime(): Promise<void> {
    const asked = performance.now();
    this.terminate();
    await this.endsWell();
    const ms = performance.now() - asked;
    assert.ok(ms < GRACE_MS + SLACK_MS, `${ms} ms: ${this.said.err}`);
  }
}

/** Each in a folder of its own: they wait most of their time, and wait together. */
const cases: Readonly<Record<string, (worker: StoppingWorker) => Promise<void>>> = {
  'is bounded while it is idle and Redis is gone': async (worker) => {
    await worker.start();
    await worker.doOne();
    await worker.killRedis();
    await worker.endsInTime();
  },

  'is bounded with a task in hand and Redis gone, and leaves no process': async (worker) => {
    await worker.start();
    const pid = await worker.inHand('hang');
    await worker.killRedis();
    await worker.endsInTime();
    await until('its process is gone', async () => !(await runs(pid)));
  },

  'is bounded with a result that Redis cannot take': async (worker) => {
    await worker.start();
    const pid = await worker.inHand('spin', 1000);
    await worker.killRedis();
    await until('the task is done', async () => !(await runs(pid)));
    await worker.endsInTime();
  },

  'is bounded after ten minutes without Redis, idle': async (worker) => {
    await worker.start();
    const refusing = await worker.goneForLong();
    await worker.endsInTime();
    refusing.close();
  },

  'is bounded after ten minutes without Redis, with a result that Redis could never take': async (worker) => {
    await worker.start();
    const pid = await worker.inHand('spin', 1000);
    const refusing = await worker.goneForLong();
    await until('the task is done', async () => !(await runs(pid)));
    await worker.endsInTime();
    refusing.close();
  },

  'gives the task in hand back when its grace is over': async (worker) => {
    await worker.start();
    await worker.inHand('hang');
    await worker.endsInTime();
    assert.deepEqual(JSON.parse(worker.said.out), { stopped: 'signal', launched: 1, exits: { drained: 1 } });
    const depth = await worker.depth();
    assert.deepEqual([depth?.pending, depth?.claimed, depth?.delayed], [1, 0, 0]);
  },

  'comes at once with the second signal': async (worker) => {
    await worker.start({}, '--grace', '10m');
    const pid = await worker.inHand('hang');
    worker.terminate();
    await until('it has heard', () => /once more to end at once/.test(worker.said.err));
    worker.terminate();
    await worker.endsWell();
    await until('its process is gone', async () => !(await runs(pid)));
  },

  'is announced, as is its health, on the port that it is given': async (worker) => {
    const port = await freePort();
    await worker.start({ PEAGEN_METRICS_PORT: String(port) });
    await until('it serves health', () => /healthz/.test(worker.said.err));
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    assert.deepEqual([await get('/healthz'), await get('/readyz'), await get('/metrics')], [200, 200, 200]);
    await worker.killRedis();
    await until('it is not ready', async () => (await get('/readyz')) === 503);
    assert.equal(await get('/healthz'), 200);
    await worker.endsInTime();
  },
};

describe('the end of "worker start"', () => {
  const titles = Object.keys(cases);
  let results: Lanes<string, void>;
  before(function () {
    requireRedis(this);
    results = inLanes(
      titles,
      async (title) => {
        await using worker = await StoppingWorker.open();
        await cases[title]?.(worker);
      },
      titles.length,
    );
  });

  for (const title of titles) it(title, () => results.of(title));
  after(() => results.close());
});
