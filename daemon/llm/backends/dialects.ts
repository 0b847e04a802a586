/**
 * The protocols that models are asked with, each as it is documented by its provider: the address and the body of a question,
 * and what one event of the streamed answer says. Events come from outside: nothing about them is taken for granted. Pure.
 *
 * `chat`: OpenAI's chat completions, which most servers speak. `responses`: OpenAI's Responses API. `anthropic`: Anthropic's
 * Messages API. `gemini`: Google's generateContent, streamed.
 */
import * as z from 'zod';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';

/** Parameters that some models refuse; each is left out, or renamed, once the endpoint has said so. */
export const adaptations = ['max_tokens', 'temperature', 'top_p', 'reasoning_effort', 'seed', 'stream_options'] as const;
export type Adaptation = (typeof adaptations)[number];

/** What one event says; nothing of it is a sign of life too. */
export interface StreamPiece {
  readonly text?: string;
  /** The model reasons. */
  readonly thinks?: boolean;
  readonly finish?: ChatAnswer['finish'] | undefined;
  readonly prompt?: number | undefined;
  readonly completion?: number | undefined;
  /** The provider broke the answer off. */
  readonly fault?: string;
}

export interface Dialect {
  /** Below the base address, with the query. */
  path(model: string): string;
  headers(key: string | undefined): Record<string, string | null>;
  body(request: ChatRequest, own: LlmBackendConfig, has: (name: Adaptation) => boolean): object;
  read(event: unknown): StreamPiece;
}

const bearer = (key: string | undefined): Record<string, string | null> =>
  key === undefined ? { Authorization: null } : { Authorization: `Bearer ${key}` };

/** A back end's own settings go over those of the question. */
function settings(request: ChatRequest, own: LlmBackendConfig) {
  const { temperature = request.temperature, top_p: topP = request.topP } = own;
  return { temperature, topP, effort: request.effort ?? own.reasoning_effort };
}

const tokens = z.number().int().min(0).max(1e9).optional().catch(undefined);
const text = z.string().catch('');
/** An object of which every part may be missing. */
function part<S extends z.core.$ZodLooseShape>(shape: S) {
  const parts = z.object(shape).partial();
  return parts.catch(() => parts.parse({}));
}

const ChatEvent = part({
  choices: z
    .array(
      part({
        delta: part({ content: text, refusal: text, reasoning_content: text, reasoning: text }),
        finish_reason: z.string().nullable().catch(null),
      }),
    )
    .catch([]),
  usage: part({ prompt_tokens: tokens, completion_tokens: tokens }).nullable(),
});

const chat: Dialect = {
  path: () => '/chat/completions',
  headers: bearer,
  body(request, own, has) {
    const { temperature, topP, effort } = settings(request, own);
    return {
      model: own.model,
      messages: [
        { role: 'system', content: request.system },
        { role: 'user', content: request.prompt },
      ],
      stream: true,
      ...(has('max_tokens') ? { max_tokens: request.maxTokens } : { max_completion_tokens: request.maxTokens }),
      ...(has('temperature') ? { temperature } : {}),
      ...(has('top_p') && topP !== undefined ? { top_p: topP } : {}),
      ...(has('reasoning_effort') && effort !== undefined ? { reasoning_effort: effort } : {}),
      ...(has('seed') && request.seed !== undefined ? { seed: request.seed } : {}),
      ...(has('stream_options') ? { stream_options: { include_usage: true } } : {}),
    };
  },
  read(event) {
    const { choices = [], usage } = ChatEvent.parse(event);
    const { delta = {}, finish_reason: reason } = choices[0] ?? {};
    const { content = '', refusal = '', reasoning_content = '', reasoning = '' } = delta;
    const finish = reason == null ? undefined : reason === 'length' ? 'length' : reason === 'content_filter' ? 'refused' : 'stop';
    return {
      text: content === '' ? refusal : content,
      thinks: reasoning_content !== '' || reasoning !== '',
      finish: refusal === '' ? finish : 'refused',
      prompt: usage?.prompt_tokens,
      completion: usage?.completion_tokens,
    };
  },
};

const ResponsesEvent = part({
  type: text,
  delta: text,
  message: text,
  response: part({
    usage: part({ input_tokens: tokens, output_tokens: tokens }).nullable(),
    incomplete_details: part({ reason: text }).nullable(),
    error: part({ message: text }).nullable(),
  }),
});

const responses: Dialect = {
  path: () => '/responses',
  headers: bearer,
  body(request, own, has) {
    const { temperature, topP, effort } = settings(request, own);
    return {
      model: own.model,
      instructions: request.system,
      input: request.prompt,
      stream: true,
      // What is asked is the user's own and is kept next to the run, not at the provider.
      store: false,
      max_output_tokens: request.maxTokens,
      ...(has('temperature') ? { temperature } : {}),
      ...(has('top_p') && topP !== undefined ? { top_p: topP } : {}),
      ...(has('reasoning_effort') && effort !== undefined ? { reasoning: { effort } } : {}),
    };
  },
  read(event) {
    const { type = '', delta = '', message = '', response = {} } = ResponsesEvent.parse(event);
    const use = { prompt: response.usage?.input_tokens, completion: response.usage?.output_tokens };
    switch (type) {
      case 'response.output_text.delta':
        return { text: delta };
      case 'response.refusal.delta':
        return { text: delta, finish: 'refused' };
      case 'response.completed':
        return { finish: 'stop', ...use };
      case 'response.incomplete':
        return { finish: response.incomplete_details?.reason === 'content_filter' ? 'refused' : 'length', ...use };
      case 'response.failed':
      case 'error':
        return { fault: (response.error?.message ?? message) || 'no reason given', ...use };
      default:
        return { thinks: type.includes('reasoning') };
    }
  },
};

