/**
 * The engine in this process, with real sandboxes, for verdicts on the ordinary functions. Everything that decides what is
 * right is as it ships; where speed would be measured, operations are counted, so that no verdict hangs on the clock.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../daemon/engine/engine.ts';
import { openEngine } from '../../daemon/engine/open.ts';
import type { Evaluator } from '../../daemon/judging/evaluator.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { Registry } from '../../daemon/registry.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { asWritten, type EvaluatorSpec } from '../../shared/judging.ts';
import type { ReplayReport } from '../../shared/protocol/replay.ts';
import type { Verdict } from '../../shared/protocol/targets.ts';
import type { RunSummary } from '../../shared/run.ts';
import type { TargetSpec } from '../../shared/run-spec.ts';
import type { Fixture } from './fixture.ts';

interface Search {
  readonly summary: RunSummary;
  /** The whole file of what was announced; undefined when nothing was. */
  readonly announced: string | undefined;
}

interface SearchSize {
  readonly seed: number;
  readonly generations: number;
  readonly population: number;
}

export class OrdinaryEngine {
  private readonly folder: string;
  private readonly engine: Engine;
  /** Each fixture has a folder of its own, written once: others read the file meanwhile. */
  private readonly written = new Map<string, Promise<void>>();

  private constructor(folder: string, engine: Engine) {
    this.folder = folder;
    this.engine = engine;
  }

  static async open(): Promise<OrdinaryEngine> {
    const folder = await mkdtemp(join(tmpdir(), 'peagen-ordinary-'));
    const config = Config.parse({ task_queue: { provider: 'stub' } });
    const log = createLog({ level: 'silent' });
    const engine = openEngine({ config, workspace: folder, log, registry: countingRegistry(), build: 'test' });
    return new OrdinaryEngine(folder, engine);
  }

  /** As `peagen judge` does with the typed calls. */
  async judge(fixture: Fixture, text: string): Promise<Verdict> {
    const request = { ...(await this.request(fixture)), text };
    return await this.engine.judge(request, new AbortController().signal);
  }

  /** As `peagen evolve run` does with the typed calls and no model. */
  async search(fixture: Fixture, { seed, generations, population }: SearchSize): Promise<Search> {
    const request = { ...(await this.request(fixture)), mutator: 'structural', seed, population };
    const stop = { max_generations: generations, no_improve: generations };
    const { run } = await this.engine.start({ ...request, stop }, randomUUID());
    const summary = await this.engine.finished(run);
    if (summary.best === null) return { summary, announced: undefined };
    const { changes } = await this.engine.elite(run, summary.best.sha256);
    return { summary, announced: changes.find(({ path }) => path === fixture.path)?.after ?? fixture.text };
  }

  /** As `peagen evolve replay` does. */
  replay({ run }: RunSummary): Promise<ReplayReport> {
    return this.engine.replay(run);
  }

  async close(): Promise<void> {
    await this.engine.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async request(fixture: Fixture): Promise<{ target: TargetSpec; evaluator: EvaluatorSpec }> {
    const { name, path, entry, calls } = fixture;
    const root = join(this.folder, name);
    let written = this.written.get(name);
    if (written === undefined) {
      written = writeProgram(root, fixture);
      this.written.set(name, written);
    }
    await written;
    // Without any, all are made by the program.
    const options = calls.length === 0 ? {} : { inputs: JSON.stringify(calls.map(asWritten)) };
    return { target: { root, path, entry_fn: entry }, evaluator: { name: 'function', options } };
  }
}

async function writeProgram(root: string, { path, text }: Fixture): Promise<void> {
  await mkdir(root, { recursive: true });
  await writeFile(join(root, path), text);
}

function countingRegistry(): Registry {
  const builtin = builtinRegistry();
  const registry = new Registry();
  for (const { kind, name } of builtin.list()) {
    if (kind !== 'evaluator' || name !== 'function') registry.register(kind, name, () => builtin.load(kind, name));
  }
  registry.register('evaluator', 'function', async () => {
    const make = await builtin.load('evaluator', 'function');
    return (config) => counting(make(config));
  });
  return registry;
}

function counting(evaluator: Evaluator): Evaluator {
  const { derive, attack } = evaluator;
  return {
    ...evaluator,
    prepare: (original, spec, context) => evaluator.prepare(original, spec, { ...context, deterministic: true }),
    judge: (candidate, basis, context) => evaluator.judge(candidate, basis, { ...context, deterministic: true }),
    ...(derive === undefined
      ? {}
      : { derive: (original, spec, how, context) => derive(original, spec, how, { ...context, deterministic: true }) }),
    // The least number of calls that a search on any machine makes: a faster one makes more of them.
    ...(attack === undefined
      ? {}
      : {
          attack: (candidate, basis, how, context) =>
            attack(candidate, basis, { ...how, calls: how.least }, { ...context, deterministic: true }),
        }),
  };
}
