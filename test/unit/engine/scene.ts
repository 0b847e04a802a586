/** A run with everything real but the judging: stub queue, workers in this process, and an evaluator that counts characters. */
import { join } from 'node:path';
import { parseConfig } from '../../../daemon/config/load.ts';
import type { TimerClock } from '../../../daemon/engine/ending/deadline.ts';
import { selectorOf } from '../../../daemon/engine/mutate/selector.ts';
import { RunRecords } from '../../../daemon/engine/records/run-records.ts';
import { Run, type RunDeps } from '../../../daemon/engine/run/run.ts';
import type { EventOf } from '../../../daemon/engine/run/state/slots.ts';
import { resolveRequest } from '../../../daemon/engine/target/resolve.ts';
import { extensionOf, foundersOf } from '../../../daemon/engine/target/reuse.ts';
import { TaskClient } from '../../../daemon/engine/task-client.ts';
import { programSha } from '../../../daemon/evolution/hash.ts';
import type { Mutator } from '../../../daemon/evolution/mutators/mutator.ts';
import { normalHash } from '../../../daemon/evolution/syntax/normal.ts';
import { Collector } from '../../../daemon/fabric/collector.ts';
import { FsResultStore } from '../../../daemon/fabric/results/fs.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { runTask } from '../../../daemon/fabric/worker/run-task.ts';
import { type Evaluator, OriginalFails } from '../../../daemon/judging/evaluator.ts';
import type { LlmBackend } from '../../../daemon/llm/backend.ts';
import type { CandidateCost } from '../../../daemon/llm/cost/account.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createRandom } from '../../../daemon/random.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId } from '../../../shared/ids.ts';
import { newRunId } from '../../../shared/ids.ts';
import type { Execution } from '../../../shared/judging.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { type Program, replaceRange, spanText } from '../../../shared/program.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import type { RunEvent, RunSummary } from '../../../shared/run.ts';

const log = createLog({ level: 'silent' });
const caps = new Set(['cpu', 'python', 'node', 'llm']);

export const text = `
def busy(items):
    total = 0
    for item in items:
        total = total + item
        total = total - 0
    for item in items:
        check = item * 1
    unused = [1, 2, 3]
    if total > 1000:
        total = total + 1
    return total
`;

/** Shorter is faster; a program without \`return\` is wrong. Exact, so that runs can be compared. */
export const shortness: Evaluator = {
  name: 'shortness',
  metric: 'speedup',
  parse: () => undefined,
  requires: () => [],
  prepare: async (original, spec) => {
    const execution = judged(original, original);
    if (execution.outcome.kind !== 'correct') throw new OriginalFails(execution.outcome.detail, 'Let it return.', execution);
    return { basis: { evaluator: spec, original, data: null }, execution };
  },
  judge: async (candidate, basis) => judged(candidate, basis.original),
};

function judged(candidate: Program, original: Program): Execution {
  const length = (program: Program) => program.spans.reduce((sum, span) => sum + spanText(program, span).length, 0);
  if (!candidate.files.some((file) => file.text.includes('return'))) {
    return { outcome: { kind: 'wrong', detail: 'it returns nothing' }, metrics: {}, artifacts: {} };
  }
  const speedup = length(original) / length(candidate);
  const metrics = {
    speed_ms: length(candidate),
    baseline_ms: length(original),
    speedup,
    speedup_low: speedup,
    speedup_high: speedup,
    peak_kb: 1,
    /** What `scripted` writes. */
    number: Number(/unused = \[(\d{7})\]/.exec(candidate.files[0]?.text ?? '')?.[1] ?? 0),
  };
  return { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {} };
}

/** Hear what `scripted` is given. */
export const listeners = new Set<(payload: MutatePayload) => void>();

