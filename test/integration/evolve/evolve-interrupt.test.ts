/** Ctrl+C of `peagen evolve run`: once ends the run in good order, twice leaves it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ListRuns, StopRun } from '../../../shared/protocol/runs.ts';
import { RunSummary } from '../../../shared/run.ts';
import { cli, Home } from '../daemon/home.ts';
import { writeCountedTarget } from './counted-target.ts';
import { eventsOf } from './search-folder.ts';

describe('Ctrl+C while a run is followed', () => {
  /** Starts an endless run, and presses when it has judged candidates: once more as soon as the first press has been heard. */
  async function interrupted(home: Home, presses: 1 | 2, ...how: string[]) {
    writeCountedTarget(home.workspace);
    const endless = ['--generations', '100000', '--no-improve', '100000', '--population', '2', '--seed', '1'];
    const child = home.run(process.execPath, [cli, 'evolve', 'run', ...endless, '--json', ...how], home.workspace);
    let [said, printed, pressed] = ['', '', 0];
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk;
      const due = said.includes('stopping;') ? 2 : said.includes('generation 1/') ? 1 : 0;
      if (pressed < Math.min(due, presses)) {
        pressed++;
        child.kill('SIGINT');
      }
    });
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    const [run = ''] = await readdir(join(home.workspace, '.peagen', 'runs'));
    return { status, said, printed, run };
  }

  for (const how of [['--sync'], []]) {
    it(`once: the run is stopped with its best confirmed (${how[0] ?? 'in the daemon'})`, async () => {
      await using home = new Home();
      const { status, said, printed, run } = await interrupted(home, 1, ...how);
      assert.equal(status, 0, said);
      const summary = RunSummary.parse(JSON.parse(printed.trimEnd().split('\n').at(-1) ?? ''));
      assert.deepEqual([summary.run, summary.stopped], [run, 'user']);
    });
  }

  it('twice with --sync: it ends at once, and says how to go on', async () => {
    await using home = new Home();
    const { status, said, run } = await interrupted(home, 2, '--sync');
    assert.equal(status, 130, said);
    assert.match(said, new RegExp(`interrupted; continue with: peagen evolve run --sync --resume ${run}`));
    const events = await eventsOf(home.workspace, run);
    assert.ok(!events.some(({ type }) => type === 'stopped'), said);
  });

  it('twice: the daemon goes on with it, and the command says how to come back', async () => {
    await using home = new Home();
    const { status, said, run } = await interrupted(home, 2);
    assert.equal(status, 130, said);
    assert.match(said, new RegExp(`left; the daemon goes on with the run\\. Come back with: peagen evolve run --resume ${run} `));
    const client = await home.client();
    const [info] = await client.request(ListRuns, {});
    assert.equal(info?.run, run);
    // On a machine that is so busy that the second press comes late, it has been told to stop.
    assert.ok(info.state === 'running' || info.state === 'finished', info.state);
    assert.notEqual(info.elsewhere, true);
    // It may end in the meantime.
    if (info.state === 'running') await client.request(StopRun, { run: info.run }).catch(() => undefined);
    const [ended] = await client.request(ListRuns, {});
    assert.equal(ended?.state, 'finished');
  });
});