/** Tokens that Anthropic's and Google's models may think for. */
const thinking: Readonly<Record<NonNullable<ChatRequest['effort']>, number>> = {
  ...{ none: 0, minimal: 512, low: 1024, medium: 4096 },
  ...{ high: 12_288, xhigh: 24_576 },
};
/** Anthropic's models think for this number of tokens at least, if at all. */
const LEAST_THINKING = 1024;

const AnthropicEvent = part({
  type: text,
  message: part({ usage: z.unknown() }),
  delta: part({ type: text, text, stop_reason: z.string().nullable().catch(null) }),
  usage: z.unknown(),
});
const AnthropicUse = part({
  input_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
  output_tokens: tokens,
});

const anthropic: Dialect = {
  path: () => '/messages',
  headers: (key) => ({
    Authorization: null,
    'anthropic-version': '2023-06-01',
    ...(key === undefined ? {} : { 'x-api-key': key }),
  }),
  body(request, own, has) {
    const { temperature, topP, effort } = settings(request, own);
    // What it thinks is part of max_tokens, and half of that stays for the answer.
    const budget = effort === undefined ? 0 : Math.min(thinking[effort], Math.floor(request.maxTokens / 2));
    const thinks = has('reasoning_effort') && budget >= LEAST_THINKING;
    return {
      model: own.model,
      system: request.system,
      messages: [{ role: 'user', content: request.prompt }],
      max_tokens: request.maxTokens,
      stream: true,
      ...(thinks ? { thinking: { type: 'enabled', budget_tokens: budget } } : {}),
      // A model that thinks takes no temperature; newer ones take one of the two only.
      ...(has('temperature') && !thinks ? { temperature: Math.min(1, temperature) } : {}),
      ...(has('top_p') && !thinks && topP !== undefined && own.temperature === undefined && !has('temperature')
        ? { top_p: topP }
        : {}),
    };
  },
  read(event) {
    const { type = '', message = {}, delta = {}, usage } = AnthropicEvent.parse(event);
    if (type === 'message_start') {
      const use = AnthropicUse.parse(message.usage);
      if (use.input_tokens === undefined) return {};
      return { prompt: use.input_tokens + (use.cache_creation_input_tokens ?? 0) + (use.cache_read_input_tokens ?? 0) };
    }
    if (type === 'content_block_delta') return { text: delta.text ?? '', thinks: delta.type === 'thinking_delta' };
    if (type !== 'message_delta') return {};
    const reason = delta.stop_reason;
    const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded';
    const finish = reason == null ? undefined : isCut ? 'length' : reason === 'refusal' ? 'refused' : 'stop';
    return { finish, completion: AnthropicUse.parse(usage).output_tokens };
  },
};

const GeminiEvent = part({
  candidates: z
    .array(
      part({
        content: part({ parts: z.array(part({ text, thought: z.boolean().catch(false) })).catch([]) }),
        finishReason: z.string().catch(''),
      }),
    )
    .catch([]),
  promptFeedback: part({ blockReason: z.string() }),
  usageMetadata: part({ promptTokenCount: tokens, candidatesTokenCount: tokens, thoughtsTokenCount: tokens }),
});

const gemini: Dialect = {
  path: (model) => `/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
  headers: (key) => ({ Authorization: null, ...(key === undefined ? {} : { 'x-goog-api-key': key }) }),
  body(request, own, has) {
    const { temperature, topP, effort } = settings(request, own);
    return {
      systemInstruction: { parts: [{ text: request.system }] },
      contents: [{ role: 'user', parts: [{ text: request.prompt }] }],
      generationConfig: {
        maxOutputTokens: request.maxTokens,
        ...(has('temperature') ? { temperature } : {}),
        ...(has('top_p') && topP !== undefined ? { topP } : {}),
        ...(has('seed') && request.seed !== undefined ? { seed: request.seed } : {}),
        ...(has('reasoning_effort') && effort !== undefined ? { thinkingConfig: { thinkingBudget: thinking[effort] } } : {}),
      },
    };
  },
  read(event) {
    const { candidates = [], promptFeedback, usageMetadata: use } = GeminiEvent.parse(event);
    const { content, finishReason: reason = '' } = candidates[0] ?? {};
    const parts = content?.parts ?? [];
    const said = parts.filter(({ thought }) => thought !== true).map((one) => one.text ?? '');
    const isBlocked = promptFeedback?.blockReason !== undefined;
    const finish = reason === '' ? undefined : reason === 'STOP' ? 'stop' : reason === 'MAX_TOKENS' ? 'length' : 'refused';
    const written = use?.candidatesTokenCount;
    const thought = use?.thoughtsTokenCount ?? 0;
    return {
      text: isBlocked ? `the prompt was blocked: ${promptFeedback.blockReason}` : said.join(''),
      thinks: parts.some(({ thought: thinks }) => thinks === true),
      finish: isBlocked ? 'refused' : finish,
      prompt: use?.promptTokenCount,
      completion: written === undefined && thought === 0 && !isBlocked ? undefined : (written ?? 0) + thought,
    };
  },
};

export const dialects: Readonly<Record<NonNullable<LlmBackendConfig['protocol']>, Dialect>> = {
  chat,
  responses,
  anthropic,
  gemini,
};
