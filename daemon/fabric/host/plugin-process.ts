/**
 * Runs one task whose handler, mutator or evaluator comes from a plugin in a worker process of its own, which ends with the
 * task. What goes wrong in it harms that task alone, and the error names the plugin.
 */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag, Result, Task } from '../../../shared/task.ts';
import { removeLeftTemporaries } from '../../executors/temporary.ts';
import type { Log } from '../../telemetry/log.ts';
import { BrokeredWorker } from '../brokered-worker.ts';
import type { LaunchedWorker, Launcher } from '../launchers/launcher.ts';
import { crashLine } from '../launchers/log-tail.ts';
import type { Claim, Failure, WorkerQueue } from '../queue.ts';
import { Semaphore } from '../semaphore.ts';
import type { SharedTraffic } from '../shared-traffic.ts';
import type { HandlerOutcome } from '../worker/run-task.ts';

/** A process that was asked to stop, or that has reported, may take this long to end. */
const END_MS = 4000;

interface PluginProcessOptions {
  readonly launcher: Launcher;
  readonly config: Config;
  readonly log: Log;
  readonly traffic: SharedTraffic;
  readonly folders: WorkerQueue['folders'];
}

interface ForeignTask {
  readonly claim: Claim;
  readonly caps: readonly CapTag[];
  /** The plugin's part, for messages. */
  readonly part: string;
  readonly signal: AbortSignal;
}

/** Never rejects: what happened is the outcome. */
export async function runInProcess(task: ForeignTask, options: PluginProcessOptions): Promise<HandlerOutcome> {
  const { claim, caps, part, signal } = task;
  const { launcher, config, log, traffic, folders } = options;
  const started = performance.now();
  const outcome = Promise.withResolvers<HandlerOutcome>();
  const timing = () => ({ handler: undefined, ms: performance.now() - started });
  const fail = (reason: string, code: 'internal' | 'timeout', retryable: boolean) =>
    outcome.resolve({ kind: 'fail', reason, code, retryable, ...timing() });
  let worker: LaunchedWorker;
  try {
    worker = await launcher.launch(caps);
  } catch (caught) {
    const { line, code } = PeagenError.from(caught);
    return { kind: 'fail', reason: `No process could be started for the ${part}: ${line}`, code, retryable: true, ...timing() };
  }
  const { channel } = worker;
  if (channel === undefined) {
    worker.kill();
    throw new PeagenError('internal', `The launcher "${launcher.name}" gives its workers no channel.`);
  }
  const queue = { ...oneTask(claim, signal, (ended) => outcome.resolve({ ...ended, ...timing() })), folders };
  const brokered = new BrokeredWorker({
    ...{ queue, config, log, worker, channel, caps, traffic },
    gate: new Semaphore(1),
    onChange: () => undefined,
  });
  const limitMs = config.worker.defaults.plugin_timeout;
  const timers = [
    setTimeout(() => {
      fail(`The ${part} did not end within ${limitMs / 1000} s.`, 'timeout', false);
      worker.kill();
    }, limitMs),
  ];
  // The worker learns of it at its next beat, and has some time to tidy up.
  const stop = () => timers.push(setTimeout(() => worker.kill(), END_MS));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  void worker.exited.then(async ({ code, log: text }) => {
    const crash = `The process of the ${part} ended without a result. ${crashLine(code, text)}`;
    if (code !== 0) log.warn({ task: claim.task.id, code, log: text.slice(-2000) }, crash);
    await brokered.giveBack(signal.aborted ? undefined : crash);
    // It may have ended before it asked for its task.
    fail(crash, 'internal', true);
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    if (code === null) await removeLeftTemporaries();
  });
  const ended = await outcome.promise;
  timers.push(setTimeout(() => worker.kill(), END_MS).unref());
  return ended.kind === 'fail' && !ended.reason.includes(part) ? { ...ended, reason: `The ${part}: ${ended.reason}` } : ended;
}

type Ended =
  | { readonly kind: 'ok'; readonly result: Result; readonly followUps: readonly Task[] }
  | { readonly kind: 'skip'; readonly reason: string }
  | ({ readonly kind: 'fail' } & Failure);

/** A queue that holds one task, which is claimed already; how it ends goes to `done`, not to the real queue. */
function oneTask(claim: Claim, signal: AbortSignal, done: (ended: Ended) => void): WorkerQueue {
  return {
    claim: async () => claim,
    extend: async () => !signal.aborted,
    complete: async (_claim, result, followUps) => {
      done({ kind: 'ok', result, followUps });
      return 'stored';
    },
    fail: async (_claim, failure) => {
      done({ kind: 'fail', ...failure });
      return 'dead';
    },
    release: async () => done({ kind: 'skip', reason: 'its process gave the task back' }),
  };
}
