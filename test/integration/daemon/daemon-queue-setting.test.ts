/** The queue in .peagen.toml is changed while a run is in progress: the run keeps its queue, the next one uses the new one. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newTaskId } from '../../../shared/ids.ts';
import { ListRuns, StartRun, StopRun } from '../../../shared/protocol/runs.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { countedRequest, writeCountedTarget } from '../evolve/counted-target.ts';
import { until } from '../fabric/worker-fabric.ts';
import { Home } from './home.ts';

describe('a daemon whose queue setting is changed', () => {
  let server: RedisServer;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  after(() => server?.stop());

  it('lets the run in progress keep its queue and starts the next one on the new queue', async () => {
    await using home = new Home();
    writeCountedTarget(home.workspace);
    const settings = join(home.workspace, '.peagen.toml');
    const own = await readFile(settings, 'utf8');
    const workspace = `test/${newTaskId()}`;
    const client = await home.client();
    const start = async (requestId: string) =>
      (await client.request(StartRun, { request: countedRequest(home.workspace, 1000), requestId })).run;
    const first = await start('first-on-the-stub');
    const evaluated = async (run: string) =>
      (await client.request(ListRuns, {})).find((info) => info.run === run)?.evaluated ?? 0;
    const moreAreJudged = async (run: string) => {
      const before = await evaluated(run);
      await until('more are judged', async () => (await evaluated(run)) >= before + 2, 60_000);
    };
    const peek = server.client();
    const inRedis = async () => (await peek.keys(`peagen:{${workspace}}:*`)).length;

    await moreAreJudged(first);
    await writeFile(settings, `${own}\n[task_queue]\nprovider = "redis"\nurl = "${server.url}"\nworkspace = "${workspace}"\n`);
    await until(
      'the setting is read',
      async () => home.log().some(({ msg }) => /New runs use the queue "redis"/.test(msg)),
      60_000,
    );
    await moreAreJudged(first);
    assert.equal(await inRedis(), 0, 'the run in progress stays where it began');

    const second = await start('second-on-redis');
    await moreAreJudged(second);
    assert.ok((await inRedis()) > 0, 'the next run uses Redis');
    await moreAreJudged(first);
    peek.disconnect();
    for (const run of [first, second]) await client.request(StopRun, { run });
  });
});
