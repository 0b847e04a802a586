/** The broker against children that misbehave: what a child may do to a queue. */
import assert from 'node:assert/strict';
import { Broker } from '../../../daemon/fabric/broker.ts';
import type { BrokeredWorker } from '../../../daemon/fabric/brokered-worker.ts';
import type { LaunchedWorker } from '../../../daemon/fabric/launchers/launcher.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import type { ToWorker } from '../../../daemon/fabric/worker/ipc.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { onSpans, type TraceSpan } from '../../../daemon/telemetry/trace.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

/** A child without a process: what it says goes straight to the broker. */
class Child {
  readonly heard: ToWorker[] = [];
  killed = false;
  private hear: (message: unknown) => void = () => undefined;
  private waiting: (() => void)[] = [];
  exit: () => void = () => undefined;
  readonly launched: LaunchedWorker;

  constructor(id: string) {
    this.launched = {
      id,
      channel: {
        send: (message) => {
          this.heard.push(message);
          for (const resolve of this.waiting.splice(0)) resolve();
        },
        listen: (hear) => {
          this.hear = hear;
        },
      },
      exited: new Promise((resolve) => {
        this.exit = () => resolve({ code: null, log: '' });
      }),
      drain: () => undefined,
      kill: () => {
        this.killed = true;
        this.exit();
      },
    };
  }

  say(message: unknown): void {
    this.hear(message);
  }

