/** The spawner's loop over a queue: sweeping, and what it holds when there is nothing to do. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Broker } from '../../../daemon/fabric/broker.ts';
import { detectCaps } from '../../../daemon/fabric/caps.ts';
import type { Launcher } from '../../../daemon/fabric/launchers/launcher.ts';
import { WarmSpawner } from '../../../daemon/fabric/spawner/warm-spawner.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

class NoLauncher implements Launcher {
  readonly name = 'none';
  attempts = 0;
  async launch(): Promise<never> {
    this.attempts += 1;
    throw new PeagenError('unavailable', 'There is no room.', { hint: 'Make some.' });
  }
  async leftovers(): Promise<[]> {
    return [];
  }
  async close(): Promise<void> {
    this.attempts += 0;
  }
}

describe('the loop of the spawner', () => {
  const log = createLog({ level: 'silent' });
  const config = Config.parse({ task_queue: { lease_ms: 200 } });
  let queue: StubQueue;
  let launcher: NoLauncher;
  let spawner: WarmSpawner;
  /** Where the spawner's clock stands still, if it does. */
  let stopped: number | undefined;
  const now = () => stopped ?? Date.now();
  beforeEach(() => {
    stopped = undefined;
    queue = new StubQueue({ leaseMs: 200, maxRetry: 3, retryDelayMs: 10 });
    launcher = new NoLauncher();
    const classes = [{ name: 'cpu', caps: ['cpu'], parallel: 4 }];
    spawner = new WarmSpawner({ queue, launcher, broker: new Broker({ queue, config, log }), classes, config, log, now });
    spawner.start();
  });
  afterEach(async () => {
    await spawner.close();
    await queue.close();
  });
  const enqueue = async (): Promise<Task> => {
    const created_at = new Date().toISOString();
    const task: Task = { kind: 'render', id: newTaskId(), payload: 1, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
    await queue.enqueue([task]);
    return task;
  };
  const until = async (holds: () => boolean | Promise<boolean>) => {
    for (const end = Date.now() + 10_000; !(await holds()); await delay(2)) assert.ok(Date.now() < end, 'it never holds');
  };

  it('takes back the task of a foreign worker whose lease ran out, however often it is woken', async () => {
    await enqueue();
    await queue.claim({ id: 'elsewhere', caps: new Set(['cpu']) }, { waitMs: 0 });
    const waking = setInterval(() => spawner.wake(), 1);
    await until(async () => (await queue.depth()).claimed === 0);
    clearInterval(waking);
  });

  it('tries few launches while they fail, and says why', async () => {
    stopped = Date.now();
    await enqueue();
    spawner.wake();
    await until(() => spawner.stats().problem !== undefined);
    for (let i = 0; i < 200; i++) {
      spawner.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    // One for the task and two for the warm pool, at once, and then a pause, whose end does not come here.
    assert.equal(launcher.attempts, 3);
    assert.equal(spawner.stats().problem, 'There is no room. Make some.');
  });

  it('sets no timer while the queue is empty', async () => {
    const set = mock.method(globalThis, 'setTimeout');
    for (let i = 0; i < 20; i++) {
      spawner.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    set.mock.restore();
    assert.equal(set.mock.callCount(), 0);
  });
});

describe('the tags of a machine', () => {
  const llm = { backends: [{ name: 'a', model: 'm', preset: 'openai' }] };

  it('have llm only when a back end is configured and its key is there', async () => {
    const tags = (config: unknown, env: NodeJS.ProcessEnv) => detectCaps({ config: Config.parse(config), env });
    assert.ok(!(await tags({}, { OPENAI_API_KEY: 'k' })).includes('llm'));
    assert.ok(!(await tags({ llm }, {})).includes('llm'));
    assert.ok((await tags({ llm }, { OPENAI_API_KEY: 'k' })).includes('llm'));
    assert.ok((await tags({ llm: { backends: [{ name: 'a', model: 'm', preset: 'ollama' }] } }, {})).includes('llm'));
  });

  it('are those of the user next to what is detected, or in its place', async () => {
    const of = async (defaults: object) => detectCaps({ config: Config.parse({ worker: { defaults } }), env: {} });
    const detected = await of({});
    assert.deepEqual(await of({ caps: ['cpu', 'gcc13'] }), [...detected, 'gcc13']);
    assert.deepEqual(await of({ caps: ['gcc13'], caps_only: ['cpu'] }), ['cpu']);
  });

  it('have cpu and node on every machine', async () => {
    const tags = await detectCaps({ config: Config.parse({}), env: {} });
    assert.ok(tags.includes('cpu') && tags.includes('node'));
  });
});
