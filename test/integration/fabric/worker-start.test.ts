/** Workers on a shared Redis: `peagen worker start`, and the worker that claims by itself. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { entryPoint } from '../../../daemon/assets.ts';
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { openRedisQueue } from '../../../daemon/fabric/redis/open.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { handlersPackage, pidAt, runs, until } from './worker-fabric.ts';

const LEASE_MS = 3000;

describe('workers on a shared queue', () => {
  let redis: RedisServer;
  let folder: string;
  let queue: TaskQueue;
  const children: ChildProcess[] = [];

  before(async function () {
    requireRedis(this);
    redis = await RedisServer.start();
  });
  after(() => redis?.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-start-'));
    const table = { provider: 'redis', url: redis.url, lease_ms: LEASE_MS };
    await writeFile(
      join(folder, '.peagen.toml'),
      `[task_queue]\nprovider = "redis"\nurl = "${redis.url}"\nlease_ms = ${LEASE_MS}\n[worker.defaults]\nidle_timeout = "1s"\n`,
    );
    queue = await openRedisQueue(Config.parse({ task_queue: table }), folder);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await queue.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      env: { ...process.env, PEAGEN__PLUGINS__PACKAGES: JSON.stringify([handlersPackage]), ...env },
      stdio: 'pipe',
    });
    children.push(child);
    const said = { out: '', err: '' };
    child.stdout.on('data', (piece) => {
      said.out += String(piece);
    });
    child.stderr.on('data', (piece) => {
      said.err += String(piece);
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, said, ended };
  };
  const start = (...args: string[]) =>
    run(entryPoint('cli'), ['worker', 'start', '--caps', 'cpu', '--plugins', 'render-test', ...args]);
  const direct = (env: NodeJS.ProcessEnv = {}) =>
    run(entryPoint('worker'), [], {
      QUEUE_URL: redis.url,
      WORKER_CAPS: 'cpu',
      WORKER_PLUGINS: 'render-test',
      WORKER_IDLE_EXIT: '20s',
      ...env,
    });
  const enqueue = async (payload: unknown): Promise<Task> => {
    const created_at = new Date().toISOString();
    const task: Task = { kind: 'render', id: newTaskId(), payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
    await queue.enqueue([task]);
    return task;
  };
  /** Scripts and blocking calls that the server was asked for. */
  const asked = async (): Promise<number> => {
    const client = redis.client();
    const stats = await client.info('commandstats');
    client.disconnect();
    return [...stats.matchAll(/cmdstat_(?:evalsha|blpop):calls=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const resultOf = async (task: Task) => {
    const result = await queue.waitResult(task.id, { timeoutMs: 60_000 });
    assert.ok(result !== undefined, 'no result');
    return result;
  };

  it('are started as tasks come, and the command ends when there has been nothing to do', async () => {
    const { said, ended } = start('--concurrency', '2', '--warm-pool', '1', '--exit-after-idle', '2s', '--json');
    const tasks = await Promise.all(Array.from({ length: 6 }, (_, i) => enqueue({ do: 'echo', value: i })));
    const results = await Promise.all(tasks.map(resultOf));
    assert.deepEqual(
      results.map(({ data }) => data),
      [0, 1, 2, 3, 4, 5],
    );
    assert.equal(await ended, 0, said.err);
    const { stopped, exits } = JSON.parse(said.out) as { stopped: string; exits: Record<string, number> };
    assert.deepEqual([stopped, exits['done']], ['idle', 6]);
    assert.match(said.err, /serving redis:\/\/127\.0\.0\.1:\d+ with cpu \(2 at a time\)/);
  });

  it('finish the tasks in hand when the command gets SIGTERM', async () => {
    const { child, said, ended } = start('--json');
    const task = await enqueue({ do: 'spin', mark: join(folder, 'mark'), ms: 1500 });
    const pid = await pidAt(join(folder, 'mark'));
    child.kill('SIGTERM');
    assert.equal((await resultOf(task)).data, 'spun');
    assert.equal(await ended, 0, said.err);
    assert.equal(await runs(pid), false);
    assert.equal(JSON.parse(said.out).stopped, 'signal');
  });

  for (const isolation of ['sandbox', 'process'])
    it(`ask the server seldom while there is nothing to do, with isolation ${isolation}`, async () => {
      process.env['PEAGEN__WORKER__DEFAULTS__ISOLATION'] = isolation;
      const { said } = start();
      delete process.env['PEAGEN__WORKER__DEFAULTS__ISOLATION'];
      await until('it serves', () => said.err.includes('serving'));
      await delay(2 * LEASE_MS);
      const before = await asked();
      await delay(2 * LEASE_MS);
      // Two or three sweeps of either process, and one round of a blocking call.
      const more = (await asked()) - before;
      assert.ok(more <= 10, `${more}`);
      const { data } = await resultOf(await enqueue({ do: 'echo', value: 1 }));
      assert.equal(data, 1, 'and it is woken');
    });

  it('are not started for a queue that lives in another process', async () => {
    await writeFile(join(folder, '.peagen.toml'), '');
    const { said, ended } = start();
    assert.equal(await ended, 2);
    assert.match(said.err, /^peagen: task_queue\.provider is "stub", which no other process can reach\..*\n$/);
  });

  it('claim by themselves, one task each', async () => {
    const tasks = [await enqueue({ do: 'echo', value: 'a' }), await enqueue({ do: 'echo', value: 'b' })];
    const { said, ended } = direct();
    assert.equal(await ended, 0, said.err);
    assert.match(said.err, /worker exit: done\n$/);
    assert.equal((await queue.depth()).pending, 1);
    await direct().ended;
    assert.deepEqual((await Promise.all(tasks.map(resultOf))).map(({ data }) => data).sort(), ['a', 'b']);
  });

  it('end when idle', async () => {
    const { said, ended } = direct({ WORKER_IDLE_EXIT: '300ms' });
    assert.equal(await ended, 0);
    assert.match(said.err, /worker exit: idle\n$/);
  });

  it('keep the lease of a long task, and after SIGTERM finish it', async () => {
    const { child, said, ended } = direct();
    const task = await enqueue({ do: 'hangOnce', mark: join(folder, 'mark') });
    await pidAt(join(folder, 'mark'));
    // Longer than the lease: nobody takes it away.
    const heldUntil = Date.now() + 2 * LEASE_MS;
    await until('two leases have passed', () => Date.now() > heldUntil);
    const { claimed, pending, delayed } = await queue.depth();
    assert.deepEqual([claimed, pending, delayed], [1, 0, 0]);
    child.kill('SIGTERM');
    await queue.cancel([task.id], 'enough');
    assert.equal(await ended, 0, said.err);
    assert.match(said.err, /worker exit: lease-lost\n$/);
  });

  it('that are killed lose nothing: another completes the task soon after its lease', async () => {
    const task = await enqueue({ do: 'hangOnce', mark: join(folder, 'mark') });
    direct();
    process.kill(await pidAt(join(folder, 'mark')), 'SIGKILL');
    const killedAt = Date.now();
    const { said } = direct();
    const result = await resultOf(task);
    assert.deepEqual(result.data, { attempts: 1 }, said.err);
    // The other worker has to start first.
    assert.ok(Date.now() - killedAt < LEASE_MS + 15_000, `${Date.now() - killedAt} ms`);
  });

  it('say what is wrong with their environment', async () => {
    const { said, ended } = direct({ QUEUE_URL: 'redis://:hush@127.0.0.1:1' });
    assert.equal(await ended, 1);
    assert.ok(!said.err.includes('hush'), said.err);
    const other = direct({ WORKER_CAPS: 'CPU!' });
    assert.equal(await other.ended, 1);
    assert.match(other.said.err, /WORKER_CAPS names "CPU!"/);
  });
});