  /** The answer to a call. */
  async ask(call: number, message: Record<string, unknown>): Promise<ToWorker> {
    this.say({ ...message, call });
    for (;;) {
      const answer = this.heard.find((each) => (each.type === 'answer' || each.type === 'refusal') && each.call === call);
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

const report = { ms: 1, metrics: [] };

describe('the broker', () => {
  let queue: StubQueue;
  let broker: Broker;
  const children: Child[] = [];
  const attach = (id: string, parallel = 9): { child: Child; brokered: BrokeredWorker } => {
    const child = new Child(id);
    children.push(child);
    const brokered = broker.attach(child.launched, { name: `of ${parallel}`, caps: ['cpu'], parallel }, () => undefined);
    assert.ok(brokered !== undefined);
    return { child, brokered };
  };
  const enqueue = async (over: Partial<Task> = {}): Promise<Task> => {
    const created_at = new Date().toISOString();
    const task: Task = {
      kind: 'render',
      id: newTaskId(),
      payload: 1,
      requires: ['cpu'],
      attempts: 0,
      created_at,
      schema_v: 1,
      ...over,
    };
    await queue.enqueue([task]);
    return task;
  };
  const result = (task: Task) => ({ task_id: task.id, status: 'ok', data: 1, created_at: new Date().toISOString(), attempts: 0 });

  beforeEach(() => {
    queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 10 });
    broker = new Broker({ queue, config: Config.parse({}), log: createLog({ level: 'silent' }) });
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.exit();
    await queue.close();
  });

  it('greets a child with the configuration', () => {
    const [hello] = attach('w1').child.heard;
    assert.ok(hello?.type === 'hello' && hello.config.task_queue.lease_ms === 30_000);
  });

  it('lets a child complete its own task only', async () => {
    const [mine, other] = [await enqueue(), await enqueue()];
    const { child } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    const answer = await child.ask(2, { type: 'complete', result: result(other), followUps: [], report });
    assert.ok(answer.type === 'refusal' && answer.error.code === 'conflict');
    assert.equal((await queue.depth()).pending, 1);
    assert.equal((await child.ask(3, { type: 'complete', result: result(mine), followUps: [], report })).type, 'answer');
  });

  it('passes on the spans of a child, which ends with its task', async () => {
    const heard: TraceSpan[] = [];
    onSpans((span) => heard.push(span));
    try {
      const task = await enqueue();
      const { child } = attach('w1');
      await child.ask(1, { type: 'claim', waitMs: 100 });
      const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'handle render', kind: 'consumer', attributes: {} };
      const spans = [{ ...span, parentId: 'c'.repeat(16), start: 1, end: 2 }];
      await child.ask(2, { type: 'complete', result: result(task), followUps: [], report: { ...report, spans } });
      assert.deepEqual(
        heard.map(({ name, parentId }) => [name, parentId]),
        [['handle render', 'c'.repeat(16)]],
      );
    } finally {
      onSpans(undefined);
    }
  });

  it('takes no report from a child that holds nothing', async () => {
    const task = await enqueue();
    const { child } = attach('w1');
    assert.equal((await child.ask(1, { type: 'complete', result: result(task), followUps: [], report })).type, 'refusal');
    assert.equal(
      (await child.ask(2, { type: 'fail', failure: { reason: 'x', code: 'internal', retryable: false }, report })).type,
      'refusal',
    );
    assert.equal((await queue.depth()).pending, 1);
  });

  it('gives a child one task in its life', async () => {
    await enqueue();
    await enqueue();
    const { child } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    await child.ask(2, { type: 'release', report });
    assert.equal((await child.ask(3, { type: 'claim', waitMs: 100 })).type, 'refusal');
  });

  it('writes its own name on a result, whatever the child says', async () => {
    const task = await enqueue();
    const { child } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    await child.ask(2, { type: 'complete', result: { ...result(task), worker_id: 'forged' }, followUps: [], report });
    assert.equal((await queue.waitResult(task.id, { timeoutMs: 100 }))?.worker_id, 'w1');
  });

  it('ends a child that sends what is not a message', () => {
    for (const garbage of [
      null,
      7,
      { type: 'enqueue', tasks: [] },
      { type: 'complete', call: 1 },
      { type: 'claim', call: -1, waitMs: 1 },
    ]) {
      const { child } = attach('w1');
      child.say(garbage);
      assert.ok(child.killed, JSON.stringify(garbage));
    }
  });

  it('gives back what a dead child held, as a failed attempt', async () => {
    const task = await enqueue();
    const { child, brokered } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    await brokered.giveBack('The worker was killed.');
    const { claimed, delayed } = await queue.depth();
    assert.deepEqual([claimed, delayed], [0, 1]);
    const { child: next } = attach('w2');
    const answer = await next.ask(1, { type: 'claim', waitMs: 2000 });
    assert.ok(answer.type === 'answer' && (answer.value as { task: Task }).task.id === task.id);
    assert.equal((answer.value as { task: Task }).task.attempts, 1);
  });

  it('gives back what a child held that we ended, uncounted', async () => {
    await enqueue();
    const { child, brokered } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    await brokered.giveBack(undefined);
    const { pending, delayed } = await queue.depth();
    assert.deepEqual([pending, delayed], [1, 0]);
  });

  it('loses no task to a child that stops waiting or dies as the task comes', async () => {
    const { child } = attach('w1');
    const stopped = child.ask(1, { type: 'claim', waitMs: 5000 });
    const [task] = await Promise.all([enqueue(), Promise.resolve().then(() => child.say({ type: 'stopWaiting' }))]);
    const answer = await stopped;
    const held = answer.type === 'answer' && answer.value !== undefined;
    const { pending, claimed } = await queue.depth();
    assert.deepEqual([pending, claimed], held ? [0, 1] : [1, 0], task.id);

    const { child: dying } = attach('w2');
    dying.say({ type: 'claim', call: 1, waitMs: 5000 });
    dying.exit();
    await enqueue();
    const { child: next } = attach('w3');
    assert.ok((await next.ask(1, { type: 'claim', waitMs: 2000 })).type === 'answer');
  });

  it('lets no more children hold tasks than the class allows, and the next one in when one has reported', async () => {
    await enqueue();
    await enqueue();
    const { child: first } = attach('w1', 1);
    const { child: second, brokered } = attach('w2', 1);
    await first.ask(1, { type: 'claim', waitMs: 5000 });
    const waiting = second.ask(1, { type: 'claim', waitMs: 5000 });
    assert.equal((await queue.depth()).claimed, 1);
    assert.ok(brokered.idle);
    await first.ask(2, { type: 'release', report });
    await waiting;
    assert.ok(brokered.busy);
  });

  it('asks a child whose task was cancelled to stop', async () => {
    await queue.close();
    queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 10 });
    broker = new Broker({ queue, config: Config.parse({ task_queue: { lease_ms: 60 } }), log: createLog({ level: 'silent' }) });
    const task = await enqueue();
    const { child } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    await queue.cancel([task.id], 'not wanted');
    while (!child.heard.some(({ type }) => type === 'lost')) await new Promise((resolve) => setImmediate(resolve));
    child.exit();
  });

  it('ends a child that holds a task and is silent for ten leases', async () => {
    broker = new Broker({ queue, config: Config.parse({ task_queue: { lease_ms: 15 } }), log: createLog({ level: 'silent' }) });
    await enqueue();
    const { child, brokered } = attach('w1');
    await child.ask(1, { type: 'claim', waitMs: 100 });
    while (!child.killed) await new Promise((resolve) => setImmediate(resolve));
    await brokered.giveBack('silent');
  });
});
