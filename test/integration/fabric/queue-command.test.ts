import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { RedisQueue } from '../../../daemon/fabric/redis/redis-queue.ts';
import { builtScript } from '../../built.ts';
import { task } from '../../conformance/queue/queue-setup.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';

const run = promisify(execFile);

describe('peagen queue', () => {
  let server: RedisServer;
  let queue: RedisQueue;
  const folder = mkdtempSync(join(tmpdir(), 'peagen-queue-'));
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start({ extra: ['--requirepass', 'secret'] });
    const options = { leaseMs: 30_000, maxRetry: 3, retryDelayMs: 1000, prefix: 'peagen:{team/cli}:', report: () => undefined };
    queue = await RedisQueue.open(parseAddress(server.url, { PEAGEN_REDIS_PASSWORD: 'secret' }), options);
    const toml = `[task_queue]\nprovider = "redis"\nurl = "${server.url}"\nworkspace = "team/cli"\n`;
    writeFileSync(join(folder, '.peagen.toml'), toml);
  });
  after(async () => {
    await queue?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const peagen = async (args: string[], env: NodeJS.ProcessEnv = { PEAGEN_REDIS_PASSWORD: 'secret' }) => {
    const { stdout } = await run(process.execPath, [builtScript('cli'), 'queue', ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    return stdout;
  };
  const kill = async (reason: string) => {
    const one = task({ requires: ['cpu', 'dead'] });
    await queue.enqueue([one]);
    const claim = await queue.claim({ id: 'a', caps: new Set(['cpu', 'dead']) }, { waitMs: 2000 });
    assert.ok(claim);
    await queue.fail(claim, { reason, code: 'internal', retryable: false });
    return one.id;
  };

  it('shows the depth, for people and for programs', async () => {
    await queue.enqueue([task(), task({ kind: 'render' })]);
    assert.match(await peagen(['depth']), /2 waiting.*\n +1 {2}(execute|render)\/cpu/);
    const depth = z
      .object({ pending: z.number(), byKind: z.object({ render: z.number() }) })
      .parse(JSON.parse(await peagen(['depth', '--json'])));
    assert.deepEqual([depth.pending, depth.byKind.render], [2, 1]);
  });

  it('lists the tasks that wait, oldest first, and shows one of them whole', async () => {
    const created_at = '2025-01-31T14:25:01.000Z';
    const [big, small] = [task({ payload: 'x'.repeat(40_000), created_at }), task({ kind: 'render' })];
    await queue.enqueue([small, big]);
    const lines = (await peagen(['waiting'])).trim().split('\n');
    assert.equal(lines[0], `${big.id}  ${created_at}  execute/cpu`);
    assert.ok(lines.some((line) => line.startsWith(small.id)));
    assert.equal((await peagen(['waiting', '--limit', '1'])).trim().split('\n').length, 1);
    assert.deepEqual(JSON.parse(await peagen(['waiting', big.id])), big);
    await queue.cancel([big.id, small.id], 'seen');
    await assert.rejects(
      run(process.execPath, [builtScript('cli'), 'queue', 'waiting', big.id], {
        cwd: folder,
        env: { ...process.env, PEAGEN_REDIS_PASSWORD: 'secret' },
      }),
      /No task ".*" waits/,
    );
  });

  it('shows no control character of a hostile lane or reason, on the terminal or in JSON', async () => {
    const client = server.client({ password: 'secret' });
    const lane = 'execute/\u001b[2Jcpu\u009b';
    await client.sadd('peagen:{team/cli}:lanes', lane);
    await client.xadd(`peagen:{team/cli}:lane:${lane}`, '*', 'a', 'b');
    const id = await kill('hidden \u001b]0;title\u0007 \u202etxt');
    try {
      for (const args of [['depth'], ['depth', '--json'], ['dlq', 'list'], ['dlq', 'list', '--json'], ['dlq', 'inspect', id]]) {
        const shown = await peagen(args);
        assert.doesNotMatch(shown, /(?!\n)\p{Cc}|\u202e/u);
        assert.match(shown, /\\u001b/);
      }
    } finally {
      await client.srem('peagen:{team/cli}:lanes', lane);
      client.disconnect();
      await queue.deadLetters.purge([id]);
    }
  });

  it('lists, inspects, exports, retries and purges dead letters', async () => {
    const [first, second] = [await kill('=cmd|calc'), await kill('no "luck", today')];
    assert.match(await peagen(['dlq', 'list']), new RegExp(`${first} .*=cmd\\|calc\\n${second}`));
    assert.match(await peagen(['dlq', 'inspect', first]), /"reason": "=cmd\|calc"/);
    const file = join(folder, 'dead.json');
    await peagen(['dlq', 'export', '--output', file]);
    assert.equal(z.array(z.unknown()).parse(JSON.parse(readFileSync(file, 'utf8'))).length, 2);
    assert.equal(z.array(z.unknown()).parse(JSON.parse(await peagen(['dlq', 'export']))).length, 2);
    assert.match(await peagen(['dlq', 'retry', first, '--dry-run']), /1 would be put back/);
    assert.equal((await queue.depth()).dead, 2);
    assert.match(await peagen(['dlq', 'retry', first]), /1 put back/);
    assert.match(await peagen(['dlq', 'purge', '--all']), /1 removed/);
    assert.equal((await queue.depth()).dead, 0);
  });

  it('fails in one line, with a status', async () => {
    const failing = async (args: string[], env?: NodeJS.ProcessEnv) => {
      const caught: unknown = await peagen(args, env).catch((error) => error);
      return z.object({ code: z.number(), stderr: z.string() }).parse(caught);
    };
    const none = await failing(['dlq', 'inspect', 'feedfeedfeedfeed']);
    assert.deepEqual([none.code, none.stderr.trim().split('\n').length], [2, 1]);
    assert.match((await failing(['dlq', 'purge'])).stderr, /--all/);
    assert.match(
      (await failing(['depth'], { PEAGEN_REDIS_PASSWORD: 'wrong-one' })).stderr,
      /refuses the password.*PEAGEN_REDIS_PASSWORD/,
    );
  });
});
