/** What every task handler promises: it runs its tasks as often as they come, refuses what is malformed, and can be stopped. */
import assert from 'node:assert/strict';
import { pack, unpack } from '../../daemon/fabric/msgpack.ts';
import type { HandlerContext, TaskHandler } from '../../daemon/handlers/handler.ts';
import { Registry } from '../../daemon/registry.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { CapTag, canClaim, Task, TaskKind } from '../../shared/task.ts';

export interface HandlerUnderTest {
  readonly handler: TaskHandler;
  /** One that it accepts and completes. */
  readonly task: Task;
  /** What its context has in addition to the defaults: a registry, a configuration. */
  readonly context?: Partial<HandlerContext>;
}

export function handlerConformance(name: string, open: () => Promise<HandlerUnderTest>): void {
  describe(`handler ${name}`, function () {
    this.timeout(300_000);
    let handler: TaskHandler;
    let task: Task;
    let context: HandlerContext;
    before(async () => {
      const under = await open();
      ({ handler, task } = under);
      const defaults = { workerId: 'w', log: createLog({ level: 'silent' }), config: Config.parse({}), registry: new Registry() };
      context = { ...defaults, signal: new AbortController().signal, ...under.context };
    });

    it('has its name and a version, a kind of task, and the tags that it provides', () => {
      assert.equal(handler.name, name);
      assert.ok(handler.version.length > 0);
      assert.ok(TaskKind.safeParse(handler.kind).success);
      for (const tag of handler.provides) CapTag.parse(tag);
    });

    it('accepts its task, which requires no more than it provides', () => {
      assert.equal(handler.accepts(Task.parse(task)), true);
      assert.equal(task.kind, handler.kind);
      assert.ok(canClaim(task.requires, new Set(handler.provides)));
    });

    it('gives an answer and follow-ups that a queue can carry, and leaves the task as it is', async () => {
      const kept = structuredClone(task);
      const handled = await handler.handle(task, context);
      assert.equal(handled.status, 'ok');
      assert.ok(handled.status === 'ok');
      assert.deepEqual(unpack(pack(handled.data)), unpack(pack(structuredClone(handled.data))));
      for (const next of handled.followUps ?? []) assert.deepEqual(Task.parse(unpack(pack(next))).id, next.id);
      assert.deepEqual(task, kept);
    });

    it('runs a task again when it comes again, with follow-ups of the same ids', async () => {
      const idsOf = async () => {
        const handled = await handler.handle(task, context);
        assert.ok(handled.status === 'ok');
        return (handled.followUps ?? []).map(({ id }) => id);
      };
      assert.deepEqual(await idsOf(), await idsOf());
    });

    it('rejects a malformed payload with a message', async () => {
      for (const payload of [undefined, null, 'text', [], { not: 'a payload' }]) {
        const rejected = async () => handler.handle({ ...task, payload }, context);
        await assert.rejects(rejected, (error) => error instanceof Error && error.message.length > 0);
      }
    });

    it('ends when its signal has fired, well or not', async () => {
      await handler.handle(task, { ...context, signal: AbortSignal.abort() }).catch((error: unknown) => {
        assert.ok(error instanceof Error);
      });
    });
  });
}
