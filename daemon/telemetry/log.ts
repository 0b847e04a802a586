/**
 * Structured logs: one JSON line each, to standard error or a file; never to standard output, which carries results.
 * Written here and not by a package, since every worker reads this before its task, and most of them log nothing.
 */
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { withoutSecrets } from './secrets.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Say {
  (message: string): void;
  /** `err` is told with its stack and its causes. */
  (fields: Fields, message?: string): void;
}

export interface Log {
  readonly debug: Say;
  readonly info: Say;
  readonly warn: Say;
  readonly error: Say;
  /** The same log, with these fields in every line. */
  child(fields: Fields): Log;
}

/** As numbers in a line, the custom of JSON logs. */
const levels = { debug: 20, info: 30, warn: 40, error: 50, silent: 100 } as const;
export type LogLevel = keyof typeof levels;

/** Keys whose values never reach a log, wherever they stand. */
const secretKeys = new Set(['apiKey', 'api_key', 'password', 'token', 'authorization', 'secret']);

/** `file` is appended to; without it, lines go to standard error. Bind `run`, `task` and `candidate` with `child`. */
export function createLog({ level, file }: { level: LogLevel; file?: string }): Log {
  return logTo(file === undefined ? writer(2) : appender(file), level, { pid: process.pid });
}

/** `write` takes whole lines. */
export function logTo(write: (line: string) => void, level: LogLevel, bound: Fields): Log {
  const say =
    (name: Exclude<LogLevel, 'silent'>): Say =>
    (first: string | Fields, message?: string) => {
      if (levels[name] < levels[level]) return;
      const [fields, msg] = typeof first === 'string' ? [{}, first] : [first, message];
      // Secrets may also stand in the middle of a message, as in an error that echoes a request.
      write(withoutSecrets(`${line({ level: levels[name], time: new Date().toISOString(), ...bound, ...fields, msg })}\n`));
    };
  return {
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
    child: (fields) => logTo(write, level, { ...bound, ...fields }),
  };
}

function line(fields: Fields): string {
  const seen = new WeakSet<object>();
  return JSON.stringify(fields, (key, value: unknown) => {
    if (secretKeys.has(key)) return '[redacted]';
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    // What holds itself would never end.
    if (seen.has(value)) return '[seen above]';
    seen.add(value);
    return value instanceof Error ? { ...value, type: value.name, message: value.message, stack: stackOf(value) } : value;
  });
}

function stackOf(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error && error.cause !== error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}

function appender(file: string): (line: string) => void {
  mkdirSync(dirname(file), { recursive: true });
  return writer(openSync(file, 'a'));
}

/** How often a full pipe is tried again, a millisecond apart. */
const TRIES = 1000;

/** Synchronous, so that the last words before an end are there. A log that cannot be written stops nothing. */
function writer(descriptor: number): (line: string) => void {
  return (text) => {
    let data = Buffer.from(text);
    for (let tries = 0; data.length > 0 && tries < TRIES; tries++) {
      try {
        data = data.subarray(writeSync(descriptor, data));
      } catch (caught) {
        if ((caught as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  };
}
