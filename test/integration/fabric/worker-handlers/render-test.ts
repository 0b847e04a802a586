/** A plugin's handler that does what the tests of workers need. */
import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { TaskHandler } from '../../../../daemon/handlers/handler.ts';
import type { Plugin } from '../../../../daemon/plugins/api.ts';
import { counted, observed } from '../../../../daemon/telemetry/counts.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { newTaskId, TaskId } from '../../../../shared/ids.ts';

const Payload = z.discriminatedUnion('do', [
  z.object({ do: z.literal('echo'), value: z.unknown() }),
  /** Its process, environment and open files. */
  z.object({ do: z.literal('inspect') }),
  /** Writes its pid to `mark`, then runs until it is aborted. */
  z.object({ do: z.literal('hang'), mark: z.string() }),
  /** Writes its pid to `mark` the first time and hangs; the second time it answers. */
  z.object({ do: z.literal('hangOnce'), mark: z.string() }),
  /** Blocks its event loop. */
  z.object({ do: z.literal('spin'), mark: z.string(), ms: z.number() }),
  /** Runs on the worker that it is given. */
  z.object({ do: z.literal('deaf') }),
  z.object({ do: z.literal('exit'), code: z.number() }),
  z.object({ do: z.literal('throw'), message: z.string() }),
  z.object({ do: z.literal('refuse'), retryable: z.boolean() }),
  z.object({ do: z.literal('skip') }),
  z.object({ do: z.literal('follow'), times: z.number() }),
  z.object({ do: z.literal('count') }),
  /** Adds a line with its id to `file`, works for `ms`, and has itself followed `times` times. */
  z.object({ do: z.literal('note'), file: z.string(), ms: z.number(), times: z.number() }),
]);
export type TestPayload = z.infer<typeof Payload>;

export const handler: TaskHandler = {
  kind: 'render',
  name: 'render-test',
  version: '1',
  provides: ['cpu'],
  accepts: () => true,
  async handle(task, { signal }) {
    const payload = Payload.parse(task.payload);
    switch (payload.do) {
      case 'echo':
        return { status: 'ok', data: payload.value };
      case 'inspect':
        return { status: 'ok', data: { pid: process.pid, env: process.env, files: openFiles(), cwd: process.cwd() } };
      case 'hang':
        await writeFile(payload.mark, String(process.pid));
        return hang(signal);
      case 'deaf':
        return new Promise(() => setInterval(() => undefined, 60_000));
      case 'hangOnce':
        if (task.attempts > 0) return { status: 'ok', data: { attempts: task.attempts } };
        await writeFile(payload.mark, String(process.pid));
        return hang(signal);
      case 'spin': {
        await writeFile(payload.mark, String(process.pid));
        const end = Date.now() + payload.ms;
        while (Date.now() < end);
        return { status: 'ok', data: 'spun' };
      }
      case 'exit':
        return process.exit(payload.code);
      case 'throw':
        setImmediate(() => {
          throw new Error(payload.message);
        });
        return hang(signal);
      case 'refuse':
        throw new PeagenError('unavailable', 'The part is not there.', { hint: 'Bring it.', retryable: payload.retryable });
      case 'skip':
        return { status: 'skip', reason: 'not for me' };
      case 'follow':
        return {
          status: 'ok',
          data: payload.times,
          followUps:
            payload.times === 0 ? [] : [{ ...task, id: newTaskId(), payload: { do: 'follow', times: payload.times - 1 } }],
        };
      case 'note': {
        await appendFile(payload.file, `${task.id}\n`);
        await delay(payload.ms);
        const id = TaskId.parse(createHash('sha256').update(task.id).digest('hex').slice(0, 32));
        const next = { ...task, id, attempts: 0, payload: { ...payload, times: payload.times - 1 } };
        return { status: 'ok', data: payload.times, followUps: payload.times === 0 ? [] : [next] };
      }
      case 'count':
        counted('llm_tokens_total', { handler: 'render-test', backend: 'test' }, 41);
        observed('llm_latency_seconds', { backend: 'test' }, 2);
        return { status: 'ok', data: null };
    }
  },
};

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => {
      clearInterval(timer);
      reject(new PeagenError('cancelled', 'Aborted.'));
    });
  });
}

/** What each descriptor points at, where the system shows it. */
function openFiles(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}

export default { make: () => handler } satisfies Plugin<'handler'>;
