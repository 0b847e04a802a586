/** Structured logs: one JSON line each, to standard error or a file; never to standard output, which carries results. */
import pino from 'pino';
import { withoutSecrets } from './secrets.ts';
import { visible } from './visible.ts';

/** Writes a line: a message, or fields and a message. */
interface Write {
  (message: string): void;
  (fields: object, message?: string): void;
}

export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** A log whose lines have these fields as well. */
  child(fields: Record<string, unknown>): Log;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** Keys whose values never reach a log, wherever they stand. */
const secretKeys = ['apiKey', 'api_key', 'password', 'token', 'authorization', 'secret'];

/** `file` is appended to; without it, lines go to standard error. Bind `run`, `task` and `candidate` with `child`. */
export function createLog(options: { level: LogLevel; file?: string }): pino.Logger {
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[redacted]' },
      // Secrets may also stand in the middle of a message, as in an error that echoes a request.
      hooks: { streamWrite: (line) => visible(withoutSecrets(line)) },
    },
    pino.destination(
      options.file === undefined ? { dest: 2, sync: true } : { dest: options.file, append: true, mkdir: true, sync: true },
    ),
  );
}
