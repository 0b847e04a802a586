/** One question to one back end, with everything around it: rate limit, time-outs, metrics. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenUse } from '../../shared/asking.ts';
import type { LlmBackendConfig } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import { counted, observed } from '../telemetry/counts.ts';
import type { LlmBackend } from './backend.ts';
import { requestTokens } from './cost/tokens.ts';
import { BackendFailure, type FailureKind } from './failure.ts';
import type { RequestOutcome, Traffic } from './traffic.ts';

/** A back end of the ensemble, with its configuration. */
export interface Member {
  readonly backend: LlmBackend;
  readonly config: LlmBackendConfig;
}

interface AttemptOptions {
  readonly signal: AbortSignal;
  readonly onText?: ((piece: string) => void) | undefined;
  readonly traffic: Traffic;
  /** For the metrics: which kind of task asks. */
  readonly handler: string;
}

/** Kinds after which the endpoint has probably worked, and charges for it, though there is no answer. */
const costly: ReadonlySet<FailureKind> = new Set(['timeout', 'cut', 'malformed', 'cancelled']);
/** Kinds that say something about the back end's health. */
const unhealthy: ReadonlySet<FailureKind> = new Set(['server', 'network', 'timeout', 'cut', 'malformed']);

/** Asks once. The caller has passed the traffic's `enter`, and this is its `leave`. Throws BackendFailure, with the tokens it has cost. */
export async function attempt(member: Member, request: ChatRequest, options: AttemptOptions): Promise<ChatAnswer> {
  const { backend, config } = member;
  const { traffic } = options;
  // Counting takes a while: only for a limit, or for what a failure has cost.
  const limited = config.tokens_per_minute !== undefined;
  const estimate = limited ? (await requestTokens(request)) + request.maxTokens : 0;
  let asked = false;
  let outcome: RequestOutcome = 'abandon';
  let why: string | undefined;
  try {
    await waitForRate(traffic, backend.name, estimate, options.signal);
    asked = true;
    const answer = await timed(backend, config, request, options);
    outcome = 'success';
    const used = answer.tokens.prompt + answer.tokens.completion;
    if (limited) await traffic.settle(backend.name, used - estimate);
    count(backend.name, options.handler, used);
    observed('llm_latency_seconds', { backend: backend.name }, answer.totalMs / 1000);
    observed('llm_first_token_seconds', { backend: backend.name }, answer.firstTokenMs / 1000);
    const writingMs = answer.totalMs - answer.firstTokenMs;
    const perSecond = (answer.tokens.completion / writingMs) * 1000;
    if (writingMs > 0) observed('llm_tokens_per_second', { backend: backend.name }, perSecond);
    return { ...answer, tokens: charged(backend.name, answer.tokens) };
  } catch (caught) {
    const failure = await withCost(asFailure(caught, backend.name, options.signal), asked ? request : undefined);
    const used = failure.tokens.prompt + failure.tokens.completion;
    if (unhealthy.has(failure.kind)) [outcome, why] = ['failure', failure.line];
    if (asked && limited) await traffic.settle(backend.name, used - estimate);
    count(backend.name, options.handler, used);
    counted('llm_errors_total', { backend: backend.name, kind: failure.kind }, 1);
    throw used > 0 ? failure.withTokens(charged(backend.name, failure.tokens)) : failure;
  } finally {
    await traffic.leave(backend.name, outcome, why);
  }
}

/** Waits until the rate limit lets one request through. Rejects when `signal` fires. */
async function waitForRate(traffic: Traffic, backend: string, tokens: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const wait = await traffic.take(backend, tokens);
    if (wait <= 0) return;
    // Questions that wait for the same second are not repeated in the same millisecond.
    await sleep(wait + Math.random() * 50, undefined, { signal });
  }
}

/** Ends the question when the first piece or the whole answer takes too long. */
async function timed(
  backend: LlmBackend,
  config: LlmBackendConfig,
  request: ChatRequest,
  options: AttemptOptions,
): Promise<ChatAnswer> {
  const clock = new AbortController();
  let late = '';
  const after = (ms: number, what: string) =>
    setTimeout(() => {
      late = `${what} took longer than ${ms} ms.`;
      clock.abort();
    }, ms);
  const first = after(config.first_token_ms ?? config.timeout_ms, 'the first token');
  const whole = after(config.timeout_ms, 'the answer');
  try {
    return await backend.ask(request, {
      signal: AbortSignal.any([options.signal, clock.signal]),
      onText: (piece) => {
        clearTimeout(first);
        if (piece !== '') options.onText?.(piece);
      },
    });
  } catch (caught) {
    if (late === '' || options.signal.aborted) throw caught;
    const tokens = caught instanceof BackendFailure ? { tokens: caught.tokens } : {};
    throw new BackendFailure('timeout', backend.name, late, {
      ...tokens,
      hint: 'Raise timeout_ms or first_token_ms of the back end.',
    });
  } finally {
    clearTimeout(first);
    clearTimeout(whole);
  }
}

/** A plugin's back end may throw anything. */
function asFailure(caught: unknown, backend: string, signal: AbortSignal): BackendFailure {
  if (caught instanceof BackendFailure) return caught;
  if (signal.aborted) return new BackendFailure('cancelled', backend, 'the question was withdrawn.');
  const error = PeagenError.from(caught);
  const kind = error.code === 'timeout' ? 'timeout' : error.retryable ? 'server' : 'request';
  return new BackendFailure(kind, backend, error.line, { cause: error });
}

/** `request`: undefined when it was not put to the back end. */
async function withCost(failure: BackendFailure, request: ChatRequest | undefined): Promise<BackendFailure> {
  if (request === undefined || !costly.has(failure.kind) || failure.tokens.prompt > 0) return failure;
  return failure.withTokens({ prompt: await requestTokens(request), completion: failure.tokens.completion });
}

/** Notes to whom tokens are owed. */
function charged(backend: string, { prompt, completion }: TokenUse): TokenUse {
  return { prompt, completion, by: { [backend]: { prompt, completion } } };
}

function count(backend: string, handler: string, tokens: number): void {
  if (tokens > 0) counted('llm_tokens_total', { handler, backend }, tokens);
}
