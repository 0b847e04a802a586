/**
 * Runs the embedded engine in a thread of its own: a template that does not end is ended with its thread, and one that
 * exhausts the engine's memory takes no other with it. The thread runs this same module.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { timeLimit } from '../limits.ts';
import { failedOutcome, type RenderOutcome } from '../task.ts';
import { renderEmbedded } from './embedded.ts';
import type { RenderBatch, TemplateEngine } from './engine.ts';

const ROLE = 'peagen-render';

type Reply = 'ready' | 'done' | RenderOutcome;

let thread: Promise<Worker> | undefined;
let queue: Promise<unknown> = Promise.resolve();

export const minijinjaEngine: TemplateEngine = {
  /** One after the other: the thread has one engine. */
  render(batch, signal) {
    const result = queue.then(() => inThread(batch, signal));
    queue = result.catch(() => undefined);
    return result;
  },
};

async function inThread(batch: RenderBatch, signal: AbortSignal): Promise<RenderOutcome[]> {
  signal.throwIfAborted();
  thread ??= startThread();
  const worker = await thread.catch((caught: unknown) => {
    thread = undefined;
    throw caught;
  });
  const outcomes: RenderOutcome[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => {
    thread = undefined;
    void worker.terminate();
  };
  const fail = (message: string, hint?: string) => {
    giveUp();
    outcomes.push(failedOutcome('too_large', message, hint));
    resolve();
  };
  const current = () => batch.jobs[outcomes.length]?.template ?? '';
  let timer: NodeJS.Timeout | undefined;
  const beginJob = () => {
    clearTimeout(timer);
    const limit = limitOf(batch, outcomes.length);
    const late = () =>
      fail(`The template "${current()}" is not done after ${Math.round(limit)} ms.`, 'Fix the template: it loops too long.');
    timer = setTimeout(late, limit);
  };
  const onAbort = () => {
    giveUp();
    reject(signal.reason);
  };
  const onMessage = (reply: Reply) => {
    if (reply === 'done') return resolve();
    if (reply === 'ready') return;
    outcomes.push(reply);
    if (reply.kind === 'text' || reply.code !== 'too_large') return beginJob();
    // What ran out of memory may have left the engine in pieces.
    giveUp();
    resolve();
  };
  const onEnd = () => fail(`The template "${current()}" exhausts the engine.`);
  worker.on('message', onMessage).once('error', onEnd).once('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.ref();
  beginJob();
  worker.postMessage(batch);
  try {
    await promise;
    return outcomes;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
    worker.unref();
  }
}

/** Reading the templates is part of the first job's time. */
function limitOf({ sources, shared, jobs }: RenderBatch, index: number): number {
  const templates = index > 0 ? 0 : Object.values(sources).reduce((sum, source) => sum + source.length, 0);
  return timeLimit(templates + shared.length + (jobs[index]?.context.length ?? 0));
}

async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL(import.meta.url), { workerData: ROLE, stdout: false });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
  });
  worker.removeAllListeners('error');
  worker.on('error', () => undefined);
  return worker;
}

function serve(port: NonNullable<typeof parentPort>): void {
  const reply = (message: Reply) => port.postMessage(message);
  port.on('message', (batch: RenderBatch) => {
    renderEmbedded(batch, (outcome) => {
      reply(outcome);
      return outcome.kind === 'text' || outcome.code !== 'too_large';
    });
    reply('done');
  });
  // The engine is loaded before the clock of the first template runs.
  renderEmbedded({ sources: { first: '{{ 1 }}' }, shared: '{}', jobs: [{ template: 'first', context: '{}' }] }, () => true);
  reply('ready');
}

if (!isMainThread && workerData === ROLE && parentPort !== null) serve(parentPort);
