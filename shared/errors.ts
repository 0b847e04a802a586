/**
 * The one error class of the product and its table of codes. Whatever a user sees was thrown as a PeagenError: it names the
 * thing, the value and the fix. Wire format: `toJSON` / `fromJSON`.
 */

/** What each exit status of a command stands for, as the README and `peagen --help` say it. */
export const exitStatuses = {
  0: 'success',
  1: 'a failure or a change that is wrong',
  2: 'a wrong argument',
  3: 'an original that fails',
  4: 'a missing program',
  5: 'what is not trusted',
  6: 'a budget that does not suffice',
  75: 'a daemon that went away from "daemon connect"',
  130: 'Ctrl+C',
} as const;

/** As EX_TEMPFAIL of sysexits.h: the client may connect again. */
export const EXIT_DAEMON_LOST = 75 satisfies keyof typeof exitStatuses;

/** Each code: its JSON-RPC number (application range), the exit status of the CLI, and whether a retry can help. */
export const errorTable = {
  invalid_input: { rpc: -32602, exit: 2, retryable: false },
  not_found: { rpc: -32001, exit: 2, retryable: false },
  invalid_config: { rpc: -32002, exit: 2, retryable: false },
  unsupported: { rpc: -32003, exit: 2, retryable: false },
  original_fails: { rpc: -32004, exit: 3, retryable: false },
  missing_program: { rpc: -32005, exit: 4, retryable: false },
  untrusted: { rpc: -32006, exit: 5, retryable: false },
  budget_exceeded: { rpc: -32007, exit: 6, retryable: false },
  conflict: { rpc: -32008, exit: 1, retryable: false },
  cancelled: { rpc: -32800, exit: 130, retryable: false },
  timeout: { rpc: -32009, exit: 1, retryable: true },
  unavailable: { rpc: -32010, exit: 1, retryable: true },
  backend_failed: { rpc: -32011, exit: 1, retryable: true },
  storage_failed: { rpc: -32012, exit: 1, retryable: true },
  too_large: { rpc: -32013, exit: 2, retryable: false },
  internal: { rpc: -32603, exit: 1, retryable: false },
} as const satisfies Record<string, { rpc: number; exit: keyof typeof exitStatuses; retryable: boolean }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** A code that another build wrote; `internal` for one that this build does not know. */
export function knownCode(code: string | undefined): ErrorCode {
  return errorCodes.find((known) => known === code) ?? 'internal';
}

export interface ErrorData {
  code: ErrorCode;
  message: string;
  hint?: string;
  retryable: boolean;
}

export class PeagenError extends Error {
  override readonly name = 'PeagenError';
  readonly code: ErrorCode;
  /** What to do next, as a full sentence. */
  readonly hint: string | undefined;
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? errorTable[code].retryable;
  }

  /** One line for a user: the message, then the fix. */
  get line(): string {
    // A message may end with what a program wrote.
    const stop = /\p{P}\s*$/u.test(this.message) ? '' : '.';
    const text = this.hint === undefined ? this.message : `${this.message.trimEnd()}${stop} ${this.hint}`;
    return text.replaceAll(/\s*\n\s*/g, ' ');
  }

  toJSON(): ErrorData {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      retryable: this.retryable,
    };
  }

  static fromJSON(data: ErrorData): PeagenError {
    return new PeagenError(data.code, data.message, { hint: data.hint, retryable: data.retryable });
  }

  /** Anything caught, as a PeagenError: unknown ones become `internal` with the cause kept. */
  static from(caught: unknown): PeagenError {
    if (caught instanceof PeagenError) return caught;
    if (caught instanceof Error && caught.name === 'AbortError') {
      return new PeagenError('cancelled', 'The operation was cancelled.', { cause: caught });
    }
    const message = caught instanceof Error ? caught.message : String(caught);
    return new PeagenError('internal', message, { cause: caught });
  }
}

/** The entry of `known` nearest to `name` by edit distance, when it is near enough to be a typing mistake. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, Math.floor(name.length / 3)) ? best.name : undefined;
}

/** Levenshtein distance, O(|a|·|b|) time, O(|b|) memory. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(substitution, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
