import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../daemon/alive.ts';
import type { DaemonClient } from '../../daemon/client/client.ts';
import { ListRuns, ResumeRun, RunEventNotification, type RunRequest, StartRun, StopRun } from '../../shared/protocol/runs.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import { RunEvent } from '../../shared/run.ts';
import { Home, until } from '../integration/daemon/home.ts';
import { countedRequest, writeCountedTarget } from '../integration/evolve/counted-target.ts';

const requestId = 'one-and-the-same';

function workspace(home: Home, generations: number): RunRequest {
  writeCountedTarget(home.workspace);
  return countedRequest(home.workspace, generations);
}

/** Resolves when the client has heard an event of this type `count` times. */
function heard(client: DaemonClient, type: RunEvent['type'], count = 1): Promise<RunEvent> {
  return new Promise((resolve) => {
    let left = count;
    client.on(RunEventNotification, ({ event }) => {
      if (event.type === type && --left === 0) resolve(event);
    });
  });
}

function journal(home: Home, run: string): RunEvent[] {
  const lines = readFileSync(join(home.workspace, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8').split('\n');
  // The last one is empty, or torn.
  return lines.slice(0, -1).map((line) => RunEvent.parse(JSON.parse(line)));
}

const evaluated = (events: RunEvent[]) => events.filter((event) => event.type === 'evaluated').map((event) => event.slot.index);

describe('chaos: runs in the daemon', () => {
  it('go on when their client vanishes, and are there for the next one, which starts nothing twice', async () => {
    await using home = new Home();
    const request = workspace(home, 2);
    const first = await home.client();
    const begun = heard(first, 'evaluated');
    const { run } = await first.request(StartRun, { requestId, request });
    await begun;
    first.close();
    const second = await home.client();
    const ended = heard(second, 'stopped');
    assert.equal((await second.request(StartRun, { requestId, request })).run, run);
    assert.deepEqual((await second.request(DaemonStatus, {})).running, [run]);
    const event = await ended;
    assert.ok(event.type === 'stopped' && event.reason === 'max_generations');
    const [info, ...others] = await second.request(ListRuns, {});
    assert.deepEqual([info?.state, others], ['finished', []]);
  });

  it('lose no finished evaluation when the daemon is killed, and are resumed in the next', async () => {
    await using home = new Home();
    const request = workspace(home, 2);
    const first = await home.client();
    const { pid } = await first.request(DaemonStatus, {});
    const some = heard(first, 'evaluated', 3);
    const { run } = await first.request(StartRun, { requestId, request });
    await some;
    process.kill(pid, 'SIGKILL');
    await first.closed;
    const before = evaluated(journal(home, run));
    assert.ok(before.length >= 3);

    const second = await home.client();
    const [found] = await second.request(ListRuns, {});
    assert.deepEqual([found?.run, found?.state], [run, 'interrupted']);
    const ended = heard(second, 'stopped');
    await second.request(ResumeRun, { run });
    await ended;
    const all = evaluated(journal(home, run));
    assert.deepEqual(all.slice(0, before.length), before);
    assert.equal(new Set(all).size, all.length, 'nothing was evaluated twice');
    assert.equal(all.length, 8);
  });

  it('are interrupted in order by SIGTERM, and can be resumed', async () => {
    await using home = new Home();
    const request = workspace(home, 50);
    const first = await home.client();
    const { pid } = await first.request(DaemonStatus, {});
    const some = heard(first, 'evaluated', 3);
    const { run } = await first.request(StartRun, { requestId, request });
    await some;
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid), 'the end of the daemon');
    const second = await home.client();
    assert.equal((await second.request(ListRuns, {}))[0]?.state, 'interrupted');
    await second.request(ResumeRun, { run });
    assert.equal((await second.request(StopRun, { run })).stopped, 'user');
  });
});
