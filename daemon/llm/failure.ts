/** Why a back end gave no answer, with what the ensemble needs to decide what to do next. */

import type { TokenUse } from '../../shared/asking.ts';
import { type ErrorCode, PeagenError } from '../../shared/errors.ts';

/**
 * `rate_limit`, `server` (5xx) and `network` cost nothing and may pass; `timeout`, `cut` (ended in mid-answer) and
 * `malformed` may pass but were probably charged; `auth`, `model`, `quota` and `request` will not pass by themselves.
 */
const failureKinds = [
  'rate_limit',
  'server',
  'network',
  'timeout',
  'cut',
  'malformed',
  'auth',
  'model',
  'quota',
  'request',
  'cancelled',
] as const;
export type FailureKind = (typeof failureKinds)[number];

const transient: ReadonlySet<FailureKind> = new Set(['rate_limit', 'server', 'network', 'timeout', 'cut', 'malformed']);

export class BackendFailure extends PeagenError {
  readonly kind: FailureKind;
  readonly backend: string;
  /** What the endpoint asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** What the attempt cost, as far as is known; zero when the endpoint never worked on it. */
  readonly tokens: TokenUse;

  constructor(
    kind: FailureKind,
    backend: string,
    message: string,
    options: { hint?: string; retryAfterMs?: number | undefined; tokens?: TokenUse; cause?: unknown } = {},
  ) {
    super(codeOf(kind), `Back end "${backend}": ${message}`, {
      hint: options.hint,
      retryable: transient.has(kind),
      cause: options.cause,
    });
    this.kind = kind;
    this.backend = backend;
    this.retryAfterMs = options.retryAfterMs;
    this.tokens = options.tokens ?? { prompt: 0, completion: 0 };
  }

  /** The same failure with another cost: that of all attempts of a question. */
  withTokens(tokens: TokenUse): BackendFailure {
    const words = this.message.slice(`Back end "${this.backend}": `.length);
    return new BackendFailure(this.kind, this.backend, words, {
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      retryAfterMs: this.retryAfterMs,
      tokens,
      cause: this.cause,
    });
  }
}

function codeOf(kind: FailureKind): ErrorCode {
  if (kind === 'cancelled') return 'cancelled';
  return kind === 'timeout' ? 'timeout' : 'backend_failed';
}
