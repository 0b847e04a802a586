/** Everything that serves a run is restarted while it is in progress: both hosts, Redis and the daemon, one after the other. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ResumeRun, RunEventNotification, StartRun, StopRun } from '../../shared/protocol/runs.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import { RunEvent } from '../../shared/run.ts';
import { Home, until } from '../integration/daemon/home.ts';
import { countedRequest, writeCountedTarget } from '../integration/evolve/counted-target.ts';
import { startHost } from '../redis/host.ts';
import { RedisServer, requireRedis } from '../redis/server.ts';

// Without a key, the daemon would judge the original by itself.
const env = { PEAGEN__TASK_QUEUE__LEASE_MS: '3000', PEAGEN_QUEUE_KEY: 'k'.repeat(64) };

describe('chaos: a rolling restart', () => {
  const hosts: ChildProcess[] = [];
  let redis: RedisServer | undefined;
  before(async function () {
    requireRedis(this);
    redis = await RedisServer.start({ appendOnly: true });
  });
  after(async () => {
    for (const name of Object.keys(env)) delete process.env[name];
    for (const host of hosts) host.kill('SIGKILL');
    await redis?.stop();
  });

  it('in the middle of a run loses nothing, judges nothing twice, and leaves no dead letter', async () => {
    assert.ok(redis !== undefined);
    const queue = { url: redis.url, workspace: 'chaos/rolling' };
    Object.assign(process.env, env);
    await using home = new Home();
    // The users of sandboxes reach the folders of the hosts in it.
    chmodSync(home.folder, 0o755);
    writeCountedTarget(home.workspace);
    const settings = `[task_queue]\nprovider = "redis"\nurl = "${queue.url}"\nworkspace = "${queue.workspace}"\n[worker.defaults]\ncaps_only = ["llm"]\n`;
    appendFileSync(join(home.workspace, '.peagen.toml'), settings);
    const open = async (at: number) => {
      const args = ['--concurrency', '2', '--grace', '10s'];
      hosts[at] = await startHost(queue, join(home.folder, `host-${at}`), { args, env });
    };
    const restart = async (at: number, signal: 'SIGTERM' | 'SIGKILL') => {
      const host = hosts[at];
      assert.ok(host !== undefined);
      const ended = once(host, 'exit');
      host.kill(signal);
      await ended;
      await open(at);
    };
    await Promise.all([open(0), open(1)]);

    let client = await home.client();
    const judged = () => events().filter(({ type }) => type === 'evaluated').length;
    const events = () => {
      const lines = readFileSync(join(home.workspace, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8').split('\n');
      return lines.slice(0, -1).map((line) => RunEvent.parse(JSON.parse(line)));
    };
    const { run } = await client.request(StartRun, {
      requestId: 'rolling-restart',
      request: countedRequest(home.workspace, 1000),
    });
    const further = async (by: number) => {
      const goal = judged() + by;
      await until(() => judged() >= goal, `${goal} candidates`, 120_000);
    };
    await further(3);
    await restart(0, 'SIGTERM');
    await further(3);
    await restart(1, 'SIGKILL');
    await further(3);
    await redis.kill();
    await redis.up();
    await further(3);
    const { pid } = await client.request(DaemonStatus, {});
    process.kill(pid, 'SIGTERM');
    await client.closed;
    client = await home.client();
    const ended = new Promise<void>((resolve) => {
      client.on(RunEventNotification, ({ event }) => event.type === 'stopped' && resolve());
    });
    const begun = events().flatMap((event) => (event.type === 'selected' ? [event.slot.index] : []));
    await client.request(ResumeRun, { run });
    await further(3);
    const over = () =>
      new Set(
        events().flatMap((event) =>
          event.type === 'evaluated' || (event.type === 'rejected' && event.final) ? [event.slot.index] : [],
        ),
      );
    await until(() => begun.every((index) => over().has(index)), 'the end of what had begun before the restarts', 120_000);
    await client.request(StopRun, { run });
    await ended;

    const all = events();
    const slots = all.flatMap((event) => (event.type === 'evaluated' ? [event.slot.index] : []));
    assert.equal(new Set(slots).size, slots.length, 'none was judged twice');
    const last = all.at(-1);
    assert.ok(last?.type === 'stopped' && last.reason === 'user', JSON.stringify(last));
    const { stdout } = await home.peagen('queue', 'depth', '--json', '--config', join(home.workspace, '.peagen.toml'));
    const { pending, claimed, dead } = JSON.parse(stdout);
    assert.deepEqual({ pending, claimed, dead }, { pending: 0, claimed: 0, dead: 0 });
  });
});
