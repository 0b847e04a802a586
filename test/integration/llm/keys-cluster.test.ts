/** Plants keys in a daemon and workers that share a Redis, and looks for them in all that passes between and out of them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import { Mutate } from '../../../shared/protocol/targets.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { freePort, RedisServer, requireRedis } from '../../redis/server.ts';
import { cli, Home, until } from '../daemon/home.ts';

const LLM_KEY = 'sk-planted-5f6e7d8c-cluster';
const REDIS_PASSWORD = 'planted-redis-password-9a8b';
const SOURCE = 'def slow(items):\n    return sorted(sorted(items))\n';
const ANSWER = `Change: sort once, ${LLM_KEY}\n\`\`\`python\ndef slow(items):\n    return sorted(items)\n\`\`\`\n`;

/** A client that is gone at the end of the block, so that a failed test ends. */
const connected = (client: Redis) => ({ client, [Symbol.dispose]: () => client.disconnect() });

describe('keys on a cluster', () => {
  let redis: RedisServer;
  let llm: TestLlm;

  before(async function () {
    requireRedis(this);
    redis = await RedisServer.start({ extra: ['--requirepass', REDIS_PASSWORD] });
    llm = await startTestLlm({ key: LLM_KEY });
  });
  after(async () => {
    await llm?.close();
    await redis?.stop();
  });

  /** The text of every file that daemon and workers have written, unpacked, by path. */
  function written(home: Home): Map<string, string> {
    const files = new Map<string, string>();
    for (const entry of readdirSync(home.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const bytes = readFileSync(path);
      files.set(path, (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('latin1'));
    }
    return files;
  }

  it('are in no task, result, dead letter, metric, log or file, though model and endpoint repeat them', async () => {
    await using home = new Home();
    const metricsPort = await freePort();
    Object.assign(home.env, {
      PLANTED_KEY: LLM_KEY,
      PEAGEN_REDIS_PASSWORD: REDIS_PASSWORD,
      PEAGEN_METRICS_PORT: String(metricsPort),
      PEAGEN_LLM_ALLOW: `PLANTED_KEY=${new URL(llm.url).origin}`,
    });
    writeFileSync(join(home.workspace, 'slow.py'), SOURCE);
    writeFileSync(
      join(home.workspace, '.peagen.toml'),
      `[task_queue]\nprovider = "redis"\nurl = "${redis.url}"\n[[llm.backends]]\nname = "a"\nmodel = "test-model"\n` +
        `base_url = "${llm.url}"\napi_key_env = "PLANTED_KEY"\n`,
    );
    const passed: string[] = [];
    using spy = connected(redis.client({ password: REDIS_PASSWORD }));
    using spied = connected(await spy.client.monitor());
    const monitor = spied.client;
    monitor.on('monitor', (_time: string, command: string[]) => passed.push(command.join(' ')));

    const worker = home.run(process.execPath, [cli, 'worker', 'start', '--verbose'], home.workspace);
    let said = '';
    for (const stream of [worker.stdout, worker.stderr]) {
      stream?.on('data', (piece) => {
        said += String(piece);
      });
    }
    await until(() => /metrics at/.test(said), 'the workers to begin');
    assert.equal((await home.peagen('daemon', 'start', '--workspace', 'workspace')).code, 0);
    const client = await home.client();
    const target = { root: home.workspace, path: 'slow.py', entry_fn: 'slow' };
    llm.script({ type: 'answer', text: ANSWER });
    const { changes } = await client.request(Mutate, { target, mutator: 'rewrite' });
    assert.match(changes[0]?.after ?? '', /return sorted\(items\)/);
    llm.script({ type: 'status', status: 401, message: `Incorrect API key provided: ${LLM_KEY}` });
    const refusal = await client.request(Mutate, { target, mutator: 'rewrite' }).then(
      () => assert.fail('a 401 gave a patch'),
      (error: Error) => error.message,
    );
    assert.match(refusal, /\[key\]/);
    assert.equal(llm.requests.at(-1)?.headers.authorization, `Bearer ${LLM_KEY}`);

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    assert.match(metrics, /queue_ack_total/);
    worker.kill('SIGTERM');
    await until(() => worker.exitCode !== null || worker.signalCode !== null, 'the workers to end');

    const traffic = passed.join('\n');
    assert.match(traffic, /slow\.py/, 'no task was seen on the queue');
    const places = { traffic, metrics, refusal, 'output of the workers': said, ...Object.fromEntries(written(home)) };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [LLM_KEY, REDIS_PASSWORD]) assert.ok(!text.includes(secret), `${secret} is in ${place}: ${text}`);
    }
  });
});
