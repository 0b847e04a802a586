/**
 * Runs the embedded engine in a thread of its own: a template that does not end is ended with its thread, and one that
 * exhausts the engine's memory takes no other with it. The thread runs this same module.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type ErrorData, PeagenError } from '../../shared/errors.ts';
import { renderEmbedded } from './embedded.ts';
import type { RenderJob, TemplateEngine } from './engine.ts';
import { timeLimit } from './limits.ts';

const ROLE = 'peagen-render';

interface Request {
  readonly sources: Readonly<Record<string, string>>;
  readonly jobs: readonly RenderJob[];
}
type Reply = { readonly ready: true } | { readonly texts: string[] } | { readonly error: ErrorData };

let thread: Promise<Worker> | undefined;
let queue: Promise<unknown> = Promise.resolve();

export const minijinjaEngine: TemplateEngine = {
  /** One after the other: the thread has one engine. */
  render(sources, jobs, signal) {
    const result = queue.then(() => inThread({ sources, jobs }, signal));
    queue = result.catch(() => undefined);
    return result;
  },
};

async function inThread(request: Request, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  thread ??= startThread();
  const worker = await thread.catch((caught: unknown) => {
    thread = undefined;
    throw caught;
  });
  const limit = limitOf(request);
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const first = request.jobs[0]?.template ?? '';
  const give = (error: unknown) => {
    thread = undefined;
    void worker.terminate();
    reject(error);
  };
  const timer = setTimeout(() => {
    give(
      new PeagenError('too_large', `The template "${first}" is not done after ${Math.round(limit)} ms.`, {
        hint: 'Mend the template: it loops too long.',
      }),
    );
  }, limit);
  const onAbort = () => give(signal.reason);
  const onMessage = (reply: Reply) => {
    if ('texts' in reply) resolve(reply.texts);
    else if ('error' in reply) {
      const error = PeagenError.fromJSON(reply.error);
      // What ran out of memory may have left the engine in pieces.
      if (error.code === 'too_large') give(error);
      else reject(error);
    }
  };
  const onEnd = () => give(new PeagenError('too_large', `The template "${first}" exhausts the engine.`));
  worker.on('message', onMessage).once('error', onEnd).once('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  worker.ref();
  worker.postMessage(request);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
    worker.unref();
  }
}

/** Of the largest job: they follow each other, and each has its own time. */
function limitOf({ sources, jobs }: Request): number {
  const shared = Object.values(sources).reduce((sum, source) => sum + source.length, 0);
  return jobs.reduce((sum, { context }) => sum + timeLimit(context.length) - timeLimit(0), timeLimit(shared));
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
  port.on('message', ({ sources, jobs }: Request) => {
    try {
      reply({ texts: renderEmbedded(sources, jobs) });
    } catch (caught) {
      reply({ error: PeagenError.from(caught).toJSON() });
    }
  });
  // The engine is loaded before the clock of the first template runs.
  renderEmbedded({ first: '{{ 1 }}' }, [{ template: 'first', context: '{}' }]);
  reply({ ready: true });
}

if (!isMainThread && workerData === ROLE && parentPort !== null) serve(parentPort);
