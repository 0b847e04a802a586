/**
 * A thread with one part of a plugin. Parts are asked in the middle of other work, so the caller waits for the answer, but not
 * for longer than a limit: one that hangs or throws ends what asked for it with an error that names it, and nothing else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { errorCodes, PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import { describePart, type PartSource } from './part.ts';

/** Milliseconds for its import, and for one question. */
const OPEN_MS = 10_000;
const ASK_MS = 2000;

const Answer = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.enum(errorCodes), message: z.string(), hint: z.string().optional() }),
]);

/** What the thread is asked; see part-worker.ts. */
export type Question =
  | { readonly do: 'open' | 'import'; readonly from: PartSource; readonly config: Config }
  | { readonly do: 'select'; readonly archive: unknown; readonly seed: number }
  | {
      readonly do: 'inspirations';
      readonly archive: unknown;
      readonly seed: number;
      readonly k: number;
      readonly parent: Sha256;
    }
  | { readonly do: 'parse'; readonly spec: unknown }
  | { readonly do: 'requires'; readonly language: string }
  | { readonly do: 'outputs'; readonly basis: unknown };
/** A message to the thread that needs no answer. */
export type Told = { readonly do: 'feedback'; readonly parent: Sha256; readonly gain: number };

/** Ends the threads of parts that are no longer referenced. */
const forgotten = new FinalizationRegistry<Worker>((thread) => void thread.terminate());

export class PartThread {
  /** What the part says of itself: its fields, without functions. */
  readonly described: unknown;
  private readonly from: PartSource;
  private readonly thread: Worker;
  private readonly port: MessagePort;
  /** Set by the thread when it has posted an answer. */
  private readonly bell = new Int32Array(new SharedArrayBuffer(4));

  constructor(from: PartSource, config: Config, how: 'open' | 'import' = 'open') {
    this.from = from;
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.thread = new Worker(entry(), {
      workerData: { port: port2, bell: this.bell },
      transferList: [port2],
      // No keys: the code is not ours.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    this.thread.unref();
    // What happens in the thread is heard by the next question, which gets no answer.
    this.thread.on('error', () => undefined);
    port1.unref();
    forgotten.register(this, this.thread);
    this.described = this.ask({ do: how, from, config }, OPEN_MS);
  }

  /** Blocks until the answer is there. Throws what the part threw, with its name, or `timeout`. */
  ask(question: Question, limitMs = ASK_MS): unknown {
    Atomics.store(this.bell, 0, 0);
    this.port.postMessage(question);
    Atomics.wait(this.bell, 0, 0, limitMs);
    const received: { message: unknown } | undefined = receiveMessageOnPort(this.port);
    if (received === undefined) {
      this.end();
      throw new PeagenError('timeout', `The ${describePart(this.from)} gave no answer within ${limitMs / 1000} s.`);
    }
    const answer = Answer.parse(received.message);
    if (answer.ok) return answer.data;
    throw new PeagenError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint });
  }

  tell(message: Told): void {
    this.port.postMessage(message);
  }

  end(): void {
    void this.thread.terminate();
  }
}

/** Next to the bundle, or next to this file when run from sources. */
function entry(): string {
  const built = join(import.meta.dirname, 'part.js');
  return existsSync(built) ? built : join(import.meta.dirname, 'part-worker.ts');
}
