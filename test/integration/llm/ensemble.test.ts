import assert from 'node:assert/strict';
import { requestTokens } from '../../../daemon/llm/cost/tokens.ts';
import { openEnsemble } from '../../../daemon/llm/ensemble.ts';
import { BackendFailure } from '../../../daemon/llm/failure.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { metrics } from '../../../daemon/telemetry/metrics.ts';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import { question } from '../../conformance/backend.ts';
import { llmConfig } from '../../llm/config.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';

const log = createLog({ level: 'silent' });
const signal = () => new AbortController().signal;

describe('the ensemble', () => {
  const servers: TestLlm[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function serve(text: string): Promise<TestLlm> {
    const llm = await startTestLlm({ plainText: text });
    servers.push(llm);
    return llm;
  }
  const open = (backends: Partial<LlmBackendConfig>[], rest: { default_backend?: string } = {}) =>
    openEnsemble(llmConfig(backends, rest), { registry: builtinRegistry(), log, env: {} });
  const counted = async (metric: { get(): Promise<{ values: { value: number; labels: object }[] }> }, backend: string) =>
    (await metric.get()).values
      .filter(({ labels }) => 'backend' in labels && labels.backend === backend)
      .reduce((sum, { value }) => sum + value, 0);

  it('answers after five times 503, and asked no more often than that', async () => {
    const llm = await serve('at last');
    llm.script(...Array.from({ length: 5 }, () => ({ type: 'status', status: 503, retryAfter: '0' }) as const));
    const ensemble = await open([{ base_url: llm.url }]);
    const answer = await ensemble.ask(question, { signal: signal() });
    assert.equal(answer.text, 'at last');
    assert.equal(llm.requests.length, 6);
    assert.equal(answer.tokens.prompt, await requestTokens(question));
  });

  it('gives up on an endpoint that never recovers, and has spent nothing', async () => {
    const llm = await serve('never');
    llm.script(...Array.from({ length: 100 }, () => ({ type: 'status', status: 500, retryAfter: '0' }) as const));
    const ensemble = await open([{ base_url: llm.url }]);
    await assert.rejects(ensemble.ask(question, { signal: signal() }), (caught) => {
      assert.ok(caught instanceof BackendFailure && caught.retryable);
      assert.deepEqual(caught.tokens, { prompt: 0, completion: 0 });
      return true;
    });
    assert.ok(llm.requests.length <= 8, String(llm.requests.length));
  });

  it('asks as often as its retries say', async () => {
    const llm = await serve('never');
    llm.script(...Array.from({ length: 100 }, () => ({ type: 'status', status: 500, retryAfter: '0' }) as const));
    const ensemble = await open([{ base_url: llm.url, retries: 2, retry_delay_ms: 1 }]);
    await assert.rejects(ensemble.ask(question, { signal: signal() }), BackendFailure);
    assert.equal(llm.requests.length, 3);
  });

  it('waits as long as Retry-After says', async () => {
    const llm = await serve('later');
    llm.script({ type: 'status', status: 429, retryAfter: '1' });
    const ensemble = await open([{ base_url: llm.url }]);
    const started = Date.now();
    await ensemble.ask(question, { signal: signal() });
    assert.ok(Date.now() - started >= 1000);
  });

  it('falls back in the order that was asked for, and says who answered', async () => {
    const [first, second] = [await serve('first'), await serve('second')];
    first.script({ type: 'status', status: 401 });
    const ensemble = await open([
      { name: 'b', base_url: second.url },
      { name: 'a', base_url: first.url },
    ]);
    const answer = await ensemble.ask({ ...question, backend: 'a,b' }, { signal: signal() });
    assert.deepEqual([answer.text, answer.backend], ['second', 'b']);
  });

  it('asks only the one that was named', async () => {
    const [first, second] = [await serve('first'), await serve('second')];
    first.script({ type: 'status', status: 401 });
    const ensemble = await open([
      { name: 'a', base_url: first.url },
      { name: 'b', base_url: second.url },
    ]);
    await assert.rejects(ensemble.ask({ ...question, backend: 'a' }, { signal: signal() }), { kind: 'auth' });
    assert.equal(second.requests.length, 0);
  });

  it('leaves a failing back end for the next one after two failures', async () => {
    const [first, second] = [await serve('first'), await serve('second')];
    first.script(...Array.from({ length: 8 }, () => ({ type: 'status', status: 503, retryAfter: '0' }) as const));
    const ensemble = await open([
      { name: 'a', base_url: first.url },
      { name: 'b', base_url: second.url },
    ]);
    assert.equal((await ensemble.ask({ ...question, backend: 'a,b' }, { signal: signal() })).text, 'second');
    assert.ok(first.requests.length <= 2);
  });

  it('asks all in a fan-out, chooses one whole answer, and charges every one', async () => {
    const [first, second, third] = [await serve('first'), await serve('second'), await serve('third')];
    first.script({ type: 'refusal' });
    third.script({ type: 'status', status: 400 });
    const ensemble = await open([
      { name: 'a', base_url: first.url },
      { name: 'b', base_url: second.url },
      { name: 'c', base_url: third.url },
    ]);
    const answer = await ensemble.ask({ ...question, backend: 'all' }, { signal: signal() });
    assert.deepEqual([answer.text, answer.backend], ['second', 'b']);
    assert.equal(answer.tokens.prompt, 2 * (await requestTokens(question)));
  });

  it('makes at most two attempts that may be charged for, and reports what they cost', async () => {
    const llm = await serve('never');
    llm.script(...Array.from({ length: 9 }, () => ({ type: 'cut', text: 'one two', after: 7 }) as const));
    const ensemble = await open([{ base_url: llm.url }]);
    await assert.rejects(ensemble.ask(question, { signal: signal() }), (caught) => {
      assert.ok(caught instanceof BackendFailure);
      assert.equal(caught.tokens.completion, 4);
      return true;
    });
    assert.equal(llm.requests.length, 2);
  });

  it('adds the cost of a cut attempt to the answer that follows', async () => {
    const llm = await serve('whole');
    llm.script({ type: 'cut', text: 'one two', after: 7 });
    const ensemble = await open([{ base_url: llm.url }]);
    const { text, tokens } = await ensemble.ask(question, { signal: signal() });
    assert.equal(text, 'whole');
    const both = { prompt: 2 * (await requestTokens(question)), completion: 3 };
    assert.deepEqual(tokens, { ...both, by: { a: both } });
  });

  it('ends a question whose first token takes too long', async () => {
    const llm = await serve('never');
    llm.script({ type: 'silent' }, { type: 'silent' });
    const ensemble = await open([{ base_url: llm.url, first_token_ms: 50 }]);
    await assert.rejects(ensemble.ask(question, { signal: signal() }), {
      code: 'timeout',
      message: /first token took longer than 50 ms/,
    });
  });

  it('ends an answer that goes on for too long, though its first token came in time', async () => {
    const llm = await serve('never');
    const slow = { type: 'answer', text: 'word '.repeat(40), pieceMs: 40, pieces: 5 } as const;
    llm.script(slow, slow);
    const ensemble = await open([{ base_url: llm.url, first_token_ms: 1000, timeout_ms: 300 }]);
    await assert.rejects(ensemble.ask(question, { signal: signal() }), {
      code: 'timeout',
      message: /the answer took longer than 300 ms/,
    });
  });

  it('stops at once when withdrawn: in an answer, in a wait between attempts', async () => {
    const llm = await serve('never');
    llm.script({ type: 'status', status: 503, retryAfter: '60' });
    const ensemble = await open([{ base_url: llm.url }]);
    const controller = new AbortController();
    const rejected = assert.rejects(ensemble.ask(question, { signal: controller.signal }));
    while (llm.requests.length === 0 || llm.active > 0) await new Promise(setImmediate);
    controller.abort();
    await rejected;
  });

  it('holds to the requests a minute: what is above waits', async () => {
    const llm = await serve('yes');
    const ensemble = await open([{ base_url: llm.url, requests_per_minute: 3 }]);
    const controller = new AbortController();
    const asking = Array.from({ length: 5 }, () => ensemble.ask(question, { signal: controller.signal }));
    const settled = Promise.allSettled(asking);
    await Promise.all(asking.slice(0, 3));
    controller.abort();
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    assert.equal(llm.requests.length, 3);
  });

  it('says what to do when nothing is configured, or a name is wrong', async () => {
    await assert.rejects((await open([])).ask(question, { signal: signal() }), { code: 'unavailable', retryable: false });
    const ensemble = await open([{ name: 'groq', base_url: 'http://127.0.0.1:9/v1' }]);
    await assert.rejects(ensemble.ask({ ...question, backend: 'grok' }, { signal: signal() }), { hint: /Did you mean "groq"/ });
  });

  it('counts tokens, errors and latency for each back end', async () => {
    const llm = await serve('yes');
    llm.script({ type: 'status', status: 429, retryAfter: '0' });
    const ensemble = await open([{ name: 'metered', base_url: llm.url }]);
    const { tokens } = await ensemble.ask(question, { signal: signal() });
    assert.equal(await counted(metrics.llmTokens, 'metered'), tokens.prompt + tokens.completion);
    assert.equal(await counted(metrics.llmErrors, 'metered'), 1);
    assert.ok((await counted(metrics.llmLatency, 'metered')) > 0);
  });
});
