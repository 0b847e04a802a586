/** A queue is changed for another while workers run: stub to a real Redis and back. Nothing is lost, nothing done twice. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFabric } from '../../daemon/fabric/local-fabric.ts';
import { openRegistry } from '../../daemon/plugins/packages.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { newTaskId, type TaskId } from '../../shared/ids.ts';
import { task } from '../conformance/queue-setup.ts';
import { freePort, RedisServer, requireRedis } from '../redis/server.ts';
import { handlersModule, until } from './worker-fabric.ts';

const STUB = Config.parse({}).task_queue;

describe('changing the queue under running work', function () {
  this.timeout(180_000);
  let server: RedisServer;
  let folder: string;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  after(() => server?.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-switch-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const redis = () =>
    Config.parse({ task_queue: { provider: 'redis', url: server.url, workspace: `test/${newTaskId()}` } }).task_queue;

  async function openFabric(task_queue = STUB): Promise<LocalFabric> {
    const config = {
      ...Config.parse({ worker: { defaults: { plugins: [handlersModule], caps: ['cpu'], max_parallel: 4 } } }),
      task_queue,
    };
    const registry = await openRegistry(config, folder);
    return await LocalFabric.open({ config, registry, log: createLog({ level: 'silent' }), workspace: folder });
  }

  /** Twelve chains of three tasks each; `change` is called when some have begun and most have not. */
  async function runThrough(fabric: LocalFabric, change: () => Promise<void>): Promise<void> {
    const file = join(folder, 'begun');
    await writeFile(file, '');
    const begun = async () => (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean);
    const told: TaskId[] = [];
    fabric.collector.on((result) => {
      assert.equal(result.status, 'ok', JSON.stringify(result.data));
      told.push(result.task_id);
    });
    const payload = { do: 'note', file, ms: 150, times: 2 };
    await fabric.queue.enqueue(Array.from({ length: 12 }, () => task({ kind: 'render', payload })));
    fabric.wake();
    await until('some have begun', async () => (await begun()).length >= 5);
    await change();
    await until('all are told', () => told.length >= 36, 90_000);
    const ids = await begun();
    assert.deepEqual([ids.length, new Set(ids).size, told.length, new Set(told).size], [36, 36, 36, 36]);
  }

  it('moves from the stub to Redis', async () => {
    const fabric = await openFabric();
    try {
      await runThrough(fabric, async () => {
        const to = redis();
        await fabric.switchQueue(to);
        assert.deepEqual(fabric.taskQueue, to);
      });
      const client = server.client();
      assert.ok((await client.keys('*lane:render/cpu')).length > 0, 'Redis had work');
      client.disconnect();
    } finally {
      await fabric.close();
    }
  });

  it('moves from Redis to the stub, and leaves nothing behind', async () => {
    const from = redis();
    const fabric = await openFabric(from);
    const client = server.client();
    try {
      await runThrough(fabric, () => fabric.switchQueue(STUB));
      assert.equal(await client.xlen(`peagen:{${from.workspace}}:lane:render/cpu`), 0);
    } finally {
      client.disconnect();
      await fabric.close();
    }
  });

  it('stays where it is when the new queue cannot be opened', async () => {
    const fabric = await openFabric();
    const nowhere = { ...redis(), url: `redis://127.0.0.1:${await freePort()}` };
    try {
      await runThrough(fabric, () => assert.rejects(fabric.switchQueue(nowhere), { code: 'unavailable' }));
      assert.deepEqual(fabric.taskQueue, STUB);
    } finally {
      await fabric.close();
    }
  });

  it('leaves a Redis that is gone, and does what was in it anew', async () => {
    const own = await RedisServer.start();
    const fabric = await openFabric({ ...redis(), url: own.url });
    try {
      const lost = task({ kind: 'render', payload: { do: 'echo', value: 7 } });
      await own.kill();
      const handed = fabric.queue.enqueue([lost]);
      await fabric.switchQueue(STUB);
      await handed;
      fabric.wake();
      assert.equal((await fabric.collector.wait(lost.id, { timeoutMs: 30_000 })).data, 7);
    } finally {
      await fabric.close();
      await own.stop();
    }
  });
});
