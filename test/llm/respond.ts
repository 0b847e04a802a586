/** Performs one step over HTTP: the OpenAI chat completions protocol, streamed and not, or a defined breach of it. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { ChatBody, ParsedStep } from './steps.ts';

export async function respond(
  step: ParsedStep,
  body: ChatBody,
  response: ServerResponse,
  charge: (tokens: number) => void = () => undefined,
): Promise<void> {
  if (step.type !== 'status') charge(promptTokens(body));
  if (step.type === 'refusal') charge(countTokens(step.text));
  // What is cut off or not read to its end has been written all the same.
  if (step.type === 'cut') charge(countTokens(step.text.slice(0, Math.max(0, step.after))));
  if (step.type === 'answer') charge(countTokens(within(step.text, limitOf(body)).text));
  switch (step.type) {
    case 'answer':
      return answer(step, body, response);
    case 'refusal':
      return refuse(step.text, body, response);
    case 'status':
      return fail(response, step);
    case 'cut':
      return cut(step, body, response);
    case 'silent':
      return;
    case 'malformed':
      response.writeHead(200, { 'content-type': body.stream ? 'text/event-stream' : 'application/json' });
      response.end(body.stream ? `data: ${step.body}\n\n` : step.body);
      return;
    case 'page':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html>\n<html><body>Sign in</body></html>\n');
      return;
    case 'endless':
      response.writeHead(step.status, { 'content-type': step.status === 200 ? 'text/event-stream' : 'application/json' });
      while (!response.destroyed) await flushed(response, response.write('x'.repeat(65_536)));
      return;
    case 'flood':
      return flood(step.piece, body, response);
  }
}

export function fail(
  response: ServerResponse,
  error: {
    status: number;
    message: string;
    retryAfter?: string | undefined;
    code?: string | undefined;
    param?: string | undefined;
  },
): void {
  response.writeHead(error.status, {
    'content-type': 'application/json',
    ...(error.retryAfter === undefined ? {} : { 'retry-after': error.retryAfter }),
  });
  const { message, code = null, param = null } = error;
  response.end(JSON.stringify({ error: { message, type: 'test_error', code, param } }));
}

async function answer(step: Extract<ParsedStep, { type: 'answer' }>, body: ChatBody, response: ServerResponse): Promise<void> {
  const { text, cut: tooLong } = within(step.text, limitOf(body));
  const finish = tooLong ? 'length' : step.finish;
  const usage = usageOf(step.usage, body, text);
  if (step.firstMs > 0) await sleep(step.firstMs);
  if (!body.stream) {
    json(response, body, { message: { role: 'assistant', content: text, refusal: null }, finish_reason: finish }, usage);
    return;
  }
  const send = openStream(response, body);
  send({ role: 'assistant', content: '' }, null);
  for (let at = 0; at < text.length && !response.destroyed; at += step.pieces) {
    if (step.pieceMs > 0) await sleep(step.pieceMs);
    await flushed(response, send({ content: text.slice(at, at + step.pieces) }, null));
  }
  send({}, finish);
  if (body.stream_options?.include_usage === true && usage !== undefined) send(undefined, null, usage);
  response.end('data: [DONE]\n\n');
}

function refuse(text: string, body: ChatBody, response: ServerResponse): void {
  const usage = usageOf('exact', body, text);
  if (!body.stream) {
    json(response, body, { message: { role: 'assistant', content: null, refusal: text }, finish_reason: 'stop' }, usage);
    return;
  }
  const send = openStream(response, body);
  send({ role: 'assistant', refusal: text }, null);
  send({}, 'stop');
  if (body.stream_options?.include_usage === true) send(undefined, null, usage);
  response.end('data: [DONE]\n\n');
}

function cut(step: Extract<ParsedStep, { type: 'cut' }>, body: ChatBody, response: ServerResponse): void {
  if (step.after < 0) {
    response.destroy();
    return;
  }
  const part = step.text.slice(0, step.after);
  if (body.stream) {
    const send = openStream(response, body);
    send({ role: 'assistant', content: part }, null);
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
    response.write(`{"choices":[{"message":{"content":${JSON.stringify(part).slice(0, -1)}`);
  }
  setImmediate(() => response.destroy());
}

async function flood(piece: string, body: ChatBody, response: ServerResponse): Promise<void> {
  const send = openStream(response, body);
  while (!response.destroyed) await flushed(response, send({ content: piece }, null));
}

/** Waits for the socket when it is full, or for its end; and lets others run in any case. */
async function flushed(response: ServerResponse, taken: boolean): Promise<void> {
  if (taken || response.destroyed) return new Promise((done) => setImmediate(done));
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function openStream(response: ServerResponse, body: ChatBody) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const head = { id: 'chatcmpl-test', object: 'chat.completion.chunk', created: 0, model: body.model };
  return (delta: object | undefined, finish: string | null, usage?: object): boolean => {
    const choices = delta === undefined ? [] : [{ index: 0, delta, finish_reason: finish }];
    return response.write(`data: ${JSON.stringify({ ...head, choices, ...(usage === undefined ? {} : { usage }) })}\n\n`);
  };
}

function json(response: ServerResponse, body: ChatBody, choice: object, usage: object | undefined): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const head = { id: 'chatcmpl-test', object: 'chat.completion', created: 0, model: body.model };
  response.end(JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...(usage === undefined ? {} : { usage }) }));
}

/** The longest beginning of a text that has at most `limit` tokens. */
function within(text: string, limit: number): { text: string; cut: boolean } {
  if (text.length <= limit || countTokens(text) <= limit) return { text, cut: false };
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= limit) low = middle;
    else high = middle - 1;
  }
  return { text: text.slice(0, low), cut: true };
}

function usageOf(kind: 'exact' | 'none' | 'absurd', body: ChatBody, text: string): object | undefined {
  if (kind === 'none') return undefined;
  if (kind === 'absurd') return { prompt_tokens: -5, completion_tokens: 1e300, total_tokens: 'many' };
  const prompt = promptTokens(body);
  const completion = countTokens(text);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function promptTokens(body: ChatBody): number {
  return body.messages.reduce((sum, message) => sum + countTokens(message.content) + 4, 3);
}

function limitOf(body: ChatBody): number {
  return body.max_completion_tokens ?? body.max_tokens ?? Number.POSITIVE_INFINITY;
}
