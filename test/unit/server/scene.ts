/** A daemon in this process, in a private runtime folder, over an engine that keeps its runs in memory. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DaemonClient } from '../../../daemon/client/client.ts';
import { type DaemonPlace, locate } from '../../../daemon/client/locate.ts';
import { connect } from '../../../daemon/client/start.ts';
import type { Engine, RunListener } from '../../../daemon/engine/engine.ts';
import { ChosenInEditor } from '../../../daemon/server/choices.ts';
import { Daemon } from '../../../daemon/server/server.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newRunId, type RunId } from '../../../shared/ids.ts';
import type { RunPlan, RunRequest } from '../../../shared/protocol/runs.ts';
import type { RunEvent, RunInfo } from '../../../shared/run.ts';
import { RunSpec } from '../../../shared/run-spec.ts';

export const request: RunRequest = {
  target: { root: '/', path: 'sort.py', entry_fn: 'sort' },
  evaluator: { name: 'function', options: { inputs: '[[[2, 1]]]' } },
};

/** Starts and ends runs and reports it; evolves nothing. */
export class MemoryEngine implements Engine {
  unreadableRuns = async () => [];

  readonly known = new Map<RunId, RunInfo>();
  private readonly byRequest = new Map<string, RunId>();
  private readonly listeners = new Set<RunListener>();
  closed = false;

  showPrompt(): never {
    throw new PeagenError('unsupported', 'No prompts are made here.');
  }

  /** Only `outer` can be judged. */
  async plan({ target }: RunRequest): Promise<RunPlan> {
    if (target.entry_fn === 'outer') {
      const spec = RunSpec.parse({
        ...{ target, evaluator: { name: 'function', options: {} }, seed: 1, population: 1, deterministic: false },
        ...{ selector: 'epsilon', mutator: 'structural', axes: [{ name: 'size', bin: 40, unit: '' }], stop: {} },
      });
      const nothing = { candidates: 200, prompt_tokens: 0, completion_tokens: 0, dollars: 0, judging_s: 0 };
      return { spec, worst_case: nothing, sandbox: { tier: 'plain' } };
    }
    throw new PeagenError('original_fails', 'sort([2, 1]) raised ValueError.', { hint: 'Choose other inputs.' });
  }

  async start({ target: { text: _, ...target } }: RunRequest, requestId: string): Promise<RunInfo> {
    const run = this.byRequest.get(requestId) ?? newRunId(Date.now());
    this.byRequest.set(requestId, run);
    const info: RunInfo = this.known.get(run) ?? {
      run,
      state: 'running',
      target,
      started_at: new Date().toISOString(),
      generation: 0,
      max_generations: 10,
      candidates: 0,
      evaluated: 0,
      correct: 0,
      best: null,
      stats: { coverage: 0, qd_score: 0, best: null },
      axes: [{ name: 'speed', bin: 5, unit: 'ms' }],
      tokens: { prompt: 0, completion: 0 },
    };
    this.known.set(run, info);
    return info;
  }

  async stop(run: RunId): Promise<RunInfo> {
    const info = this.change(run, { state: 'finished', stopped: 'user' });
    this.tell(run, { type: 'stopped', at: new Date().toISOString(), reason: 'user' });
    return info;
  }

  pause = async (run: RunId) => this.change(run, { state: 'paused' });
  unpause = async (run: RunId) => this.change(run, { state: 'running' });
  resume = async (run: RunId) => this.change(run, { state: 'running' });
  info = (run: RunId) => this.change(run, {});
  runs = async () => [...this.known.values()];
  delete = async (run: RunId) => void this.known.delete(run);
  elites = async () => [];
  history = async () => [];
  ancestors = async () => [];
  front = async () => [];

