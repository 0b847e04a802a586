/**
 * Any endpoint that speaks one of the dialects, through OpenAI's client, which also reads the event streams of the others.
 * Streams always, so that an answer
 * can be stopped in its middle; asks once: retrying is the ensemble's. The key is read from one named environment
 * variable, goes only into the request's header, and is cut out of whatever comes back.
 */
import { setMaxListeners } from 'node:events';
import OpenAI from 'openai';
import type { Stream } from 'openai/streaming';
import type { TokenUse } from '../../../shared/asking.ts';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import { Turns } from '../../turns.ts';
import type { LlmBackend } from '../backend.ts';
import { requestTokens, tokenCounter } from '../cost/tokens.ts';
import { BackendFailure } from '../failure.ts';
import { endpointOf } from '../presets.ts';
import { addressOf, failureFrom } from './compatible-failure.ts';
import { type Adaptation, adaptations, type Dialect, dialects, type StreamPiece } from './dialects.ts';

/** Node loads its HTTP client when one of its names is first read. That takes 60 ms, which are not to be those of a first question. */
void globalThis.Response;

/** No useful answer is longer; a server that ignores max_tokens is cut off here at the latest. */
const MAX_ANSWER_CHARS = 1_000_000;
/** Characters that a token stands for at the very most, on average over an answer. */
const CHARS_PER_TOKEN = 16;

/** A question waits no longer for the one that finds out what is refused: a refusal comes at once, an answer takes seconds. */
const LONGEST_PROBE_MS = 400;

/** Spaces out the questions that this process sends. */
const asking = new Turns();

/** What is known of an endpoint's model: the parameters that it refuses, and the question that finds out. */
class Manners {
  readonly refused = new Set<Adaptation>();
  /** When the last of them was refused: an endpoint that refuses at once is worth another wait. */
  private refusedAt = 0;
  private accepted = false;
  private probe: Promise<void> | undefined;

  /**
   * Resolves when the caller may ask. Until one question was taken, one at a time finds out what is refused; the function
   * that is returned ends the caller's turn.
   */
  async turn(signal: AbortSignal): Promise<(taken: boolean) => void> {
    const began = Date.now();
    const late = () => Math.max(began, this.refusedAt) + LONGEST_PROBE_MS;
    while (!this.accepted && this.probe !== undefined && Date.now() < late()) await settledWithin(this.probe, late(), signal);
    // A first question without an answer does not hold up the others.
    if (this.accepted || this.probe !== undefined) return () => undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.probe = promise;
    return (taken) => {
      this.accepted ||= taken;
      if (this.probe === promise) this.probe = undefined;
      resolve();
    };
  }

  refuse(name: Adaptation): void {
    this.refused.add(name);
    this.refusedAt = Date.now();
  }
}

/** Resolves with the promise, at latest at `time`. Rejects when the signal fires. */
function settledWithin(promise: Promise<void>, time: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(signal.reason);
  // What has come meanwhile is read first.
  const timer = setTimeout(() => setImmediate(resolve), Math.max(0, time - Date.now()));
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([promise, ended]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  });
}

/** By address and model, for as long as the process lives: runs that follow each other learn it once. */
const known = new Map<string, Manners>();

function mannersOf(baseUrl: string, model: string): Manners {
  const key = `${baseUrl} ${model}`;
  const found = known.get(key) ?? new Manners();
  known.set(key, found);
  return found;
}

export function compatibleBackend(config: LlmBackendConfig, env: NodeJS.ProcessEnv): LlmBackend {
  return new CompatibleBackend(config, env);
}

/** Bytes of one event of a stream, or of an answer that is an error: no proper one is longer. */
const MAX_PART_BYTES = 4_000_000;

