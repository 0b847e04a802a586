/**
 * A parent selector of a plugin, in a thread of its own. Selectors are asked in the middle of a run's state, so the caller
 * waits for the answer, but not for longer than a limit: one that hangs or throws ends its run with an error that names it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { errorCodes, PeagenError } from '../../shared/errors.ts';
import { Sha256 } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Archive } from '../evolution/archive.ts';
import type { Random } from '../evolution/random.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import { describePart, type PartSource } from './part.ts';

/** Milliseconds for its import, and for one question. */
const OPEN_MS = 10_000;
const ASK_MS = 2000;

const Answer = z.union([
  z.object({ ok: z.literal(true), elites: z.array(Sha256) }),
  z.object({ ok: z.literal(false), code: z.enum(errorCodes), message: z.string(), hint: z.string().optional() }),
]);

/** What the thread is told; see selector-worker.ts. */
export type Question =
  | { readonly do: 'open'; readonly from: PartSource; readonly config: Config }
  | { readonly do: 'select'; readonly archive: unknown; readonly seed: number }
  | {
      readonly do: 'inspirations';
      readonly archive: unknown;
      readonly seed: number;
      readonly k: number;
      readonly parent: Sha256;
    };
export type Told = { readonly do: 'feedback'; readonly parent: Sha256; readonly gain: number };

/** Ends the threads of selectors that nobody holds any more. */
const forgotten = new FinalizationRegistry<Worker>((thread) => void thread.terminate());

export function selectorInThread(from: PartSource): (config: Config) => ParentSelector {
  return (config) => new ThreadSelector(from, config);
}

class ThreadSelector implements ParentSelector {
  readonly name: string;
  private readonly from: PartSource;
  private readonly thread: Worker;
  private readonly port: MessagePort;
  /** Set by the thread when it has posted an answer. */
  private readonly bell = new Int32Array(new SharedArrayBuffer(4));

  constructor(from: PartSource, config: Config) {
    this.name = from.part.name;
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
    this.ask({ do: 'open', from, config }, OPEN_MS);
  }

  select(archive: Archive, random: Random): Elite {
    const [elite] = this.elites(archive, this.ask({ do: 'select', archive: archive.snapshot(), seed: random.int(2 ** 32) }));
    if (elite === undefined) throw new PeagenError('invalid_input', `The ${describePart(this.from)} selected no parent.`);
    return elite;
  }

  inspirations(archive: Archive, k: number, parent: Sha256, random: Random): Elite[] {
    const question = { do: 'inspirations', archive: archive.snapshot(), seed: random.int(2 ** 32), k, parent } as const;
    return this.elites(archive, this.ask(question)).slice(0, k);
  }

  feedback(parent: Sha256, gain: number): void {
    this.port.postMessage({ do: 'feedback', parent, gain } satisfies Told);
  }

  private elites(archive: Archive, found: readonly Sha256[]): Elite[] {
    return found.map((sha256) => {
      const elite = archive.find(sha256);
      if (elite !== undefined) return elite;
      throw new PeagenError('invalid_input', `The ${describePart(this.from)} chose ${sha256}, which is no elite of the run.`);
    });
  }

  private ask(question: Question, limitMs = ASK_MS): readonly Sha256[] {
    Atomics.store(this.bell, 0, 0);
    this.port.postMessage(question);
    Atomics.wait(this.bell, 0, 0, limitMs);
    const received: { message: unknown } | undefined = receiveMessageOnPort(this.port);
    if (received === undefined) {
      void this.thread.terminate();
      throw new PeagenError('timeout', `The ${describePart(this.from)} gave no answer within ${limitMs / 1000} s.`);
    }
    const answer = Answer.parse(received.message);
    if (answer.ok) return answer.elites;
    throw new PeagenError(answer.code, answer.message, answer.hint === undefined ? {} : { hint: answer.hint });
  }
}

/** Next to the bundle, or next to this file when run from sources. */
function entry(): string {
  const built = join(import.meta.dirname, 'selector.js');
  return existsSync(built) ? built : join(import.meta.dirname, 'selector-worker.ts');
}
