import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListRuns } from '../../../shared/protocol/runs.ts';
import { DaemonStatus } from '../../../shared/protocol/session.ts';
import { cli, finished, Home, until } from './home.ts';

describe('peagen daemon', () => {
  it('starts, says what it is, and stops', async () => {
    await using home = new Home();
    const none = await home.peagen('daemon', 'status', '--workspace', 'workspace', '--json');
    assert.deepEqual(JSON.parse(none.stdout), { running: false, workspace: home.workspace });
    const started = await home.peagen('daemon', 'start', '--workspace', 'workspace');
    assert.equal(started.code, 0, started.stderr);
    const status = await home.peagen('daemon', 'status', '--workspace', 'workspace', '--json');
    const found = DaemonStatus.result.parse(JSON.parse(status.stdout));
    assert.deepEqual([found.workspace, found.running], [home.workspace, []]);
    const logs = await home.peagen('daemon', 'logs', '--workspace', 'workspace');
    assert.match(logs.stdout, /listening/);
    const stopped = await home.peagen('daemon', 'stop', '--workspace', 'workspace', '--json');
    assert.deepEqual(JSON.parse(stopped.stdout), { stopped: true, pid: found.pid });
    assert.deepEqual([home.daemons(), existsSync(home.place.socket), existsSync(home.place.lock)], [[], false, false]);
  });

  it('says which queue and sandbox it uses, once it has read the configuration', async () => {
    await using home = new Home();
    const client = await home.client();
    assert.equal((await client.request(DaemonStatus, {})).queue.provider, 'none yet');
    await client.request(ListRuns, {});
    const found = await client.request(DaemonStatus, {});
    assert.deepEqual([found.queue.provider, ['bubblewrap', 'plain'].includes(found.sandbox)], ['stub', true]);
  });

  it('shows what waits in its memory to "peagen queue", which starts no daemon', async () => {
    await using home = new Home();
    const depth = async () => {
      const { code, stdout, stderr } = await finished(
        home.run(process.execPath, [cli, 'queue', 'depth', '--json'], home.workspace),
      );
      return { code, pending: JSON.parse(stdout).pending, stderr };
    };
    assert.match((await depth()).stderr, /No daemon runs for/);
    assert.equal(existsSync(home.place.socket), false);
    await home.client();
    assert.deepEqual(await depth(), { code: 0, pending: 0, stderr: '' });
  });

  it('says with --verbose which requests it was asked, and refuses a --config that is not there', async () => {
    await using home = new Home();
    await home.client();
    const status = ['daemon', 'status', '--workspace', 'workspace', '--json'];
    const verbose = await home.peagen(...status, '--verbose');
    const lines = verbose.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['the command begins', 'the daemon has answered', 'the command ends'],
    );
    assert.equal(lines[1].method, DaemonStatus.method);
    const refused = await home.peagen(...status, '--config', 'nowhere.toml');
    assert.deepEqual([refused.code, refused.stderr.trim().split('\n').length], [2, 1]);
  });

  it('names a workspace that does not exist, in one line', async () => {
    await using home = new Home();
    const { code, stdout, stderr } = await home.peagen('daemon', 'start', '--workspace', 'nowhere');
    assert.deepEqual([code, stdout, stderr.trim().split('\n').length], [2, '', 1]);
    assert.match(stderr, /nowhere does not exist/);
  });

  it('is one, when 20 clients start it at the same time', async () => {
    await using home = new Home();
    const script = `
      import { DaemonClient } from '${join(import.meta.dirname, '../../../daemon/client/client.ts')}';
      import { locate } from '${join(import.meta.dirname, '../../../daemon/client/locate.ts')}';
      import { connectOrStart } from '${join(import.meta.dirname, '../../../daemon/client/start.ts')}';
      import { DaemonStatus } from '${join(import.meta.dirname, '../../../shared/protocol/session.ts')}';
      const client = new DaemonClient(await connectOrStart(locate('workspace'), { client: 'racer', trusted: true }, 40_000));
      process.stdout.write(String((await client.request(DaemonStatus, {})).pid));
      client.close();`;
    const racers = Array.from({ length: 20 }, () => finished(home.node('--input-type=module', '-e', script)));
    const results = await Promise.all(racers);
    const pids = new Set(results.map((result) => result.stdout));
    assert.deepEqual(
      [pids.size, ...new Set(results.map((result) => result.code))],
      [1, 0],
      results.map((r) => r.stderr).join('\n'),
    );
    assert.equal(home.log().filter((entry) => entry.msg === 'listening').length, 1);
    assert.ok(!existsSync(home.place.lock));
  });

  it('is started again when the one that was started had served another client, and ended, before it was reached', async () => {
    await using home = new Home();
    const ended = join(home.folder, 'ended');
    const endsOnce = join(home.folder, 'ends-once.cjs');
    writeFileSync(
      endsOnce,
      `try { require('node:fs').writeFileSync(${JSON.stringify(ended)}, '', { flag: 'wx' }); process.exit(0) } catch {}`,
    );
    process.env['NODE_OPTIONS'] = `--require=${endsOnce}`;
    try {
      await home.client();
    } finally {
      delete process.env['NODE_OPTIONS'];
    }
    assert.ok(existsSync(ended));
    assert.equal(home.daemons().length, 1);
  });

  it('says why it does not start, with the end of its log', async () => {
    await using home = new Home();
    const { place } = home;
    process.env['NODE_OPTIONS'] = '--require=/nowhere/missing.cjs';
    try {
      await assert.rejects(home.client(), {
        code: 'unavailable',
        message: /The daemon ended with 1\. Its log ends: .*missing\.cjs/,
      });
    } finally {
      delete process.env['NODE_OPTIONS'];
    }
    assert.ok(!existsSync(place.lock), 'the lock is given back');
  });

  it('ends when its workspace is deleted', async () => {
    await using home = new Home();
    const started = await home.peagen('daemon', 'start', '--workspace', 'workspace');
    assert.equal(started.code, 0, started.stderr);
    assert.equal(home.daemons().length, 1);
    rmSync(home.workspace, { recursive: true });
    await until(() => home.daemons().length === 0, 'the daemon has ended');
  });

  it('keeps nothing of its starter: it lives on when the terminal and the process group are gone', async () => {
    await using home = new Home();
    const starter = home.node(
      join(import.meta.dirname, '../../../daemon/cli/main.ts'),
      'daemon',
      'connect',
      '--workspace',
      'workspace',
    );
    await until(() => existsSync(home.place.socket), 'the socket');
    starter.kill('SIGKILL');
    await finished(starter);
    const client = await home.client();
    assert.equal(home.log().filter((entry) => entry.msg === 'listening').length, 1);
    assert.equal((await client.request(DaemonStatus, {})).clients, 1);
  });
});