/** Fetches, and breaks off where a part of the answer does not end: it would be kept in memory as a whole. */
export async function boundedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.body === null) return response;
  let pending = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = response.ok ? chunk.lastIndexOf(0x0a) : -1;
      pending = end < 0 ? pending + chunk.length : chunk.length - end - 1;
      if (pending > MAX_PART_BYTES) controller.error(new Error(`one part of it is longer than ${MAX_PART_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limit), { status, statusText, headers });
}

class CompatibleBackend implements LlmBackend {
  readonly name: string;
  readonly model: string;
  private readonly client: OpenAI;
  private readonly dialect: Dialect;
  private readonly own: LlmBackendConfig;
  readonly baseUrl: string;
  readonly key: string | undefined;
  private readonly missingKey: string | undefined;
  private readonly manners: Manners;

  constructor(config: LlmBackendConfig, env: NodeJS.ProcessEnv) {
    this.name = config.name;
    this.model = config.model;
    this.own = config;
    const { baseUrl, keyEnv, protocol } = endpointOf(config);
    this.dialect = dialects[protocol];
    this.baseUrl = baseUrl;
    this.manners = mannersOf(baseUrl, config.model);
    this.key = keyEnv === undefined ? undefined : env[keyEnv]?.trim() || undefined;
    this.missingKey = keyEnv !== undefined && this.key === undefined ? keyEnv : undefined;
    // Everything is given, so that the client takes nothing from the environment by itself.
    this.client = new OpenAI({
      baseURL: baseUrl,
      apiKey: this.key ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: config.timeout_ms,
      logLevel: 'off',
      fetch: boundedFetch,
      defaultHeaders: this.dialect.headers(this.key),
    });
  }

  async ask(request: ChatRequest, options: { signal: AbortSignal; onText?: (piece: string) => void }): Promise<ChatAnswer> {
    if (this.missingKey !== undefined) {
      throw new BackendFailure('auth', this.name, `the environment variable ${this.missingKey} is not set.`, {
        hint: 'Set it to your API key, or name another variable with api_key_env.',
      });
    }
    for (;;) {
      let end: ((taken: boolean) => void) | undefined;
      let left: ReadonlySet<Adaptation> = this.manners.refused;
      try {
        end = await this.manners.turn(options.signal);
        await asking.next();
        left = new Set(this.manners.refused);
        return await this.askOnce(request, options, () => end?.(true));
      } catch (caught) {
        const refused = refusedParameter(caught);
        if (refused === undefined || left.has(refused)) throw failureFrom(caught, this, options.signal);
        this.manners.refuse(refused);
      } finally {
        end?.(false);
      }
    }
  }

  private async askOnce(
    request: ChatRequest,
    options: { signal: AbortSignal; onText?: (piece: string) => void },
    taken: () => void,
  ): Promise<ChatAnswer> {
    const started = performance.now();
    const reading = new Reading(started, Math.min(MAX_ANSWER_CHARS, request.maxTokens * CHARS_PER_TOKEN));
    setMaxListeners(0, options.signal);
    try {
      const body = this.dialect.body(request, this.own, (name) => !this.manners.refused.has(name));
      const path = this.dialect.path(this.model);
      const asked = this.client.post<Stream<unknown>>(path, { body, stream: true, signal: options.signal });
      const { data: stream, response } = await asked.withResponse();
      if (response.headers.get('content-type')?.includes('text/html') === true) {
        const hint = 'Check base_url: a proxy or a sign-in page may answer in its place.';
        throw new BackendFailure('malformed', this.name, `${addressOf(this.baseUrl)} answered with a web page.`, { hint });
      }
      taken();
      for await (const event of stream) {
        const read = this.dialect.read(event);
        const piece = reading.take(read);
        if (read.fault !== undefined)
          throw new BackendFailure('server', this.name, `it broke off (${read.fault.slice(0, 300)}).`);
        if (reading.begun) options.onText?.(piece);
        if (reading.tooLong) break;
      }
      options.signal.throwIfAborted();
    } catch (caught) {
      if (!reading.begun) throw caught;
      const tokens = await this.use(request, reading);
      const failure = failureFrom(caught, this, options.signal);
      const kind = failure.kind === 'cancelled' ? 'cancelled' : 'cut';
      throw new BackendFailure(kind, this.name, 'the answer ended in its middle.', { tokens, cause: failure });
    }
    if (reading.finish === undefined) {
      const tokens = await this.use(request, reading);
      const [kind, what] = reading.begun
        ? (['cut', 'the answer ended in its middle.'] as const)
        : (['malformed', 'the answer is not of the protocol.'] as const);
      throw new BackendFailure(kind, this.name, what, { tokens });
    }
    const text = this.key === undefined ? reading.text : reading.text.replaceAll(this.key, '[key]');
    const totalMs = performance.now() - started;
    return {
      text,
      backend: this.name,
      model: this.model,
      tokens: await this.use(request, reading),
      finish: reading.finish,
      firstTokenMs: reading.firstTokenMs ?? totalMs,
      totalMs,
    };
  }

  /** What the endpoint says, when that can be; else what we count. */
  private async use(request: ChatRequest, reading: Reading): Promise<TokenUse> {
    const { prompt = await requestTokens(request), completion } = reading;
    return { prompt, completion: completion ?? (await tokenCounter())(reading.text) };
  }
}

/** Puts a streamed answer together. */
class Reading {
  text = '';
  finish: ChatAnswer['finish'] | undefined;
  prompt: number | undefined;
  completion: number | undefined;
  firstTokenMs: number | undefined;
  private readonly started: number;
  private readonly limit: number;

  constructor(started: number, limit: number) {
    this.started = started;
    this.limit = limit;
  }

  get begun(): boolean {
    return this.firstTokenMs !== undefined;
  }

  get tooLong(): boolean {
    return this.text.length >= this.limit;
  }

  take({ text: piece = '', thinks = false, finish, prompt, completion }: StreamPiece): string {
    if (piece !== '' || thinks) this.firstTokenMs ??= performance.now() - this.started;
    this.prompt = prompt ?? this.prompt;
    this.completion = completion ?? this.completion;
    this.finish = finish === 'refused' ? finish : (this.finish ?? finish);
    this.text = (this.text + piece).slice(0, this.limit);
    if (this.tooLong) this.finish = 'length';
    return piece;
  }
}

/** Which of our parameters a 400 is about. */
function refusedParameter(caught: unknown): Adaptation | undefined {
  if (!(caught instanceof OpenAI.APIError) || (caught.status !== 400 && caught.status !== 422)) return undefined;
  // Each protocol has its own name for how much a model reasons.
  if (/reasoning|thinking/i.test(`${caught.param ?? ''} ${caught.message}`)) return 'reasoning_effort';
  return adaptations.find((name) => caught.param === name) ?? adaptations.find((name) => caught.message.includes(name));
}
