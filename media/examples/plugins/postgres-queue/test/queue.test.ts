/** The queue passes the conformance suite that Peagen's own queues pass, and keeps its tasks when the server is killed. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from 'peagen/plugin';
import { newTask, queueConformance } from 'peagen/plugin/testing';
import { PostgresQueue } from '../src/queue.js';
import { Server } from './server.js';

const setup = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8');

describe('the queue over PostgreSQL', function () {
  this.timeout(60_000);
  let server: Server;
  before(async () => {
    server = await Server.start();
  });
  after(() => server?.stop());

  const defaults = { leaseMs: 60_000, maxRetry: 3, retryDelayMs: 1000 };
  const connect = (workspace: string, options: object) =>
    PostgresQueue.open({ ...defaults, ...options, url: server.url, setup, workspace });

  queueConformance('postgres', async (options) => {
    // A workspace of its own is an empty queue.
    const workspace = randomUUID();
    const [queue, second] = await Promise.all([connect(workspace, options), connect(workspace, options)]);
    return { queue, second, pass: (ms) => delay(ms) };
  });

  it('keeps workspaces apart', async () => {
    const [one, other] = await Promise.all([connect('a', {}), connect('b', {})]);
    await one.enqueue([newTask()]);
    assert.equal(await other.claim({ id: 'w', caps: new Set(['cpu']) }, { waitMs: 0 }), undefined);
    assert.deepEqual([(await one.depth()).pending, (await other.depth()).pending], [1, 0]);
    await Promise.all([one.close(), other.close()]);
  });

  it('has every task when the server was killed, and goes on by itself', async () => {
    const queue = await connect(randomUUID(), {});
    const tasks: Task[] = [newTask(), newTask()];
    await queue.enqueue(tasks);
    const held = await queue.claim({ id: 'w', caps: new Set(['cpu']) }, { waitMs: 0 });
    assert.ok(held);
    await server.kill();
    const asked = queue.extend(held);
    await server.up();
    assert.equal(await asked, true);
    const { pending, claimed } = await queue.depth();
    assert.deepEqual([pending, claimed], [1, 1]);
    await queue.close();
  });
});
