import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { findLocalServers } from '../../../daemon/llm/check.ts';
import { llmConfig } from '../../llm/config.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';

const Report = z.object({
  backends: z.array(z.looseObject({ name: z.string(), reachable: z.boolean(), key: z.string(), problem: z.string().nullable() })),
});

describe('peagen llm check', () => {
  let folder: string;
  let llm: TestLlm;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-check-'));
    llm = await startTestLlm({ key: 'sk-check', models: ['small', 'large'] });
    const backends = [
      { name: 'good', model: 'small', base_url: llm.url, api_key_env: 'CHECK_KEY', price_prompt: 1, price_completion: 2 },
      { name: 'keyless', model: 'small', base_url: llm.url, api_key_env: 'NO_SUCH_KEY' },
      { name: 'wrong-model', model: 'huge', base_url: llm.url, api_key_env: 'CHECK_KEY' },
      { name: 'nobody', model: 'small', base_url: 'http://127.0.0.1:9/v1' },
    ];
    const lines = backends.flatMap((backend) => [
      '[[llm.backends]]',
      ...Object.entries(backend).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ]);
    await writeFile(join(folder, '.peagen.toml'), lines.join('\n'));
  });
  after(async () => {
    await llm.close();
    await rm(folder, { recursive: true });
  });

  async function check(...args: string[]) {
    const { status, lastJson } = await runPeagen(['llm', 'check', ...args, '--json'], folder, {
      ...process.env,
      CHECK_KEY: 'sk-check',
      PEAGEN_LLM_ALLOW: ['CHECK_KEY', 'NO_SUCH_KEY'].map((name) => `${name}=${new URL(llm.url).origin}`).join(','),
    });
    return { status, backends: Report.parse(lastJson).backends };
  }

  it('says what is wrong with each back end, what to do, and fails', async () => {
    const { status, backends } = await check();
    assert.equal(status, 1);
    const [good, keyless, wrong, nobody] = backends;
    assert.deepEqual(
      [good?.problem, good?.key, good?.['model_exists'], good?.['price']],
      [null, 'present', true, { prompt: 1, completion: 2 }],
    );
    assert.ok(Number(good?.['latency_ms']) >= 0);
    assert.deepEqual([keyless?.key, keyless?.reachable], ['missing', true]);
    assert.match(keyless?.problem ?? '', /NO_SUCH_KEY/);
    assert.match(wrong?.problem ?? '', /no model "huge"; offered: small, large/);
    assert.deepEqual([nobody?.reachable, nobody?.key], [false, 'not needed']);
  });

  it('looks at one back end when it is named, and succeeds when it is well', async () => {
    const { status, backends } = await check('good');
    assert.deepEqual([status, backends.map(({ name }) => name)], [0, ['good']]);
  });

  it('asks nothing with --dry-run', async () => {
    const before = llm.requests.length;
    const { status, backends } = await check('good', '--dry-run');
    assert.deepEqual([status, backends[0]?.['latency_ms'], llm.requests.length], [0, null, before]);
  });

  it('finds a server on a usual port, unless it is configured already', async function () {
    const local = await startTestLlm({ port: 11434, models: ['qwen'] }).catch(() => undefined);
    // Something of the user's own listens there.
    if (local === undefined) return this.skip();
    try {
      const found = await findLocalServers(llmConfig([]));
      assert.deepEqual(
        found.filter(({ preset }) => preset === 'ollama'),
        [{ preset: 'ollama', base_url: 'http://127.0.0.1:11434/v1', models: ['qwen'] }],
      );
      const known = await findLocalServers(llmConfig([{ preset: 'ollama' }]));
      assert.ok(!known.some(({ preset }) => preset === 'ollama'));
    } finally {
      await local.close();
    }
  });
});
