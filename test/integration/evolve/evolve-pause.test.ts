import assert from 'node:assert/strict';
import { RunEventNotification, StartRun } from '../../../shared/protocol/runs.ts';
import { RunInfo } from '../../../shared/run.ts';
import { Home } from '../daemon/home.ts';
import { countedRequest, writeCountedTarget } from './counted-target.ts';

describe('a run in the daemon', () => {
  it('is paused, goes on and is ended from the command line', async () => {
    await using home = new Home();
    writeCountedTarget(home.workspace);
    const say = async (...words: string[]) => {
      const { code, stdout, stderr } = await home.peagen('evolve', ...words, '--workspace', home.workspace, '--json');
      return { code, stderr, answer: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as unknown };
    };
    const alone = await say('pause');
    assert.notEqual(alone.code, 0);
    assert.match(alone.stderr, /No run is in progress/);

    const client = await home.client();
    const searching = new Promise<void>((resolve) => {
      client.on(RunEventNotification, ({ event }) => event.type === 'selected' && resolve());
    });
    const { run } = await client.request(StartRun, {
      requestId: 'paused-from-outside',
      request: countedRequest(home.workspace, 1000),
    });
    await searching;
    const states = [];
    for (const words of [['pause'], ['unpause', run], ['stop', run]]) {
      const { answer, stderr } = await say(...words);
      const info = RunInfo.safeParse(answer);
      assert.ok(info.success, stderr);
      assert.equal(info.data.run, run);
      states.push(info.data.state);
    }
    assert.deepEqual(states, ['paused', 'running', 'finished']);
    assert.match((await say('stop', run)).stderr, /is not in progress/);
  });
});