/** Deletes a line that may go, and writes a number that distinguishes all children, as long as what was there. */
const scripted: Mutator = {
  name: 'scripted',
  requires: [],
  mutate: async (payload) => {
    listeners.forEach((hear) => {
      hear(payload);
    });
    const {
      parent: { program },
      seed,
    } = payload;
    const [span] = program.spans;
    const random = createRandom(seed);
    const lines = span === undefined ? [] : spanText(program, span).split('\n');
    const removable = lines.filter((line) => /total - 0|check = /.test(line));
    const gone = removable.length > 0 && random.next() < 0.3 ? random.pick(removable) : undefined;
    const left = lines.filter((line) => line !== gone || line.includes('check'));
    const changed = left.map((line) => (line === gone ? line.replace('item * 1', 'item') : line)).join('\n');
    const text = changed.replace(/unused = \[.{7}\]/, `unused = [${1_000_000 + random.int(9_000_000)}]`);
    const origin = { mutator: 'scripted', summary: gone === undefined ? 'write a number' : `delete ${gone.trim()}` };
    const tokens = { prompt: 0, completion: 0 };
    return span === undefined
      ? { kind: 'rejected', reason: 'nothing may change', tokens }
      : { kind: 'child', program: replaceRange(program, span, text), origin, tokens };
  },
};

/** A model that answers by the seed alone: one in three of its programs returns something. */
const seeded = (name: string): LlmBackend => ({
  name,
  model: 'seeded',
  ask: async ({ seed = 0 }) => {
    const random = createRandom(seed);
    const lines = ['    total = sum(items)', `    unused = [${1_000_000 + random.int(9_000_000)}]`];
    if (random.next() < 0.4) lines.push('    return total');
    if (random.next() < 0.5) lines.splice(1, 0, '    check = len(items)');
    const text = `Change: try it with ${lines.length} lines\n\n\`\`\`python\ndef busy(items):\n${lines.join('\n')}\n\`\`\`\n`;
    const tokens = { prompt: 0, completion: 0 };
    return { text, backend: name, model: 'seeded', tokens, finish: 'stop', firstTokenMs: 0, totalMs: 0 };
  },
});

export const registry = builtinRegistry();
registry.register('backend', 'seeded', async () => (_, name) => seeded(name), 'test');
registry.register('mutator', 'scripted', async () => () => scripted, 'test');
registry.register('evaluator', 'shortness', async () => () => shortness, 'test');
const flags = { evaluate: { sandbox: 'plain' } };
const configOf = (text: string) => parseConfig({ text, file: '.peagen.toml', env: {}, flags });

export function request(options: Partial<RunRequest>): RunRequest {
  return {
    target: { root: '/', path: 'busy.py', text, entry_fn: 'busy' },
    evaluator: { name: 'shortness', options: {} },
    seed: 1,
    population: 3,
    deterministic: true,
    mutator: 'structural',
    // The measurements of `shortness` tell programs apart.
    axes: [
      { name: 'speed', bin: 5, unit: 'ms' },
      { name: 'memory', bin: 32, unit: 'KB' },
      { name: 'size', bin: 40, unit: 'characters' },
      { name: 'age', bin: 1, unit: '' },
    ],
    stop: { max_generations: 3 },
    ...options,
  };
}

export interface Scene {
  readonly run: Run;
  readonly events: RunEvent[];
  /** Tasks that were really executed, by kind. */
  readonly executed: Record<string, number>;
  readonly taskClient: TaskClient;
  close(): Promise<void>;
}

/** The runs in a folder, as they are read back. */
export function recordsOf(folder: string): RunRecords {
  return new RunRecords(folder, log, (spec) => selectorOf(spec, configOf(''), registry));
}

