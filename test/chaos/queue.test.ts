/** Everything dies at random while 10,000 tasks run: consumers by SIGKILL, Redis by SIGKILL, connections by CLIENT KILL. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Collector } from '../../daemon/fabric/collector.ts';
import { parseAddress } from '../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../daemon/fabric/redis/redis-queue.ts';
import { FsResultStore } from '../../daemon/fabric/results/fs.ts';
import type { ResultBackend } from '../../daemon/fabric/results.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { newTaskId } from '../../shared/ids.ts';
import type { Result } from '../../shared/task.ts';
import { task } from '../conformance/queue/queue-setup.ts';
import { RedisServer, requireRedis } from '../redis/server.ts';

const TASKS = 10_000;
const PROCESSES = 8;
const WORKERS_EACH = 4;
const LEASE_MS = 3000;
const PREFIX = 'peagen:{chaos}:';
/** Kills while the work runs: consumers, servers, connections. */
const KILLS = { consumers: 24, servers: 3, cuts: 6 };

/** Counts what the real store says: how many results were first, and how many came again. */
class CountingStore implements ResultBackend {
  readonly firsts = new Map<string, number>();
  again = 0;
  private readonly store: FsResultStore;

  constructor(store: FsResultStore) {
    this.store = store;
  }

  async put(result: Result): Promise<boolean> {
    const first = await this.store.put(result);
    if (first) this.firsts.set(result.task_id, (this.firsts.get(result.task_id) ?? 0) + 1);
    else this.again += 1;
    return first;
  }

  get(id: Result['task_id']): Promise<Result | undefined> {
    return this.store.get(id);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

describe('chaos in the queue', () => {
  const children = new Set<ChildProcess>();
  const folder = mkdtempSync(join(tmpdir(), 'peagen-chaos-'));
  let server: RedisServer | undefined;
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends every task with exactly one stored result, or as a dead letter with its reason', async function () {
    requireRedis(this);
    server = await RedisServer.start({ appendOnly: true });
    const { url } = server;
    const queue = await RedisQueue.open(parseAddress(url, {}), {
      leaseMs: LEASE_MS,
      maxRetry: 20,
      retryDelayMs: 20,
      prefix: PREFIX,
      report: () => undefined,
    });
    const store = new CountingStore(new FsResultStore(join(folder, 'results'), { compress: true }));
    const collector = new Collector(queue, store, createLog({ level: 'silent' }));
    const told = new Map<string, number>();
    collector.on((result) => told.set(result.task_id, (told.get(result.task_id) ?? 0) + 1));

    let spawned = 0;
    const spawn = () => {
      const args = [url, PREFIX, `c${spawned++}`, String(WORKERS_EACH), String(LEASE_MS)];
      const child = fork(join(import.meta.dirname, 'queue-consumer.ts'), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    };
    const began = performance.now();
    for (let i = 0; i < PROCESSES; i++) spawn();

    // One in a hundred is poison, all others have a follow-up: together a few more than that.
    const roots = Array.from({ length: Math.ceil(TASKS / 1.98 / 100) * 100 }, (_, n) =>
      task({ id: newTaskId(), payload: { n, followUp: true, poison: false } }),
    );
    for (let n = 0; n < roots.length; n += 100) roots[n] = task({ payload: { n, followUp: false, poison: true } });
    const poison = roots.length / 100;
    const followUps = roots.length - poison;
    const expected = roots.length - poison + followUps;
    const producing = (async () => {
      for (let at = 0; at < roots.length; at += 250) await queue.enqueue(roots.slice(at, at + 250));
    })();

    const killed = { consumers: 0, servers: 0, cuts: 0 };
    const progress = () => store.firsts.size / expected;
    while (
      progress() < 0.97 &&
      (killed.consumers < KILLS.consumers || killed.servers < KILLS.servers || killed.cuts < KILLS.cuts)
    ) {
      await delay(20);
      if (killed.consumers < KILLS.consumers && progress() >= (killed.consumers + 0.5) / (KILLS.consumers + 2)) {
        const victims = [...children];
        victims[Math.floor(Math.random() * victims.length)]?.kill('SIGKILL');
        killed.consumers += 1;
        spawn();
      }
      if (killed.cuts < KILLS.cuts && progress() >= (killed.cuts + 0.3) / (KILLS.cuts + 1)) {
        killed.cuts += 1;
        const admin = server.client();
        await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        admin.disconnect();
      }
      if (killed.servers < KILLS.servers && progress() >= (killed.servers + 0.7) / (KILLS.servers + 1)) {
        killed.servers += 1;
        await server.kill();
        await delay(300);
        await server.up();
      }
    }
    await producing;
    const over = performance.now() + 200_000;
    while (told.size < expected + poison && performance.now() < over) await delay(50);
    const seconds = (performance.now() - began) / 1000;

    const letters = await queue.deadLetters.list();
    const { pending, claimed, delayed } = await queue.depth();
    const lost = roots.filter((each) => !store.firsts.has(each.id) && !letters.some((letter) => letter.id === each.id)).length;
    const doubled =
      [...store.firsts.values()].filter((count) => count > 1).length + [...told.values()].filter((count) => count > 1).length;
    console.log(
      `      ${expected + poison} tasks in ${seconds.toFixed(1)} s: ${store.firsts.size} stored results, ${letters.length} dead letters, ` +
        `${lost} lost, ${doubled} doubled, ${store.again} results offered again; ` +
        `killed ${killed.consumers} consumers, ${killed.servers} servers, ${killed.cuts} times all connections`,
    );
    assert.equal(lost, 0);
    assert.equal(doubled, 0);
    assert.equal(store.firsts.size, expected);
    assert.equal(letters.length, poison);
    assert.ok(letters.every((letter) => /^poison \d+$/.test(letter.reason)));
    assert.deepEqual([pending, claimed, delayed], [0, 0, 0]);
    // A fast machine is done before every kill was due.
    assert.ok(killed.consumers >= KILLS.consumers / 2 && killed.servers >= 1 && killed.cuts >= 1);
    for (const child of children) child.kill('SIGTERM');
    await collector.close();
    await queue.close();
  });
});
