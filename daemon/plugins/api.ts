/**
 * What a plugin package is written against: `import type { Plugin } from 'peagen/plugin'`. Types only, so a plugin needs
 * Peagen while it is written, not while it runs. The version of this interface is `API_VERSION` in manifest.ts.
 */
import type { Config } from '../../shared/config.ts';
import type { PluginKind, PluginKinds } from '../registry.ts';

export type { Config } from '../../shared/config.ts';
export type { ErrorCode } from '../../shared/errors.ts';
export type { TaskId } from '../../shared/ids.ts';
export type { EvaluatorSpec, Execution } from '../../shared/judging.ts';
export type { Elite } from '../../shared/niche.ts';
export type { Basis, MutatePayload } from '../../shared/payloads.ts';
export type { Program } from '../../shared/program.ts';
export type { CapTag, Result, Task } from '../../shared/task.ts';
export type { EvoDB } from '../evolution/evodb.ts';
export type { Feature, FeatureInput } from '../evolution/features.ts';
export type { Mutated, Mutator, MutatorContext } from '../evolution/mutators/mutator.ts';
export type { ParentSelector } from '../evolution/selectors/selector.ts';
export type { Executor, Sandbox, SandboxExit, SandboxSpec } from '../executors/sandbox.ts';
export type { Launcher } from '../fabric/launchers/launcher.ts';
export type {
  Claim,
  DeadLetter,
  DeadLetterQueue,
  Depth,
  Failure,
  OutcomeSink,
  QueueOptions,
  ResultListener,
  SweepReport,
  TaskOutcome,
  TaskQueue,
  WorkerIdentity,
} from '../fabric/queue.ts';
export type { ResultBackend } from '../fabric/results.ts';
export type { Handled, HandlerContext, TaskHandler } from '../handlers/handler.ts';
export type { Evaluator, EvaluatorContext } from '../judging/evaluator.ts';
export type { LlmBackend } from '../llm/backend.ts';
export type { Random } from '../random.ts';

export interface PluginContext {
  /** The name under which the package's manifest lists this part. */
  readonly name: string;
  readonly config: Config;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
}

/** What checks the options of a part: any zod schema is one. */
export interface OptionsSchema<Options> {
  safeParse(data: unknown): { success: true; data: Options } | { success: false; error: { message: string } };
}

/**
 * The default export of a module that a manifest names. `options`: checks the part's table of `.peagen.toml`, which is
 * `[selector.NAME]` for a selector and `[plugins.NAME]` for any other kind; without it the part takes no options. `make` may
 * return a promise only for a queue and a result store.
 */
export interface Plugin<Kind extends PluginKind, Options = Record<string, never>> {
  readonly options?: OptionsSchema<Options>;
  make(options: Options, context: PluginContext): ReturnType<PluginKinds[Kind]>;
}