/** Starts a run in the folder, or takes up the one named. `workers`: how many tasks are worked on at a time. */
export async function openScene(
  folder: string,
  from: RunRequest | RunId,
  workers = 4,
  options: {
    hear?: (event: RunEvent, run: Run | undefined) => void;
    settings?: string;
    clock?: Partial<TimerClock>;
    evaluator?: Evaluator;
    attemptCost?: CandidateCost;
    /** The run that is named is over, and goes on for this many generations. */
    extend?: number;
  } = {},
): Promise<Scene> {
  let live: Run | undefined;
  const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 10 });
  const results = new FsResultStore(join(folder, 'results'), { compress: false });
  const collector = new Collector(queue, results, log);
  const records = recordsOf(folder);
  const stop = new AbortController();
  const executed: Record<string, number> = {};
  const config = configOf(options.settings ?? '');
  const loops = Array.from({ length: workers }, (_, i) => work(queue, `worker-${i}`, stop.signal, executed, config));
  const events: RunEvent[] = [];
  const id = typeof from === 'string' ? from : newRunId(Date.now());
  await records.files.create(id);
  const deps: RunDeps = {
    folder: records.files.folder(id),
    taskClient: new TaskClient({ queue, collector, wake: () => undefined, problem: () => undefined }),
    records,
    evaluator: options.evaluator ?? shortness,
    mutateRequires: async (name) => (await registry.load('mutator', name))(config).requires,
    attemptCost: options.attemptCost ?? { least: 0, most: 0 },
    metric: (options.evaluator ?? shortness).metric,
    crossover: 'crossover-tree',
    log,
    config,
    tell: (_, event) => {
      events.push(event);
      options.hear?.(event, live);
    },
    release: () => undefined,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  };
  const closeFabric = async () => {
    stop.abort();
    await Promise.all(loops);
    await collector.close();
    await queue.close();
    await results.close();
  };
  const opening = typeof from === 'string' ? again(deps, from, options.extend) : begin(deps, id, from, config);
  const run = await opening.catch(async (caught: unknown) => {
    await closeFabric();
    throw caught;
  });
  live = run;
  return {
    run,
    events,
    executed,
    taskClient: deps.taskClient,
    close: async () => {
      run.interrupt();
      await run.done.catch(() => undefined);
      await closeFabric();
    },
  };
}

async function again(deps: RunDeps, run: RunId, generations: number | undefined): Promise<Run> {
  if (generations === undefined) return Run.resume(deps, await deps.records.take(run));
  const state = await deps.records.load(run);
  return Run.extend(deps, { ...extensionOf(state, { generations }), at: new Date().toISOString() }, run);
}

async function begin(deps: RunDeps, run: RunId, from: RunRequest, config: Config): Promise<Run> {
  const { spec, program, entry } = await resolveRequest(from, config, registry);
  const founders = await foundersOf(from.seeds ?? [], program, deps.records);
  const started: EventOf<'started'> = {
    type: 'started',
    at: new Date().toISOString(),
    run,
    request_id: `request-${run}`,
    spec,
    original: programSha(program),
    normal: await normalHash(program),
    object: await deps.records.objects.put(JSON.stringify(program)),
    ...(entry === undefined ? {} : { entry }),
    build: 'test',
  };
  return Run.start(deps, started, founders);
}

export async function summaryOf(scene: Scene): Promise<RunSummary> {
  try {
    return await scene.run.done;
  } finally {
    await scene.close();
  }
}

async function work(
  queue: StubQueue,
  id: string,
  signal: AbortSignal,
  executed: Record<string, number>,
  config: Config,
): Promise<void> {
  while (!signal.aborted) {
    const claim = await queue.claim({ id, caps }, { waitMs: 60_000, signal }).catch((caught: unknown) => {
      if (caught instanceof PeagenError && caught.code === 'cancelled') return undefined;
      throw caught;
    });
    if (claim === undefined) continue;
    executed[claim.task.kind] = (executed[claim.task.kind] ?? 0) + 1;
    const outcome = await runTask(claim, {
      workerId: id,
      image: undefined,
      signal,
      log,
      registry,
      config,
      caps,
      allowed: undefined,
    });
    if (outcome.kind === 'ok') await queue.complete(claim, outcome.result, outcome.followUps);
    else if (outcome.kind === 'fail')
      await queue.fail(claim, { reason: outcome.reason, code: outcome.code, retryable: outcome.retryable });
    else await queue.release(claim);
  }
}
