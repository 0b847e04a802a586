/** Turns what the client threw into a BackendFailure: what kind it is, how long to wait, and no key in its words. */
import OpenAI from 'openai';
import * as z from 'zod';
import { BackendFailure, type FailureKind } from '../failure.ts';

const MAX_MESSAGE = 300;

/** Whom a question was put to. */
interface Asked {
  readonly name: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
}

export function failureFrom(caught: unknown, { name: backend, baseUrl, key }: Asked, signal: AbortSignal): BackendFailure {
  if (caught instanceof BackendFailure) return caught;
  if (signal.aborted) return new BackendFailure('cancelled', backend, 'the question was withdrawn.');
  const words = said(caught, key);
  if (caught instanceof OpenAI.APIConnectionTimeoutError)
    return new BackendFailure('timeout', backend, 'it did not answer in time.');
  if (caught instanceof OpenAI.APIConnectionError && wasSent(caught)) {
    return new BackendFailure('cut', backend, `the connection ended before an answer (${words}).`);
  }
  if (caught instanceof OpenAI.APIConnectionError) {
    return new BackendFailure('network', backend, `${addressOf(baseUrl)} cannot be reached (${words}).`, {
      hint: 'Check base_url, and that the server runs.',
    });
  }
  // An error in the middle of a stream of events has no status.
  if (caught instanceof OpenAI.APIError && caught.status === undefined)
    return new BackendFailure('server', backend, `it broke off (${words}).`);
  if (!(caught instanceof OpenAI.APIError)) {
    return new BackendFailure('malformed', backend, `the answer is not of the protocol (${words}).`);
  }
  const kind = kindOf(caught.status, caught.code, words);
  const hint = hints[kind];
  return new BackendFailure(kind, backend, `it answered ${caught.status} (${words}).`, {
    ...(hint === undefined ? {} : { hint }),
    retryAfterMs:
      retryAfter(caught.headers?.get('retry-after-ms') ?? null, caught.headers?.get('retry-after') ?? null, Date.now()) ??
      retryDelay(caught.error),
  });
}

/** What happens before a request is on its way; after anything else the endpoint may have worked, and charge for it. */
const unsent =
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|ERR_TLS\w*|ERR_SSL\w*|DEPTH_ZERO\w*|SELF_SIGNED\w*|UNABLE_TO_\w+)\b/;

function wasSent(error: Error): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && unsent.test(String(cause.code))) return false;
    // A port that is never asked, by the standard of fetch.
    if (cause.message === 'bad port') return false;
    if (cause instanceof AggregateError && cause.errors.some((each) => each instanceof Error && !wasSent(each))) return false;
  }
  return true;
}

/** Without what may be secret in it. */
export function addressOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`;
}

const hints: Partial<Record<FailureKind, string>> = {
  auth: 'Check the key in the environment variable that api_key_env names.',
  model: 'Check model and base_url; "peagen llm check" lists what the endpoint offers.',
  quota: 'The account has no credit left.',
};

function kindOf(status: number, code: string | null | undefined, words: string): FailureKind {
  // Anthropic and Google answer 400 for these.
  if (status === 400 && /credit balance/i.test(words)) return 'quota';
  if (status === 400 && /API key not valid/i.test(words)) return 'auth';
  if (code === 'insufficient_quota' || status === 402) return 'quota';
  if (status === 429) return 'rate_limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'model';
  if (status === 408 || status === 409 || status >= 500) return 'server';
  return 'request';
}

/** Retry-After in milliseconds: seconds, or an HTTP date; undefined when absent or unreadable. */
export function retryAfter(ms: string | null, header: string | null, now: number): number | undefined {
  const exact = ms === null || ms.trim() === '' ? Number.NaN : Number(ms);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const RetryInfo = z.object({ details: z.array(z.object({ retryDelay: z.string().optional() }).catch({})) });

/** Google says in the body of an error how long to wait: `retryDelay: "34s"`. */
function retryDelay(error: unknown): number | undefined {
  const found = RetryInfo.safeParse(error).data?.details.find(({ retryDelay: delay }) => delay !== undefined);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(found?.retryDelay ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The words of an error, on one line, cut to size, without the key (an endpoint may echo it). */
function said(caught: unknown, key: string | undefined): string {
  const text = wordsOf(sourceOf(caught));
  const clean = key === undefined ? text : text.replaceAll(key, '[key]');
  return clean.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE);
}

/** What an error came from: "Connection error" and "fetch failed", in which it comes, say nothing. */
function sourceOf(caught: unknown): unknown {
  return caught instanceof Error && caught.cause instanceof Error ? sourceOf(caught.cause) : caught;
}

function wordsOf(caught: unknown): string {
  if (!(caught instanceof Error)) return String(caught);
  const code = 'code' in caught && typeof caught.code === 'string' ? caught.code : '';
  // Where a name has several addresses, the error of all of them has a code and no message.
  return code === 'ECONNREFUSED' ? 'connection refused' : caught.message || code;
}
