/** The queue of a running daemon is changed in .peagen.toml, there and back, in the middle of a run. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newTaskId } from '../../shared/ids.ts';
import { ListRuns, StartRun, StopRun } from '../../shared/protocol/runs.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import { RedisServer, requireRedis } from '../redis/server.ts';
import { countedRequest, writeCountedTarget } from './counted-target.ts';
import { Home } from './daemon/home.ts';
import { until } from './worker-fabric.ts';

describe('a daemon whose queue is changed', function () {
  this.timeout(300_000);
  let server: RedisServer;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  after(() => server?.stop());

  it('goes over there and back in the middle of a run, which loses nothing and does nothing twice', async () => {
    await using home = new Home();
    writeCountedTarget(home.workspace);
    const settings = join(home.workspace, '.peagen.toml');
    const own = await readFile(settings, 'utf8');
    const workspace = `test/${newTaskId()}`;
    const client = await home.client();
    const { run } = await client.request(StartRun, {
      request: countedRequest(home.workspace, 1000),
      requestId: 'switch-under-way',
    });
    const evaluated = async () => (await client.request(ListRuns, {})).find((info) => info.run === run)?.evaluated ?? 0;
    const provider = async () => (await client.request(DaemonStatus, {})).queue.provider;
    const handedOver = () => home.log().filter(({ msg }) => /Work has gone over/.test(msg)).length;
    const moreAreJudged = async () => {
      const before = await evaluated();
      await until('more are judged', async () => (await evaluated()) >= before + 2, 60_000);
    };

    await moreAreJudged();
    await writeFile(settings, `${own}\n[task_queue]\nprovider = "redis"\nurl = "${server.url}"\nworkspace = "${workspace}"\n`);
    await until('Redis is in use', async () => (await provider()) === 'redis' && handedOver() === 1, 60_000);
    await moreAreJudged();
    const peek = server.client();
    assert.ok((await peek.keys(`peagen:{${workspace}}:t:*`)).length > 0, 'Redis had work');
    peek.disconnect();
    await writeFile(settings, own);
    await until('the stub is in use', async () => (await provider()) === 'stub' && handedOver() === 2, 60_000);
    await moreAreJudged();
    await client.request(StopRun, { run });

    const journal = await readFile(join(home.workspace, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8');
    const events = journal
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; slot?: { index: number } });
    const judged = events.filter(({ type }) => type === 'evaluated').map(({ slot }) => slot?.index);
    assert.equal(new Set(judged).size, judged.length, 'no candidate is judged twice');
    assert.ok(judged.length >= 6);
    assert.equal(events.at(-1)?.type, 'stopped');
  });
});
