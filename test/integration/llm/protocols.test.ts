/** The protocols of OpenAI's Responses, of Anthropic and of Google, each against exchanges as its provider documents them. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import * as z from 'zod';
import { compatibleBackend } from '../../../daemon/llm/backends/compatible.ts';
import { checkBackend } from '../../../daemon/llm/check.ts';
import { BackendFailure } from '../../../daemon/llm/failure.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { Config, type LlmBackendConfig } from '../../../shared/config.ts';
import type { ChatRequest } from '../../../shared/llm.ts';
import { question } from '../../conformance/backend.ts';
import { backendConfig } from '../../llm/config.ts';
import { exchanges, type Protocol } from '../../llm/exchanges.ts';

const KEY = 'planted-5f1d2c3b4a';
interface Reply {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: string | object;
}

describe('the protocols of providers', () => {
  let server: Server;
  let url: string;
  let reply: Reply[];
  let asked: { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> }[];
  beforeEach(async () => {
    [reply, asked] = [[], []];
    server = createServer(async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      asked.push({
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(text)),
      });
      const { status = 200, headers = {}, body } = reply.shift() ?? { status: 500, body: {} };
      const type = typeof body === 'string' ? 'text/event-stream' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    assert.ok(address !== null && typeof address === 'object');
    url = `http://127.0.0.1:${address.port}/v1`;
  });
  afterEach(() => new Promise((done) => server.close(done).closeAllConnections()));

  const configOf = (protocol: Protocol, more: Partial<LlmBackendConfig> = {}) =>
    backendConfig({ base_url: url, model: 'test-model', protocol, api_key_env: 'PLANTED', ...more });
  const ask = (protocol: Protocol, more: Partial<LlmBackendConfig> = {}, over: Partial<ChatRequest> = {}) => {
    const heard: string[] = [];
    const one = compatibleBackend(configOf(protocol, more), { PLANTED: KEY });
    const signal = new AbortController().signal;
    return one
      .ask({ ...question, ...over }, { signal, onText: (piece) => heard.push(piece) })
      .then((answer) => ({ answer, heard }));
  };
  const failure = async (protocol: Protocol): Promise<BackendFailure> => {
    const caught: unknown = await ask(protocol).then(
      () => assert.fail('it answered'),
      (error: unknown) => error,
    );
    assert.ok(caught instanceof BackendFailure, String(caught));
    assert.ok(!caught.message.includes(KEY));
    return caught;
  };

  for (const name of ['responses', 'anthropic', 'gemini'] as const) {
    const exchange = exchanges[name];
    describe(`"${name}"`, () => {
      it('asks at its address with its key, streams the answer, and takes its usage, thoughts included', async () => {
        reply = [{ body: exchange.answer }];
        const { answer, heard } = await ask(name);
        assert.deepEqual([answer.text, answer.finish, answer.tokens], ['A heap.', 'stop', { prompt: 31, completion: 12 }]);
        assert.deepEqual(
          heard.filter((piece) => piece !== ''),
          ['A he', 'ap.'],
        );
        assert.ok(heard.includes(''), 'a thought is a sign of life');
        const [header, value] = exchange.keyHeader;
        assert.deepEqual([asked[0]?.path, asked[0]?.headers[header]], [exchange.path, value(KEY)]);
        if (header !== 'authorization') assert.equal(asked[0]?.headers.authorization, undefined);
        const body = JSON.stringify(asked[0]?.body);
        assert.ok(body.includes(JSON.stringify(question.system)) && body.includes(JSON.stringify(question.prompt)));
        assert.ok(body.includes(String(question.maxTokens)), 'the limit of the answer');
      });

      it('distinguishes an answer that was cut off, and one that was refused, from one that is whole', async () => {
        reply = [{ body: exchange.cut }, { body: exchange.refusal }];
        const cut = await ask(name);
        assert.deepEqual([cut.answer.text, cut.answer.finish], ['A he', 'length']);
        const refused = await ask(name);
        assert.deepEqual([refused.answer.finish, refused.answer.tokens], ['refused', { prompt: 31, completion: 12 }]);
      });

      it('reads how long to wait, and which errors no retry helps', async () => {
        const { limited, wrongKey } = exchange;
        reply = [limited, wrongKey, { status: 529, body: { error: { message: 'Overloaded' } } }];
        const late = await failure(name);
        assert.deepEqual([late.kind, late.retryable, late.retryAfterMs], ['rate_limit', true, limited.waitMs]);
        const wrong = await failure(name);
        assert.deepEqual([wrong.kind, wrong.retryable], ['auth', false]);
        assert.equal((await failure(name)).kind, 'server');
      });

      it('takes an answer that breaks off with an error, ends early or is nonsense for a failure that may pass', async () => {
        reply = [{ body: exchange.broken }, { body: exchange.answer.slice(0, exchange.answer.indexOf('ap.')) }];
        for (let one = 0; one < 2; one++) {
          const broken = await failure(name);
          assert.ok(['cut', 'server'].includes(broken.kind) && broken.retryable, broken.line);
        }
        reply = [{ body: 'data: [1, "<html>"]\n\ndata: {"type": 7, "candidates": {}}\n\n' }, { body: 'data: <html>\n\n' }];
        for (let one = 0; one < 2; one++) assert.equal((await failure(name)).kind, 'malformed');
      });

      it('leaves out a temperature that the model refuses, and asks for as much reasoning as the question says', async () => {
        const refused = {
          error: { message: "Unsupported parameter: 'temperature' is not supported with this model.", param: 'temperature' },
        };
        reply = [{ status: 400, body: refused }, { body: exchange.answer }, { body: exchange.answer }];
        const own = { model: 'strict-model', reasoning_effort: 'none' as const };
        await ask(name, own);
        const [first = '', second = ''] = asked.map(({ body }) => JSON.stringify(body));
        assert.ok(first.includes('"temperature"') && !second.includes('"temperature"'));
        await ask(name, own, { effort: 'medium', maxTokens: 16_384 });
        assert.match(JSON.stringify(asked[2]?.body), /"effort":"medium"|"budget_tokens":4096|"thinkingBudget":4096/);
      });
    });
  }

  it('lists the models of each in its own way', async () => {
    const lists: [Protocol, object][] = [
      ['responses', { object: 'list', data: [{ id: 'test-model', object: 'model' }] }],
      ['anthropic', { data: [{ type: 'model', id: 'test-model', display_name: 'Test' }], has_more: false }],
      ['gemini', { models: [{ name: 'models/test-model', version: '1' }] }],
    ];
    for (const [protocol, body] of lists) {
      reply = [{ body }, { body: exchanges[protocol].answer }];
      const backend = configOf(protocol);
      const config = Config.parse({ llm: { backends: [backend] } });
      const found = await checkBackend(backend, { config, registry: builtinRegistry(), env: { PLANTED: KEY }, ask: true });
      assert.deepEqual([found.problem, found.model_exists, found.reachable], [null, true, true], protocol);
      assert.equal(asked.at(-2)?.headers[exchanges[protocol].keyHeader[0]], exchanges[protocol].keyHeader[1](KEY));
    }
  });
});
