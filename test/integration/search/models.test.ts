/** Models as people have them: an endpoint that is strict and thinks before it writes, and a CLI agent that goes wrong. */
import assert from 'node:assert/strict';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { modelMutator } from '../../../daemon/evolution/mutators/patch.ts';
import { COMMAND_VARIABLE } from '../../../daemon/llm/backends/command.ts';
import { type LlmEnsemble, openEnsemble } from '../../../daemon/llm/ensemble.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config, type LlmBackendConfig } from '../../../shared/config.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { startTestLlm } from '../../llm/server.ts';
import { ENTRY, programOf, TEXT } from '../../unit/answers/corpus/program.ts';

const log = createLog({ level: 'silent' });
const original = programOf(TEXT);
const good = 'Change: count at once\n<<<<<<< SEARCH\n    result = 0\n=======\n    result = 1\n>>>>>>> REPLACE';
const payload: MutatePayload = {
  mutator: 'patch',
  seed: 1,
  original,
  entry: ENTRY,
  parent: { sha256: programSha(original), program: original, metrics: {}, note: '' },
  inspirations: [],
  failures: [],
  nextRequires: [],
};

function configOf(backend: Partial<LlmBackendConfig>, mutate: { max_tokens?: number } = {}): Config {
  return Config.parse({ mutate, llm: { backends: [{ name: 'a', model: 'test-model', ...backend }] } });
}

function mutateWith(config: Config, ensemble: LlmEnsemble, seed: number) {
  const { signal } = new AbortController();
  const ask = (request: Parameters<LlmEnsemble['ask']>[0]) => ensemble.ask(request, { signal });
  return modelMutator('patch', config).mutate({ ...payload, seed }, { signal, log, ask });
}

describe('a strict endpoint whose model thinks for 8,000 tokens before it writes', () => {
  it('gives 20 candidates of 20 after two refused requests, also with a limit of 4,096 tokens', async () => {
    const llm = await startTestLlm({ plainText: good, quirks: ['no_max_tokens', 'no_temperature', 'thinks'] });
    const config = configOf({ base_url: llm.url }, { max_tokens: 4096 });
    const ensemble = await openEnsemble(config, { registry: builtinRegistry(), log, env: {} });
    try {
      const made = await Promise.all(Array.from({ length: 20 }, (_, seed) => mutateWith(config, ensemble, seed)));
      assert.deepEqual(
        made.map(({ kind }) => kind),
        Array(20).fill('child'),
      );
      assert.equal(llm.refused, 2);
      // Each was cut off once, and asked again with twice the room.
      const limits = llm.requests.map(({ body }) => body.max_completion_tokens);
      assert.deepEqual([limits.filter((n) => n === 4096).length, limits.filter((n) => n === 8192).length], [20, 20]);
    } finally {
      ensemble.close();
      await llm.close();
    }
  });

  it('is asked with 16,384 tokens unless the configuration says otherwise', async () => {
    assert.equal(configOf({}).mutate.max_tokens, 16_384);
  });
});

describe('a CLI agent as a back end', () => {
  const agent = async (script: string, backend: Partial<LlmBackendConfig> = {}) => {
    const config = configOf({ preset: 'command', ...backend });
    const env = { ...process.env, [COMMAND_VARIABLE]: JSON.stringify([process.execPath, '-e', script]) };
    const ensemble = await openEnsemble(config, { registry: builtinRegistry(), log, env });
    return mutateWith(config, ensemble, 1).finally(() => ensemble.close());
  };

  it('reads the question, and its answer becomes a candidate', async () => {
    const script = `let q = ''; process.stdin.on('data', (d) => { q += d; }).on('end', () => {
      console.log(q.includes('result = 0') ? ${JSON.stringify(good)} : 'There was no question.'); });`;
    const child = await agent(script);
    assert.ok(child.kind === 'child', JSON.stringify(child));
    assert.ok(child.tokens.prompt > 100 && child.tokens.completion > 10);
  });

  it('is one rejected candidate when it never ends, when it prints without end, and when its child holds its output open', async () => {
    const never = await agent('setInterval(() => {}, 1000)', { timeout_ms: 500 });
    assert.ok(never.kind === 'rejected');
    assert.match(never.reason, /took longer than 500 ms/);
    const flood = await agent("const piece = 'x'.repeat(65536); const on = () => process.stdout.write(piece, on); on();");
    assert.ok(flood.kind === 'rejected');
    assert.match(flood.reason, /wrote more than 1000000 bytes/);
    const held = "require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' }); process.exit(0)";
    const silent = await agent(held);
    assert.ok(silent.kind === 'rejected');
    assert.match(silent.reason, /wrote no answer/);
  });

  it('is named with its status and its last words when it ends with an error, and when it cannot be started', async () => {
    const script = "console.error('one\\nNot logged in.'); process.exit(3)";
    await assert.rejects(agent(script), { message: /ended with status 3 \(Not logged in\.\)/, code: 'backend_failed' });
    const config = configOf({ preset: 'command' });
    const env = { ...process.env, [COMMAND_VARIABLE]: '["/no/such/agent"]' };
    const ensemble = await openEnsemble(config, { registry: builtinRegistry(), log, env });
    await assert.rejects(mutateWith(config, ensemble, 1), { message: /\/no\/such\/agent cannot be started/ });
    ensemble.close();
  });

  it('says what to set where nothing says what to run', async () => {
    const config = configOf({ preset: 'command' });
    const ensemble = await openEnsemble(config, { registry: builtinRegistry(), log, env: {} });
    await assert.rejects(mutateWith(config, ensemble, 1), { message: /PEAGEN_LLM_COMMAND is not set/ });
    ensemble.close();
  });
});