  outputs = async () => ({ calls: [], heldout: [] });
  trouble = () => undefined;
  collect = async () => ({ removed: [], kept: 0, objects: 0, bytes: 0 });
  control = (run: RunId) => this.refuse(run);
  finished = (run: RunId) => this.refuse(run);
  replay = (run: RunId) => this.refuse(run);
  report = (run: RunId) => this.refuse(run);
  exportArchive = async () => '';
  exportToGit = (run: RunId) => this.refuse(run);
  submit = (run: RunId) => this.refuse(run);
  steer = (run: RunId) => this.refuse(run);
  pin = (run: RunId) => this.refuse(run);
  discard = (run: RunId) => this.refuse(run);
  render = async () => ({
    files: [],
    warnings: [],
    worst_case: { prompt_tokens: 0, completion_tokens: 0, dollars: 0, files: 0 },
  });
  waysToJudge = async () => ({ ways: [], warnings: [] });
  running = () => [...this.known.values()].filter((info) => info.state === 'running').map((info) => info.run);

  working = () => this.running().length > 0;
  useQueue = () => undefined;
  readonly queues: ReturnType<Engine['ownQueues']>[number][] = [];
  ownQueues = () => this.queues;

  elite(): never {
    throw new PeagenError('not_found', 'There is no such elite.');
  }

  findTarget(): never {
    throw new PeagenError('invalid_input', 'There is nothing to evolve.');
  }

  findCheckpoint = async () => this.refuse(newRunId(0));
  extend = (extension: { run: RunId }) => this.refuse(extension.run);

  planResume(): never {
    throw new PeagenError('not_found', 'There is no such run.');
  }

  planMutate = async () => ({
    spent: { prompt: 0, completion: 0 },
    worst_case: { prompt_tokens: 0, completion_tokens: 0, dollars: 0 },
  });

  planProposal(): never {
    throw new PeagenError('unavailable', 'No language model is configured.');
  }

  proposeInputs(): never {
    throw new PeagenError('unavailable', 'No language model is configured.');
  }

  deriveInputs(): never {
    throw new PeagenError('unsupported', 'A memory engine derives no inputs.');
  }

  judge(): never {
    throw new PeagenError('original_fails', 'sort([2, 1]) raised ValueError.');
  }

  mutate(): never {
    // An error that nobody foresaw.
    throw new TypeError('x is not a function');
  }

  subscribe(listener: RunListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(run: RunId, event: RunEvent): void {
    for (const listener of this.listeners) listener(run, event);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  private async refuse(run: RunId): Promise<never> {
    throw new PeagenError('conflict', `Run ${run} is not searching.`);
  }

  private change(run: RunId, change: Partial<RunInfo>): RunInfo {
    const info = this.known.get(run);
    if (info === undefined) throw new PeagenError('not_found', `There is no run ${run}.`);
    const changed = { ...info, ...change };
    this.known.set(run, changed);
    return changed;
  }
}

export interface Scene extends AsyncDisposable {
  place: DaemonPlace;
  daemon: Daemon;
  /** Engines in the order they were opened. */
  engines: MemoryEngine[];
  /** To be raised when the configuration changes. */
  config: { version: number };
  client(options?: { trusted?: boolean }): Promise<DaemonClient>;
}

export function scratch(): { folder: string; workspace: string; env: NodeJS.ProcessEnv; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  return { folder, workspace, env: { XDG_RUNTIME_DIR: folder }, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function scene(graceMs = 60_000): Promise<Scene> {
  const { workspace, env, remove } = scratch();
  const place = locate(workspace, { env, build: 'test' });
  const engines: MemoryEngine[] = [];
  const config = { version: 1 };
  const chosen = new ChosenInEditor({});
  const daemon = new Daemon({
    place,
    log: createLog({ level: 'silent' }),
    version: '0.0.0',
    graceMs,
    chosen,
    engines: () => ({
      stamp: () => `${chosen.stamp}:${config.version}`,
      refresh: async (engine) => engine.useQueue(Config.parse({}).task_queue),
      fabric: async () => ({ queue: 'stub', sandbox: 'bubblewrap' }),
      config: async () => chosen.over(Config.parse({})),
      open: async () => {
        const engine = new MemoryEngine();
        engines.push(engine);
        return engine;
      },
    }),
  });
  await daemon.listen();
  const clients: DaemonClient[] = [];
  return {
    place,
    daemon,
    engines,
    config,
    async client({ trusted = true } = {}) {
      const socket = await connect(place, { client: 'test', trusted });
      if (socket === undefined) throw new Error('the daemon does not answer');
      const client = new DaemonClient(socket);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.close();
      await daemon.stop('the test is over');
      remove();
    },
  };
}
