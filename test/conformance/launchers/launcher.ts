/** The conformance suite of launchers: every one passes all of it, with real workers on a real queue. */
import assert from 'node:assert/strict';
import { Broker } from '../../../daemon/fabric/broker.ts';
import type { LaunchedWorker, Launcher } from '../../../daemon/fabric/launchers/launcher.ts';
import { exitReasonOf } from '../../../daemon/fabric/launchers/log-tail.ts';
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { EvaluatePayload } from '../../../shared/payloads.ts';
import type { Task } from '../../../shared/task.ts';

export interface LauncherUnderTest {
  readonly launcher: Launcher;
  readonly queue: TaskQueue;
  readonly config: Config;
  /** The same kind of launcher where it cannot work. */
  broken(): Launcher;
  dispose(): Promise<void>;
}

const payload: EvaluatePayload = {
  execution: { outcome: { kind: 'correct', detail: '' }, metrics: { speedup: 1.5, speed_ms: 7 }, artifacts: {} },
  program: { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [{ path: 'a.py', start: 0, end: 6 }] },
  scoring: { axes: [{ name: 'speed', bin: 5, unit: 'ms' }], metric: 'speedup', generation: 3 },
};

export function evaluateTask(): Task {
  const created_at = new Date().toISOString();
  return { kind: 'evaluate', id: newTaskId(), payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
}

/** `open`: idle workers are to end after `idleMs`. */
export function launcherConformance(name: string, open: (idleMs: number) => Promise<LauncherUnderTest>): void {
  describe(`${name}: the launcher contract`, function () {
    this.timeout(300_000);
    let under: LauncherUnderTest;
    afterEach(() => under.dispose());

    const start = async (idleMs = 60_000) => {
      under = await open(idleMs);
    };
    /** As the spawner does it: workers with a channel are served. */
    const launch = async (): Promise<LaunchedWorker> => {
      const { launcher, queue, config } = under;
      const worker = await launcher.launch(['cpu']);
      new Broker({ queue, config, log: createLog({ level: 'silent' }) }).attach(
        worker,
        { name: 'cpu', caps: ['cpu'], parallel: 9 },
        () => undefined,
      );
      return worker;
    };
    const reason = async ({ exited }: LaunchedWorker) => {
      const { code, log } = await exited;
      return `${code}: ${exitReasonOf(code, log)}${code === 1 ? `: ${log}` : ''}`;
    };

    it('starts a worker that runs one task and ends', async () => {
      await start();
      const [first, second] = [evaluateTask(), evaluateTask()];
      await under.queue.enqueue([first, second]);
      const worker = await launch();
      assert.equal(await reason(worker), '0: done');
      const { pending, claimed } = await under.queue.depth();
      assert.deepEqual([pending, claimed], [1, 0]);
    });

    it('runs several at a time, each under an id of its own', async () => {
      await start();
      const tasks = [evaluateTask(), evaluateTask(), evaluateTask()];
      const results = tasks.map(({ id }) => under.queue.waitResult(id, { timeoutMs: 60_000 }));
      const workers = await Promise.all([launch(), launch(), launch()]);
      await under.queue.enqueue(tasks);
      assert.deepEqual(await Promise.all(workers.map(reason)), ['0: done', '0: done', '0: done']);
      assert.equal(new Set(workers.map(({ id }) => id)).size, 3);
      const ids = (await Promise.all(results)).map((result) => result?.worker_id);
      assert.equal(new Set(ids).size, 3);
    });

    it('gives them their idle time, after which they end by themselves', async () => {
      await start(700);
      assert.equal(await reason(await launch()), '0: idle');
    });

    it('drains a worker without a task at once, also one that is still starting', async () => {
      await start();
      const worker = await launch();
      worker.drain();
      assert.match(await reason(worker), /^(0: drained|null: killed)$/);
    });

    it('kills', async () => {
      await start();
      const worker = await launch();
      worker.kill();
      assert.equal((await worker.exited).code, null);
    });

    it('says what is wrong and what to do when it cannot launch', async () => {
      await start();
      await assert.rejects(under.broken().launch(['cpu']), (error) => {
        assert.ok(error instanceof PeagenError && error.code === 'unavailable', String(error));
        return error.hint !== undefined;
      });
    });

    it('does not take living workers for leftovers', async () => {
      await start();
      await launch();
      assert.deepEqual(await under.launcher.leftovers(), []);
    });

    it('leaves no worker when it is closed', async () => {
      await start();
      const workers = await Promise.all([launch(), launch()]);
      await under.launcher.close();
      assert.deepEqual(await Promise.all(workers.map(async ({ exited }) => (await exited).code)), [null, null]);
    });
  });
}
