/**
 * Where the pure work of mutate tasks is done. A host has a few threads for it, so that its event loop serves all other tasks
 * meanwhile; a one-shot worker, which has one task, does it itself.
 */
import { pathToFileURL } from 'node:url';
import Tinypool from 'tinypool';
import { PeagenError } from '../../shared/errors.ts';
import type { MutateData, MutatePayload } from '../../shared/payloads.ts';
import { entryPoint } from '../assets.ts';
import type { Mutated } from '../evolution/mutators/mutator.ts';
import { checked, type SyntaxMutation } from './pure-work.ts';
import type { ThreadAnswer } from './thread.ts';

export interface CheckedChild {
  readonly child: Mutated;
  readonly payload: MutatePayload;
}

/** CPU-heavy work without effects, in some thread. An edit is given up on `signal`. */
export interface PureWork {
  mutate(work: SyntaxMutation, signal: AbortSignal): Promise<MutateData>;
  check(work: CheckedChild): Promise<MutateData>;
}

/** Characters of a child that is checked without a thread. */
const SMALL = 4096;

function lengthOf(child: Mutated): number {
  return child.kind === 'rejected' ? 0 : child.program.files.reduce((sum, { text }) => sum + text.length, 0);
}

/** A thread that has nothing to do ends after this time. Milliseconds. */
const IDLE_MS = 10_000;

/** Threads start with the first work, and none is left after some idle time. */
export class Threads implements PureWork {
  private readonly most: number;
  private pool: Tinypool | undefined;

  constructor(most: number) {
    this.most = most;
  }

  mutate(work: SyntaxMutation, signal: AbortSignal): Promise<MutateData> {
    return this.run('mutate', work, signal);
  }

  check({ child, payload }: CheckedChild): Promise<MutateData> {
    // Checked here, it takes a millisecond or two; in a thread, copying it and the thread's own start take longer.
    if (payload.original.files.every(({ text }) => text.length <= SMALL) && lengthOf(child) <= SMALL)
      return checked(child, payload);
    return this.run('check', { child, payload }, undefined);
  }

  async close(): Promise<void> {
    await this.pool?.destroy();
    this.pool = undefined;
  }

  private async run(name: 'mutate' | 'check', work: unknown, signal: AbortSignal | undefined): Promise<MutateData> {
    this.pool ??= new Tinypool({
      filename: pathToFileURL(entryPoint('thread')).href,
      runtime: 'worker_threads',
      minThreads: 0,
      maxThreads: this.most,
      idleTimeout: IDLE_MS,
    });
    // The answer is that of thread.ts, which is part of this build.
    const answer: ThreadAnswer = await this.pool.run(work, { name, ...(signal === undefined ? {} : { signal }) });
    if ('error' in answer) throw PeagenError.fromJSON(answer.error);
    return answer.value;
  }
}
