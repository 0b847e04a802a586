/** A whole local fabric for the worker's tests: real processes on a queue in memory, in a folder of its own. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Broker } from '../../../daemon/fabric/broker.ts';
import { ProcessLauncher } from '../../../daemon/fabric/launchers/process.ts';
import type { TaskQueue } from '../../../daemon/fabric/queue.ts';
import { WarmSpawner } from '../../../daemon/fabric/spawner/warm-spawner.ts';
import { workerClasses } from '../../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { CapTag, Result, Task } from '../../../shared/task.ts';
import type { TestPayload } from './worker-handlers/render-test.ts';

/** A plugin package with handlers for tests. Here the operator of the machine has installed it. */
export const handlersPackage = join(import.meta.dirname, 'worker-handlers');
process.env['PEAGEN_PLUGINS'] = handlersPackage;
export const testHandlers = ['render-test', 'render-model'];

export interface FabricSettings {
  readonly caps?: readonly CapTag[];
  readonly parallel?: number;
  readonly leaseMs?: number;
  readonly plugins?: readonly string[];
  readonly worker?: Readonly<Record<string, unknown>>;
  readonly llm?: unknown;
  readonly env?: NodeJS.ProcessEnv;
}

export class TestFabric {
  readonly queue: TaskQueue;
  readonly spawner: WarmSpawner;
  readonly folder: string;

  private constructor(folder: string, queue: TaskQueue, spawner: WarmSpawner) {
    this.folder = folder;
    this.queue = queue;
    this.spawner = spawner;
  }

  static async open(settings: FabricSettings = {}): Promise<TestFabric> {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-worker-'));
    const leaseMs = settings.leaseMs ?? 30_000;
    const config = Config.parse({
      task_queue: { lease_ms: leaseMs },
      plugins: { packages: [handlersPackage] },
      worker: { defaults: { plugins: settings.plugins ?? testHandlers, ...settings.worker } },
      llm: settings.llm ?? {},
    });
    const log = createLog({ level: 'silent' });
    const queue = new StubQueue({ leaseMs, maxRetry: config.task_queue.max_retry, retryDelayMs: 20 });
    const launcher = new ProcessLauncher({ config, workspace: folder, env: settings.env ?? process.env });
    const classes = workerClasses(settings.caps ?? ['cpu'], config, settings.parallel);
    const spawner = new WarmSpawner({ queue, launcher, broker: new Broker({ queue, config, log }), classes, config, log });
    spawner.start();
    return new TestFabric(folder, queue, spawner);
  }

  async enqueue(payload: TestPayload | unknown, over: Partial<Task> = {}): Promise<Task> {
    const task: Task = {
      kind: 'render',
      id: newTaskId(),
      payload,
      requires: ['cpu'],
      attempts: 0,
      created_at: new Date().toISOString(),
      schema_v: 1,
      ...over,
    };
    await this.queue.enqueue([task]);
    this.spawner.wake();
    return task;
  }

  async result(task: Task): Promise<Result> {
    const result = await this.queue.waitResult(task.id, { timeoutMs: 60_000 });
    if (result === undefined) throw new Error(`no result; ${JSON.stringify(this.spawner.stats())}`);
    return result;
  }

  async run(payload: TestPayload | unknown, over: Partial<Task> = {}): Promise<Result> {
    return this.result(await this.enqueue(payload, over));
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  async close(): Promise<void> {
    await this.spawner.close();
    await this.queue.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Waits for a condition; its last state is in the error. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(10);
  }
}

/** The pid that a handler wrote. */
export async function pidAt(mark: string): Promise<number> {
  let text = '';
  await until(`${mark} is written`, async () => {
    text = await readFile(mark, 'utf8').catch(() => '');
    return text !== '';
  });
  return Number(text);
}

/** A process that has ended but was not reaped counts as gone. */
export async function runs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    return !/^State:\s*Z/m.test(await readFile(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
