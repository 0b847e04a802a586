/**
 * Answers as the providers document them, event by event: OpenAI's Responses API, Anthropic's Messages API and Google's
 * generateContent, streamed. Each says "A heap." after the model has thought, and reports 31 and 12 tokens.
 */
export type Protocol = 'responses' | 'anthropic' | 'gemini';

interface Exchange {
  /** Path and query of the question. */
  readonly path: string;
  readonly keyHeader: readonly [name: string, value: (key: string) => string];
  readonly answer: string;
  /** Cut off at the limit of tokens. */
  readonly cut: string;
  readonly refusal: string;
  /** Breaks off in its middle with an error. */
  readonly broken: string;
  /** A refused request for want of quota, and how long to wait: in milliseconds. */
  readonly limited: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: object;
    readonly waitMs: number;
  };
  readonly wrongKey: { readonly status: number; readonly body: object };
}

const sse = (...events: readonly object[]): string =>
  events.map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join('');

const response = (status: string, more: object = {}) => ({
  id: 'resp_68',
  object: 'response',
  status,
  model: 'm',
  output: [],
  ...more,
});
const openaiUse = { input_tokens: 31, input_tokens_details: { cached_tokens: 0 }, output_tokens: 12, total_tokens: 43 };
const openaiStart = [
  { type: 'response.created', sequence_number: 0, response: response('in_progress') },
  { type: 'response.in_progress', sequence_number: 1, response: response('in_progress') },
  { type: 'response.reasoning_summary_text.delta', sequence_number: 2, item_id: 'rs_1', output_index: 0, delta: 'Hm.' },
];
const openaiText = (delta: string) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 1,
  content_index: 0,
  delta,
});

const anthropicStart = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_01', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null },
      usage: { input_tokens: 11, cache_creation_input_tokens: 0, cache_read_input_tokens: 20, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQBCgIYAhIM' } },
  { type: 'content_block_stop', index: 0 },
];
const anthropicText = (text: string) => ({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text } });
const anthropicEnd = (stop_reason: string) => [
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
];

const geminiChunk = (text: string, more: object = {}) => ({
  candidates: [
    {
      content: { parts: [{ text, ...('thought' in more ? more : {}) }], role: 'model' },
      index: 0,
      ...('thought' in more ? {} : more),
    },
  ],
  usageMetadata: { promptTokenCount: 31, candidatesTokenCount: 4, thoughtsTokenCount: 8, totalTokenCount: 43 },
  modelVersion: 'm',
});

export const exchanges: Readonly<Record<Protocol, Exchange>> = {
  responses: {
    path: '/v1/responses',
    keyHeader: ['authorization', (key) => `Bearer ${key}`],
    answer: sse(
      ...openaiStart,
      openaiText('A he'),
      openaiText('ap.'),
      { type: 'response.output_text.done', item_id: 'msg_1', output_index: 1, content_index: 0, text: 'A heap.' },
      { type: 'response.completed', response: response('completed', { usage: openaiUse }) },
    ),
    cut: sse(...openaiStart, openaiText('A he'), {
      type: 'response.incomplete',
      response: response('incomplete', { incomplete_details: { reason: 'max_output_tokens' }, usage: openaiUse }),
    }),
    refusal: sse(
      ...openaiStart,
      { type: 'response.refusal.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta: 'I cannot help.' },
      { type: 'response.completed', response: response('completed', { usage: openaiUse }) },
    ),
    broken: sse(...openaiStart, {
      type: 'response.failed',
      response: response('failed', { error: { code: 'server_error', message: 'The model broke down.' }, usage: null }),
    }),
    limited: {
      status: 429,
      headers: { 'retry-after': '7' },
      body: { error: { message: 'Rate limit reached for m.', type: 'tokens', param: null, code: 'rate_limit_exceeded' } },
      waitMs: 7000,
    },
    wrongKey: {
      status: 401,
      body: {
        error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', param: null, code: 'invalid_api_key' },
      },
    },
  },
  anthropic: {
    path: '/v1/messages',
    keyHeader: ['x-api-key', (key) => key],
    answer: sse(...anthropicStart, anthropicText('A he'), anthropicText('ap.'), ...anthropicEnd('end_turn')),
    cut: sse(...anthropicStart, anthropicText('A he'), ...anthropicEnd('max_tokens')),
    refusal: sse(...anthropicStart, ...anthropicEnd('refusal')),
    broken: sse(...anthropicStart, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    limited: {
      status: 429,
      headers: { 'retry-after': '7' },
      body: { type: 'error', error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' } },
      waitMs: 7000,
    },
    wrongKey: { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } } },
  },
  gemini: {
    path: '/v1/models/test-model:streamGenerateContent?alt=sse',
    keyHeader: ['x-goog-api-key', (key) => key],
    answer: sse(geminiChunk('Hm.', { thought: true }), geminiChunk('A he'), geminiChunk('ap.', { finishReason: 'STOP' })),
    cut: sse(geminiChunk('Hm.', { thought: true }), geminiChunk('A he', { finishReason: 'MAX_TOKENS' })),
    refusal: sse({
      promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      usageMetadata: { promptTokenCount: 31, candidatesTokenCount: 12, totalTokenCount: 43 },
    }),
    broken: sse(geminiChunk('Hm.', { thought: true }), {
      error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
    }),
    limited: {
      status: 429,
      headers: {},
      body: {
        error: {
          ...{ code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED' },
          details: [
            { '@type': 'type.googleapis.com/google.rpc.Help', links: [] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' },
          ],
        },
      },
      waitMs: 7000,
    },
    wrongKey: {
      status: 400,
      body: { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    },
  },
};
