/** Twelve idle hours of a spawner that polls a shared queue, in simulated time: what it costs in worker-seconds. */
import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Broker } from '../../../daemon/fabric/broker.ts';
import type { LaunchedWorker, Launcher } from '../../../daemon/fabric/launchers/launcher.ts';
import { WarmSpawner } from '../../../daemon/fabric/spawner/warm-spawner.ts';
import { workerClasses } from '../../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import type { ToWorker } from '../../../daemon/fabric/worker/ipc.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

const HOUR_MS = 3_600_000;
const TASK_MS = 2000;
const START_MS = 100;

/** Workers in simulated time: they start, take one task or give up waiting, work, report, end. */
class SimulatedLauncher implements Launcher {
  readonly name = 'simulated';
  workerMs = 0;
  live = 0;
  private launched = 0;
  private readonly idleMs: number;

  constructor(idleMs: number) {
    this.idleMs = idleMs;
  }

  async launch(): Promise<LaunchedWorker> {
    this.launched += 1;
    this.live += 1;
    const bornAt = Date.now();
    let hear: (message: unknown) => void = () => undefined;
    let end: (exit: { code: number; log: string }) => void = () => undefined;
    const exited = new Promise<{ code: number; log: string }>((resolve) => {
      end = resolve;
    });
    let over = false;
    const exit = (reason: string) => {
      if (over) return;
      over = true;
      this.live -= 1;
      this.workerMs += Date.now() - bornAt;
      end({ code: 0, log: `worker exit: ${reason}\n` });
    };
    const work = (task: Task) => {
      const result = { task_id: task.id, status: 'ok', data: null, created_at: new Date().toISOString(), attempts: 0 };
      hear({ type: 'complete', call: 2, result, followUps: [], report: { ms: TASK_MS, metrics: [] } });
    };
    setTimeout(() => hear({ type: 'claim', call: 1, waitMs: this.idleMs }), START_MS);
    const send = (message: ToWorker) => {
      if (message.type !== 'answer') return;
      const claim = message.value as { task: Task } | undefined;
      if (message.call === 2) exit('done');
      else if (claim === undefined) exit('idle');
      else setTimeout(() => work(claim.task), TASK_MS);
    };
    const listen = (listener: typeof hear) => {
      hear = listener;
    };
    return {
      id: `w${this.launched}`,
      channel: { send, listen },
      exited,
      drain: () => exit('drained'),
      kill: () => exit('killed'),
    };
  }

  async leftovers(): Promise<LaunchedWorker[]> {
    return [];
  }

  async close(): Promise<void> {
    assert.equal(this.live, 0);
  }
}

describe('twelve idle hours', () => {
  afterEach(() => mock.timers.reset());

  it('after a burst of work cost no worker-second', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.parse('2026-01-31T00:00:00Z') });
    const config = Config.parse({});
    const log = createLog({ level: 'silent' });
    const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 1000 });
    const launcher = new SimulatedLauncher(config.worker.defaults.idle_timeout);
    const classes = workerClasses(['cpu'], config, 4);
    const spawner = new WarmSpawner({
      queue,
      launcher,
      broker: new Broker({ queue, config, log }),
      classes,
      config,
      log,
      pollMs: 500,
    });
    spawner.start();
    let done = 0;
    queue.subscribe(() => {
      done += 1;
    });
    const created_at = new Date().toISOString();
    const task = (): Task => ({
      kind: 'render',
      id: newTaskId(),
      payload: 1,
      requires: ['cpu'],
      attempts: 0,
      created_at,
      schema_v: 1,
    });
    await queue.enqueue(Array.from({ length: 40 }, task));
    const pass = async (ms: number, stepMs: number) => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await new Promise((resolve) => setImmediate(resolve));
        mock.timers.tick(stepMs);
      }
      await new Promise((resolve) => setImmediate(resolve));
    };

    await pass(120_000, 50);
    assert.equal(done, 40);
    assert.equal(launcher.live, 0, 'all workers have gone');
    const busyMs = launcher.workerMs;
    const { launched } = spawner.stats();
    // Each task, and at most a warm pool and a full house that waited in vain.
    assert.ok(busyMs >= 40 * TASK_MS && launched <= 50, `${launched} launched, ${busyMs} ms`);

    await pass(12 * HOUR_MS, 500);
    assert.equal(launcher.workerMs - busyMs, 0);
    assert.equal(spawner.stats().launched, launched);

    await queue.enqueue([task()]);
    await pass(10_000, 50);
    assert.equal(done, 41, 'and it still works');
    await spawner.close();
    await queue.close();
  });
});
