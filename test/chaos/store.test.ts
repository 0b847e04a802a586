/** The result store is killed and started again while a run is in progress. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ListRuns, RunEventNotification, StartRun } from '../../shared/protocol/runs.ts';
import { Health } from '../../shared/protocol/session.ts';
import { RunEvent } from '../../shared/run.ts';
import { Home, until } from '../integration/daemon/home.ts';
import { countedRequest, writeCountedTarget } from '../integration/evolve/counted-target.ts';
import { freePort } from '../redis/server.ts';

const keys = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' };

describe('chaos: a run whose result store goes away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-store-'));
  let store: ChildProcess | undefined;
  after(() => {
    store?.kill('SIGKILL');
    // An object in place of process.env would change no environment for the files that run here next.
    for (const name of Object.keys(keys)) delete process.env[name];
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (port: number) => {
    const script = resolve('node_modules/s3rver/bin/s3rver.js');
    const args = ['--directory', folder, '--port', `${port}`, '--address', '127.0.0.1', '--configure-bucket', 'results'];
    const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
    store = child;
    await once(child.stdout, 'data');
  };

  it('pauses with a message, goes on when the store is back, and judges nothing twice', async () => {
    const port = await freePort();
    await start(port);
    Object.assign(process.env, keys);
    await using home = new Home();
    writeCountedTarget(home.workspace);
    const table = `[result_backend]\nprovider = "s3"\nbucket = "results"\nendpoint = "http://127.0.0.1:${port}"\n`;
    appendFileSync(join(home.workspace, '.peagen.toml'), table);
    const client = await home.client();
    const count = { evaluated: 0, stopped: 0 };
    client.on(RunEventNotification, ({ event }) => {
      if (event.type === 'evaluated' || event.type === 'stopped') count[event.type]++;
    });
    const messages: string[] = [];
    client.on(Health, ({ message = '' }) => void messages.push(message));
    const { run } = await client.request(StartRun, {
      requestId: 'a-store-goes-away',
      request: countedRequest(home.workspace, 4),
    });
    await until(() => count.evaluated >= 2, 'the first candidates');
    store?.kill('SIGKILL');
    const stateOf = async () => (await client.request(ListRuns, {})).find((info) => info.run === run)?.state;
    await until(async () => (await stateOf()) === 'paused', 'the run to pause');
    await until(() => messages.some((text) => /result store does not work|waits until results/.test(text)), 'the message');
    await start(port);
    await until(() => count.stopped === 1, 'the end of the run', 120_000);
    const lines = readFileSync(join(home.workspace, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const events = lines.map((line) => RunEvent.parse(JSON.parse(line)));
    const judged = events.flatMap((event) => (event.type === 'evaluated' ? [event.slot.index] : []));
    assert.deepEqual([judged.length, new Set(judged).size], [16, 16]);
    const ended = events.at(-1);
    assert.ok(ended?.type === 'stopped' && ended.reason === 'max_generations', JSON.stringify(ended));
  });
});
