import assert from 'node:assert/strict';
import { compatibleBackend } from '../../../daemon/llm/backends/compatible.ts';
import { requestTokens, tokenCounter } from '../../../daemon/llm/cost/tokens.ts';
import { BackendFailure, type FailureKind } from '../../../daemon/llm/failure.ts';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import { question } from '../../conformance/backend.ts';
import { backendConfig } from '../../llm/config.ts';
import { startTestLlm, type TestLlm, type TestLlmOptions } from '../../llm/server.ts';
import type { Step } from '../../llm/steps.ts';

const KEY = 'sk-planted-5f1d2c3b4a';

describe('the OpenAI-compatible back end', () => {
  let llm: TestLlm;
  afterEach(() => llm.close());

  async function backend(options: TestLlmOptions = {}, config: Partial<LlmBackendConfig> = {}, env: NodeJS.ProcessEnv = {}) {
    llm = await startTestLlm(options);
    return compatibleBackend(backendConfig({ base_url: llm.url, ...config }), env);
  }
  const ask = (one: Awaited<ReturnType<typeof backend>>, signal = new AbortController().signal) => one.ask(question, { signal });
  async function failure(step: Step, options: TestLlmOptions = {}): Promise<BackendFailure> {
    const one = await backend(options);
    llm.script(step);
    const caught: unknown = await ask(one).then(
      () => assert.fail('it answered'),
      (error: unknown) => error,
    );
    assert.ok(caught instanceof BackendFailure);
    return caught;
  }

  it('takes the usage from the end of the stream', async () => {
    const one = await backend({ plainText: 'one two three' });
    const { tokens } = await ask(one);
    const count = await tokenCounter();
    assert.equal(tokens.completion, count('one two three'));
    assert.equal(tokens.prompt, await requestTokens(question));
  });

  it('asks with what its own configuration says, over what the question says', async () => {
    const one = await backend({}, { temperature: 0.1, top_p: 0.2, reasoning_effort: 'low' });
    await one.ask({ ...question, topP: 0.9 }, { signal: new AbortController().signal });
    const body = llm.requests[0]?.body;
    assert.deepEqual([body?.temperature, body?.['top_p'], body?.['reasoning_effort']], [0.1, 0.2, 'low']);
  });

  it('passes on what the question says', async () => {
    const one = await backend();
    await one.ask({ ...question, topP: 0.9 }, { signal: new AbortController().signal });
    assert.equal(llm.requests[0]?.body?.['top_p'], 0.9);
  });

  for (const usage of ['none', 'absurd'] as const) {
    it(`counts the tokens itself when the usage is ${usage}`, async () => {
      const one = await backend();
      llm.script({ type: 'answer', text: 'one two three', usage });
      assert.deepEqual((await ask(one)).tokens, { prompt: await requestTokens(question), completion: 3 });
    });
  }

  const statuses: [number, FailureKind, boolean][] = [
    [400, 'request', false],
    [401, 'auth', false],
    [403, 'auth', false],
    [404, 'model', false],
    [408, 'server', true],
    [429, 'rate_limit', true],
    [500, 'server', true],
    [503, 'server', true],
  ];
  for (const [status, kind, retryable] of statuses) {
    it(`takes ${status} for "${kind}", ${retryable ? 'worth' : 'not worth'} a retry, and free of charge`, async () => {
      const caught = await failure({ type: 'status', status });
      assert.deepEqual([caught.kind, caught.retryable, caught.tokens.prompt], [kind, retryable, 0]);
      assert.equal(llm.requests.length, 1);
    });
  }

  it('reads how long to wait, in seconds or as a date', async () => {
    assert.equal((await failure({ type: 'status', status: 429, retryAfter: '7' })).retryAfterMs, 7000);
    await llm.close();
    const date = new Date(Date.now() + 30_000).toUTCString();
    const wait = (await failure({ type: 'status', status: 503, retryAfter: date })).retryAfterMs ?? 0;
    assert.ok(wait > 20_000 && wait <= 30_000, String(wait));
    await llm.close();
    assert.equal((await failure({ type: 'status', status: 429, retryAfter: 'soon' })).retryAfterMs, undefined);
  });

  it('takes an exhausted account for one that no retry helps', async () => {
    const caught = await failure({ type: 'status', status: 429, code: 'insufficient_quota' });
    assert.deepEqual([caught.kind, caught.retryable], ['quota', false]);
  });

  it('says "network" when nobody listens', async () => {
    const one = await backend();
    await llm.close();
    await assert.rejects(ask(one), { kind: 'network', retryable: true });
  });

  it('charges what came before a cut, and the prompt', async () => {
    const caught = await failure({ type: 'cut', text: 'one two three', after: 13 });
    assert.deepEqual([caught.kind, caught.retryable], ['cut', true]);
    assert.deepEqual(caught.tokens, { prompt: await requestTokens(question), completion: 3 });
  });

  it('takes a connection that is cut before any header for one that may have been charged', async () => {
    const caught = await failure({ type: 'cut', after: -1 });
    assert.deepEqual([caught.kind, caught.retryable], ['cut', true]);
  });

  for (const body of ['<html>502 Bad Gateway</html>', '{"choices":[]}', '{"choices":"none"}', 'null', '[1,2]']) {
    it(`says "malformed" to a stream of ${body}`, async () => {
      assert.equal((await failure({ type: 'malformed', body })).kind, 'malformed');
    });
  }

  it('says that it got a web page in place of an answer, and what to check', async () => {
    const { kind, line, hint } = await failure({ type: 'page' });
    assert.equal(kind, 'malformed');
    assert.match(`${line} ${hint}`, /\/v1 answered with a web page\. .*Check base_url/);
  });

  for (const status of [200, 500]) {
    it(`ends the connection of an answer with status ${status} that is one line without an end`, async () => {
      const { kind, line } = await failure({ type: 'endless', status });
      assert.equal(kind, status === 200 ? 'malformed' : 'server');
      assert.match(line, /one part of it is longer than 4000000 bytes/);
      while (llm.active > 0) await new Promise((done) => setImmediate(done));
    });
  }

  it('distinguishes a refusal from an answer', async () => {
    const one = await backend();
    llm.script({ type: 'refusal' }, { type: 'answer', text: 'I ', finish: 'content_filter' });
    assert.equal((await ask(one)).finish, 'refused');
    assert.equal((await ask(one)).finish, 'refused');
  });

  it('says when an answer was cut at max_tokens', async () => {
    const one = await backend({ plainText: 'word '.repeat(1000) });
    const answer = await ask(one);
    assert.equal(answer.finish, 'length');
    assert.ok(answer.tokens.completion <= question.maxTokens);
  });

  it('cuts off a server that ignores max_tokens, and ends the connection', async () => {
    const one = await backend();
    llm.script({ type: 'flood' });
    const answer = await ask(one);
    assert.equal(answer.finish, 'length');
    assert.ok(answer.text.length <= question.maxTokens * 16);
    while (llm.active > 0) await new Promise(setImmediate);
  });

  it('ends the connection when the question is withdrawn in mid-answer, and counts what came', async () => {
    const one = await backend();
    llm.script({ type: 'answer', text: 'one two three four '.repeat(50), pieces: 4, pieceMs: 5 });
    const controller = new AbortController();
    let heard = 0;
    const asking = one.ask(question, {
      signal: controller.signal,
      onText: () => {
        if (++heard === 3) controller.abort();
      },
    });
    await assert.rejects(
      asking,
      (caught) => caught instanceof BackendFailure && caught.code === 'cancelled' && caught.tokens.completion > 0,
    );
    while (llm.active > 0) await new Promise(setImmediate);
  });

  it('leaves out or renames what a model refuses, and remembers it', async () => {
    const one = await backend({ quirks: ['no_max_tokens', 'no_temperature', 'no_seed', 'no_stream_options'] });
    assert.equal((await ask(one)).text, 'Hello.');
    assert.equal((await ask(one)).text, 'Hello.');
    assert.equal(llm.requests.length, 2);
    const body = llm.requests[1]?.body;
    assert.deepEqual(
      [body?.max_tokens, body?.max_completion_tokens, body?.temperature],
      [undefined, question.maxTokens, undefined],
    );
  });

  it('sends the key of the named variable, and no other', async () => {
    const env = { MY_KEY: KEY, OPENAI_API_KEY: 'sk-not-this-one', OPENAI_BASE_URL: 'http://127.0.0.1:9' };
    const one = await backend({ key: KEY }, { api_key_env: 'MY_KEY' }, env);
    assert.equal((await ask(one)).text, 'Hello.');
  });

  it('sends no authorization at all without a variable', async () => {
    const one = await backend({}, {}, { OPENAI_API_KEY: KEY });
    await ask(one);
    assert.equal(llm.requests[0]?.headers.authorization, undefined);
  });

  it('asks nothing when the variable is not set, and names it', async () => {
    const one = await backend({}, { api_key_env: 'MY_KEY' });
    await assert.rejects(ask(one), { kind: 'auth', message: /MY_KEY is not set/ });
    assert.equal(llm.requests.length, 0);
  });

  it('cuts the key out of an error that echoes it, and out of an answer', async () => {
    const one = await backend({}, { api_key_env: 'MY_KEY' }, { MY_KEY: KEY });
    llm.script({ type: 'status', status: 401, message: `Incorrect API key: Bearer ${KEY}` });
    const caught = await ask(one).catch((error: unknown) => error);
    assert.ok(caught instanceof BackendFailure);
    assert.match(caught.message, /\[key\]/);
    assert.ok(!JSON.stringify([caught, caught.stack, String(caught.cause)]).includes(KEY));
    llm.script({ type: 'answer', text: `your key is ${KEY}.` });
    assert.equal((await ask(one)).text, 'your key is [key].');
  });
});
