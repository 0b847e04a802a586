/**
 * Launches workers as child processes of this one, over IPC, with an environment that holds only what they need. A child
 * that is left behind ends when the channel closes; one that hangs is found by its record and ended by the next launcher.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { CapTag } from '../../../shared/task.ts';
import { entryPoint } from '../../assets.ts';
import { compileCache } from '../../compile-cache.ts';
import { keyNames } from '../caps.ts';
import { IPC_URL } from '../worker/settings.ts';
import type { LaunchedWorker, Launcher } from './launcher.ts';
import { LogTail } from './log-tail.ts';
import { WorkerRecords } from './worker-records.ts';

/** What a worker and its interpreters need of ours. Proxies and certificates only go where keys go. */
const passed = [
  'PATH',
  'HOME',
  'XDG_CONFIG_HOME',
  'APPDATA',
  'PEAGEN_PLUGINS',
  'USERPROFILE',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'SystemRoot',
  'DOCKER_HOST',
  'ELECTRON_RUN_AS_NODE',
  // What the user has allowed: see config/allowed.ts.
  'PEAGEN_ALLOW_FOLDERS',
];
const passedToModels = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS'];

export interface ProcessLauncherOptions {
  readonly config: Config;
  /** Working folder of the workers; their records are in its `.peagen/workers`. */
  readonly workspace: string;
  readonly env?: NodeJS.ProcessEnv;
}

export class ProcessLauncher implements Launcher {
  readonly name = 'process';
  private readonly options: ProcessLauncherOptions;
  private readonly records: WorkerRecords;
  private readonly live = new Map<string, LaunchedWorker>();

  constructor(options: ProcessLauncherOptions) {
    this.options = options;
    this.records = new WorkerRecords(options.workspace);
  }

  async launch(caps: readonly CapTag[]): Promise<LaunchedWorker> {
    const id = `w-${process.pid}-${randomBytes(6).toString('hex')}`;
    const child = fork(entryPoint('worker'), [`--id=${id}`], {
      cwd: this.options.workspace,
      env: workerEnv(id, caps, this.options.config, this.options.env ?? process.env),
      // It ends before collecting garbage is worth the time.
      execArgv: ['--min-semi-space-size=16'],
      // Results go over IPC: standard output is not read.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    await started(child);
    const worker = this.follow(id, child);
    this.live.set(id, worker);
    this.records.add(id, child.pid);
    return worker;
  }

  async leftovers(): Promise<LaunchedWorker[]> {
    return this.records.leftovers();
  }

  async close(): Promise<void> {
    const live = [...this.live.values()];
    for (const worker of live) worker.kill();
    await Promise.all(live.map((worker) => worker.exited));
  }

  private follow(id: string, child: ChildProcess): LaunchedWorker {
    const tail = new LogTail();
    child.stderr?.on('data', (chunk: Buffer) => tail.add(chunk));
    // A channel that breaks is followed by the exit, which says more.
    child.on('error', () => undefined);
    const exited = new Promise<{ code: number | null; log: string }>((resolve) => {
      let code: number | null = null;
      let open = 2;
      const done = () => {
        open -= 1;
        if (open > 0) return;
        this.live.delete(id);
        this.records.remove(id);
        resolve({ code, log: tail.text() });
      };
      child.once('exit', (exitCode) => {
        code = exitCode;
        // A grandchild that outlives the worker may hold the pipe open: don't wait for it.
        setTimeout(() => child.stderr?.destroy(), 200).unref();
        done();
      });
      child.stderr?.once('close', done);
    });
    return {
      id,
      exited,
      channel: {
        send: (message) => {
          if (child.connected) child.send(message, undefined, undefined, () => undefined);
        },
        listen: (hear) => void child.on('message', hear),
      },
      drain: () => {
        if (child.connected) child.send({ type: 'drain' }, undefined, undefined, () => undefined);
      },
      kill: () => void child.kill('SIGKILL'),
    };
  }
}

function started(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) =>
      reject(
        new PeagenError('unavailable', `A worker process could not be started: ${error.message}.`, {
          hint: 'Lower worker.defaults.max_parallel, or free memory and processes.',
          cause: error,
        }),
      ),
    );
  });
}

/** Keys reach only workers with the `llm` tag. */
export function workerEnv(id: string, caps: readonly CapTag[], config: Config, from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { idle_timeout, max_uptime, plugins } = config.worker.defaults;
  const names = caps.includes('llm') ? [...passed, ...passedToModels, ...keyNames(config)] : passed;
  const env: NodeJS.ProcessEnv = {
    QUEUE_URL: IPC_URL,
    WORKER_ID: id,
    WORKER_CAPS: caps.join(','),
    WORKER_IDLE_EXIT: `${idle_timeout}ms`,
    WORKER_MAX_UPTIME: `${max_uptime}ms`,
  };
  const cache = compileCache(from);
  if (cache !== undefined) env['NODE_COMPILE_CACHE'] = cache;
  if (plugins !== undefined) env['WORKER_PLUGINS'] = plugins.join(',');
  for (const name of names) if (from[name] !== undefined) env[name] = from[name];
  return env;
}
