/** The worker's end of the wire to its parent: the WorkerQueue that the parent serves. */
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import type { Claim, Failure, WorkerQueue } from '../fabric/queue.ts';
import type { FromWorker, Report, ToWorker, TrafficAsk } from '../fabric/worker/ipc.ts';
import type { Traffic } from '../llm/traffic.ts';

type Hello = Extract<ToWorker, { type: 'hello' }>;
type Call = Extract<FromWorker, { call: number }>;
type WithoutCall<C> = C extends { call: number } ? Omit<C, 'call'> : never;

interface IpcLink {
  readonly queue: WorkerQueue;
  readonly hello: Promise<Hello>;
  /** What the next complete, fail or release says about the work. */
  report: Report;
  /** Asks the editor's models, which the parent reaches. An abort only stops the waiting: the parent's answer is dropped. */
  askEditor(model: string, request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
  /** The parent's, which this worker's questions keep to. */
  readonly traffic: Traffic;
}

interface IpcEvents {
  onLost(): void;
  onDrain(): void;
  /** The parent is gone. */
  onOrphaned(): void;
}

export function openIpcLink(events: IpcEvents): IpcLink {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let calls = 0;
  let greet: (hello: Hello) => void = () => undefined;
  const hello = new Promise<Hello>((resolve) => {
    greet = resolve;
  });

  const send = (message: FromWorker) => {
    if (!process.connected) return;
    // A send that fails means a closed channel, which `disconnect` reports.
    process.send?.(message, undefined, undefined, () => undefined);
  };
  const ask = <T>(message: WithoutCall<Call>): Promise<T> => {
    calls += 1;
    const call = calls;
    return new Promise<T>((resolve, reject) => {
      waiting.set(call, { resolve: (value) => resolve(value as T), reject });
      send({ ...message, call } as Call);
    });
  };

  const traffic = <T>(asked: TrafficAsk) => ask<T>({ type: 'traffic', ask: asked });

  process.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'hello':
        return greet(message);
      case 'answer':
        return settle(message.call, (call) => call.resolve(message.value));
      case 'refusal':
        return settle(message.call, (call) => call.reject(PeagenError.fromJSON(message.error)));
      case 'lost':
        return events.onLost();
      case 'drain':
        return events.onDrain();
    }
  });
  const settle = (id: number, act: (call: { resolve: (value: unknown) => void; reject: (error: unknown) => void }) => void) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (call !== undefined) act(call);
  };
  process.once('disconnect', () => {
    events.onOrphaned();
    for (const call of waiting.values())
      call.reject(new PeagenError('cancelled', 'The process that launched this worker is gone.'));
    waiting.clear();
  });

  const link: IpcLink = {
    hello,
    report: { ms: 0, metrics: [] },
    askEditor: (model, request, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => reject(new PeagenError('cancelled', 'The question was withdrawn.'));
        if (signal.aborted) stop();
        signal.addEventListener('abort', stop, { once: true });
        const asking = ask<ChatAnswer>({ type: 'askEditor', model, request });
        void asking.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
      }),
    traffic: {
      enter: (backend) => traffic({ op: 'enter', backend }),
      leave: (backend, outcome, why) => traffic({ op: 'leave', backend, outcome, ...(why === undefined ? {} : { why }) }),
      take: (backend, tokens) => traffic({ op: 'take', backend, tokens }),
      settle: (backend, difference) => traffic({ op: 'settle', backend, difference }),
      close: () => undefined,
    },
    queue: {
      claim: (_worker, { waitMs, signal }) => {
        const claim = ask<Claim | undefined>({ type: 'claim', waitMs });
        // The parent then answers the claim: with a task that it had already, or as cancelled.
        const stop = () => send({ type: 'stopWaiting' });
        if (signal?.aborted) stop();
        signal?.addEventListener('abort', stop, { once: true });
        return claim.finally(() => signal?.removeEventListener('abort', stop));
      },
      extend: () => ask({ type: 'extend' }),
      complete: (_claim, result, followUps) => ask({ type: 'complete', result, followUps: [...followUps], report: link.report }),
      fail: (_claim, failure: Failure) => ask({ type: 'fail', failure, report: link.report }),
      release: () => ask({ type: 'release', report: link.report }),
      folders: { get: async (id, names) => buffers(await ask({ type: 'folder', id, names: [...names] })) },
    },
  };
  return link;
}

/** Structured cloning makes plain byte arrays of buffers. */
function buffers(parts: unknown): (Buffer | undefined)[] {
  return Array.isArray(parts) ? parts.map((part) => (part instanceof Uint8Array ? Buffer.from(part) : undefined)) : [];
}
