/**
 * The tests' language model: an HTTP server on loopback that speaks the OpenAI chat completions protocol. Start it by
 * hand with `node test/llm/server.ts --port 8123 --script corpus` and point a back end's base_url at
 * `http://127.0.0.1:8123/v1`. `POST /script` with a JSON list of steps (see steps.ts) says what happens next.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { corpusAnswer } from './corpus.ts';
import { fail, respond } from './respond.ts';
import { ChatBody, type ParsedStep, Step } from './steps.ts';

/** What answers when no step is waiting: edits that suit the program in the prompt, or always the same words. */
type Script = 'corpus' | 'plain';

/** Ways in which real servers differ: parameters they refuse, and models that think for 8,000 tokens before they write. */
type Quirk = 'thinks' | 'no_max_tokens' | 'no_temperature' | 'no_stream_options' | 'no_seed';

export interface TestLlm {
  /** Ends in `/v1`. */
  readonly url: string;
  /** Every chat request that was understood, in order, with its headers. */
  readonly requests: { body: ChatBody; headers: IncomingMessage['headers'] }[];
  /** Tokens that a provider would charge for: of every prompt that it worked on, and of all that it wrote, heard or not. */
  readonly charged: number;
  /** Requests that were refused for a parameter. */
  readonly refused: number;
  /** Requests whose answer is under way. */
  readonly active: number;
  script(...steps: Step[]): void;
  close(): Promise<void>;
}

export interface TestLlmOptions {
  port?: number;
  script?: Script;
  /** What `plain` says. */
  plainText?: string;
  /** When given, requests must carry it as bearer token. */
  key?: string;
  models?: string[];
  quirks?: Quirk[];
}

export async function startTestLlm(options: TestLlmOptions = {}): Promise<TestLlm> {
  const { script = 'plain', plainText = 'Hello.', models = ['test-model'], quirks = [] } = options;
  const steps: ParsedStep[] = [];
  const requests: TestLlm['requests'] = [];
  let active = 0;
  let charged = 0;
  let refusals = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/script' && request.method === 'POST') {
      steps.push(...z.array(Step).parse(JSON.parse(await read(request))));
      response.writeHead(204).end();
      return;
    }
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
      fail(response, { status: 401, code: 'invalid_api_key', message: `Incorrect API key: ${request.headers.authorization}` });
      return;
    }
    if (path === '/v1/models') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ object: 'list', data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'test' })) }),
      );
      return;
    }
    if (path !== '/v1/chat/completions' || request.method !== 'POST') {
      fail(response, { status: 404, message: `There is no ${request.method} ${path}.` });
      return;
    }
    const body = ChatBody.parse(JSON.parse(await read(request)));
    const refused = refusedParameter(body, quirks);
    if (refused !== undefined) {
      refusals++;
      fail(response, {
        status: 400,
        message: `Unsupported parameter: '${refused}'.`,
        param: refused,
        code: 'unsupported_parameter',
      });
      return;
    }
    if (!models.includes(body.model)) {
      fail(response, { status: 404, message: `The model '${body.model}' does not exist.`, code: 'model_not_found' });
      return;
    }
    requests.push({ body, headers: request.headers });
    const short = quirks.includes('thinks') && (body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY) < 8000;
    const step = short
      ? Step.parse({ type: 'answer', text: '', finish: 'length' })
      : (steps.shift() ?? Step.parse(script === 'corpus' ? corpusAnswer(body) : { type: 'answer', text: plainText }));
    await respond(step, body, response, (tokens) => {
      charged += tokens;
    });
  }

  const server = createServer((request, response) => {
    active++;
    response.once('close', () => active--);
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else fail(response, { status: 400, message: String(error) });
    });
  });
  await new Promise<void>((done, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', done);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    get charged() {
      return charged;
    },
    get refused() {
      return refusals;
    },
    get active() {
      return active;
    },
    script: (...more) => void steps.push(...more.map((step) => Step.parse(step))),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function refusedParameter(body: ChatBody, quirks: Quirk[]): string | undefined {
  if (quirks.includes('no_max_tokens') && body.max_tokens != null) return 'max_tokens';
  if (quirks.includes('no_temperature') && body.temperature != null) return 'temperature';
  if (quirks.includes('no_stream_options') && body.stream_options != null) return 'stream_options';
  if (quirks.includes('no_seed') && body.seed != null) return 'seed';
  return undefined;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8123' },
      script: { type: 'string', default: 'corpus' },
      key: { type: 'string' },
    },
  });
  const script = z.enum(['corpus', 'plain']).parse(values.script);
  const llm = await startTestLlm({ port: Number(values.port), script, ...(values.key === undefined ? {} : { key: values.key }) });
  process.stdout.write(`${llm.url}\n`);
}
