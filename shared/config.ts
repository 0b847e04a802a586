/**
 * The schema of `.peagen.toml`, with its defaults. Order of precedence: flags, environment
 * (`PEAGEN__TABLE__KEY`), file, defaults; loading and its messages live in daemon/config. No key here holds a secret.
 */
import * as z from 'zod';
import { PromptRole, ReasoningEffort } from './asking.ts';
import { EffectKind, MetricSource, Objectives } from './judging.ts';
import { CvtNiches, FeatureAxis } from './niche.ts';
import { IslandSpec, PopulationSize } from './run-spec.ts';
import { CapTag } from './task.ts';

/** `30s`, `4h`, `250ms`, or a number of seconds; parsed to milliseconds. */
export const Duration = z
  .union([
    z.number().min(0),
    z.string().regex(/^\d+(\.\d+)?\s*(ms|s|m|h|d)$/, 'expected a duration such as "30s", "10m" or "4h"'),
  ])
  .transform((value) => {
    if (typeof value === 'number') return value * 1000;
    const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[/[a-z]+$/.exec(value)?.[0] ?? 's'] ?? 1000;
    return Number.parseFloat(value) * unit;
  });

const positive = z.number().positive();
const count = z.number().int().min(0);

const TaskQueueConfig = z.strictObject({
  provider: z.string().default('stub'),
  /** `redis://` or `rediss://`, without a password. */
  url: z.string().optional(),
  /** Workspace on a shared cluster, `tenant/workspace`; default: from the folder's name. */
  workspace: z.string().optional(),
  lease_ms: positive.default(30_000),
  /** Older name of lease_ms. */
  idle_ms: positive.optional(),
  max_retry: count.default(3),
  /** Tasks that all hosts of a workspace hold at a time; more of them are warned about, and none is refused. */
  max_workers: z.number().int().positive().default(256),
});

const ResultBackendConfig = z.strictObject({
  provider: z.string().default('fs'),
  root: z.string().default('.peagen/results'),
  compress: z.boolean().default(true),
  /** S3: `endpoint`, `bucket`, `prefix`, `region`. Keys come from the environment. */
  endpoint: z.string().optional(),
  bucket: z.string().optional(),
  prefix: z.string().optional(),
  region: z.string().optional(),
});

const WorkerConfig = z.strictObject({
  defaults: z
    .strictObject({
      /** Tags next to those that are detected. */
      caps: z.array(CapTag).optional(),
      /** Tags in place of those that are detected. */
      caps_only: z.array(CapTag).optional(),
      plugins: z.array(z.string()).optional(),
      /** Tasks at a time of one `peagen worker start`; default: as many as there are cores. */
      concurrency: z.number().int().positive().optional(),
      warm_pool: count.default(2),
      max_parallel: z.number().int().positive().default(50),
      idle_timeout: Duration.default(30_000),
      max_uptime: Duration.default(4 * 3_600_000),
      /**
       * How a task's handler is isolated. `sandbox`: in the process that claims it, which runs foreign code in single-use
       * sandboxes and in processes of their own. `process`, `container`: in addition each task has a worker of its own.
       */
      isolation: z.enum(['sandbox', 'process', 'container']).default('sandbox'),
      /** A task that runs code of a plugin is ended after this time. */
      plugin_timeout: Duration.default(10 * 60_000),
    })
    .prefault({}),
});

const MutateConfig = z.strictObject({
  /** Default: `patch` when a back end is configured, else `structural`. */
  mutator: z.string().optional(),
  target_file: z.string().optional(),
  entry_fn: z.string().optional(),
  temperature: z.number().min(0).max(2).default(0.7),
  max_tokens: z.number().int().positive().default(16_384),
  backend: z.string().default('auto'),
  /** How much the model reasons by the kind of question, in place of reasoning_effort of its back end. */
  efforts: z.partialRecord(z.enum([...PromptRole.options, 'fix', 'reflect']), ReasoningEffort).default({}),
  instructions: z.string().optional(),
});

const EvolveConfig = z.strictObject({
  selector: z.string().default('epsilon'),
  /** Default: that of `[mutate]`. */
  mutator: z.string().optional(),
  backend: z.string().optional(),
  entry_fn: z.string().optional(),
  seed: z.number().int().min(0).max(0xffffffff).optional(),
  /** Candidates per generation. */
  population: PopulationSize.default(8),
  deterministic: z.boolean().default(false),
  /** Archives that evolve apart, with migration along a ring; one archive without this table. */
  islands: z
    .strictObject({
      count: IslandSpec.shape.count.default(4),
      interval: IslandSpec.shape.interval.default(5),
      migrants: IslandSpec.shape.migrants.default(1),
    })
    .optional(),
  /** Generations between two reflections, in which a model says what works and what to try next; 0: none. */
  reflect: count.default(10),
  /** Generations without a better best after which the search looks further afield; 0: it never does. */
  plateau: count.default(10),
  /** Kinds of change that models are asked for; the bandit divides the questions among them. */
  roles: z.array(PromptRole).default([...PromptRole.options]),
  /** A child whose tokens differ less than this share from the parent's or a recent candidate's is not judged. */
  near_duplicate: z.number().min(0).max(1).optional(),
  stop: z
    .strictObject({
      max_generations: z.number().int().positive().default(200),
      target_ms: positive.optional(),
      no_improve: z.number().int().positive().default(25),
      budget_tokens: z.number().int().positive().optional(),
      budget_usd: positive.optional(),
      run_timeout: Duration.optional(),
    })
    .prefault({}),
  archive: z
    .strictObject({
      speed_bin_ms: positive.default(5),
      mem_bin_kb: positive.default(32),
      size_bin_ch: positive.default(40),
      /** `grid`: bins along each axis. `cvt`: a number of niches spread evenly over the space, for many axes. */
      kind: z.enum(['grid', 'cvt']).default('grid'),
      /** Applies to a `cvt` archive. */
      niches: CvtNiches.default(512),
      /** Axes by name (speed, memory, size, age, complexity, approach, diversity) or with bins. By default they depend on the run. */
      features: z
        .array(z.union([z.string().min(1), FeatureAxis]))
        .min(1)
        .optional(),
    })
    .prefault({}),
});

const SelectorConfig = z
  .object({
    epsilon: z
      .strictObject({
        eps_init: z.number().min(0).max(1).default(0.15),
        decay: z.number().positive().max(1).default(0.96),
        floor: z.number().min(0).max(1).default(0.02),
      })
      .prefault({}),
  })
  .catchall(z.record(z.string(), z.unknown()));

const EvaluateConfig = z.strictObject({
  /** Tags, joined by `+`, that the workers of its execute tasks must have: `gpu`, `gpu+cuda12`, `docker`. */
  pool: z.string().optional(),
  /**
   * The metric that fitness is made of; default: the evaluator's own (for `function` and `command` `speedup_low`, the
   * speed-up that is certain).
   */
  metric: z.string().optional(),
  /** Several metrics, in place of `metric`. */
  objectives: Objectives.optional(),
  evaluator: z.string().default('function'),
  /** A JSON file, relative to this file, or the calls themselves as a JSON text. */
  inputs: z.string().optional(),
  /** Inputs (with `command`, another command) that the search never sees; a winner that fails on them is not offered. */
  heldout: z.string().optional(),
  /** Make more calls from the given ones and from the source, and hold half of them out. */
  derive: z.boolean().default(true),
  /** Effects of a call that are not compared with the original's; the verdict says so. */
  ignore_effects: z.array(EffectKind).default([]),
  command: z.string().optional(),
  /** Where numbers of the command come from: `json`, `regex` or `junit`; `speed_ms` takes the place of its duration. */
  metrics: z.array(MetricSource).optional(),
  /**
   * Evaluations of a candidate that would win, and of the holder of its title, by an evaluator that does not always give the same
   * score: they end early where it is clear which is better.
   */
  repeats: z.number().int().min(1).max(100).default(1),
  /** The seed of the first, second, … evaluation of a program; by default 0, 1, …. */
  seeds: z.array(z.number().int().min(0).max(0xffffffff)).min(1).optional(),
  /** Stage 0: a type-check or lint command that a candidate must pass before it is judged. */
  check: z.string().min(1).optional(),
  sandbox: z.string().default('auto'),
  /** Also count the instructions of a pass of a confirmed variant in Python, by valgrind. */
  instructions: z.boolean().default(false),
  /** Wall clock of one sandbox. */
  timeout: Duration.default(10_000),
  memory_mb: positive.default(1024),
});

export const LlmBackendConfig = z.strictObject({
  name: z.string().min(1),
  model: z.string().min(1),
  /** A preset's name (`openai`, `groq`, `ollama`, …) sets base_url and api_key_env; `command` runs a CLI agent. */
  preset: z.string().optional(),
  base_url: z.string().optional(),
  /** What the endpoint speaks; default: as the preset does, else `chat`, OpenAI's chat completions. */
  protocol: z.enum(['chat', 'responses', 'anthropic', 'gemini']).optional(),
  api_key_env: z.string().optional(),
  timeout_ms: positive.default(120_000),
  first_token_ms: positive.optional(),
  weight: positive.default(1),
  /** What this model is asked with, whatever the run asks with. */
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  reasoning_effort: ReasoningEffort.optional(),
  /** So often a question that failed is put to it again; default: 7. */
  retries: count.optional(),
  /** Milliseconds before the first repetition at most; they double. */
  retry_delay_ms: positive.optional(),
  requests_per_minute: positive.optional(),
  tokens_per_minute: positive.optional(),
  /** Dollars per million tokens. */
  price_prompt: z.number().min(0).optional(),
  price_completion: z.number().min(0).optional(),
});
export type LlmBackendConfig = z.infer<typeof LlmBackendConfig>;

const LlmConfig = z.strictObject({
  default_backend: z.string().optional(),
  backends: z.array(LlmBackendConfig).default([]),
});

export const Config = z.strictObject({
  task_queue: TaskQueueConfig.prefault({}),
  result_backend: ResultBackendConfig.prefault({}),
  worker: WorkerConfig.prefault({}),
  mutate: MutateConfig.prefault({}),
  evolve: EvolveConfig.prefault({}),
  selector: SelectorConfig.prefault({}),
  evaluate: EvaluateConfig.prefault({}),
  llm: LlmConfig.prefault({}),
  render: z.strictObject({ engine: z.enum(['minijinja', 'jinja2']).default('minijinja') }).prefault({}),
  templates: z.strictObject({ search_path: z.array(z.string()).default([]) }).prefault({}),
  /** Packages, or paths of their folders, to load plugins from; and for each part that takes options a table of its name. */
  plugins: z
    .object({ packages: z.array(z.string()).default([]) })
    .catchall(z.record(z.string(), z.unknown()))
    .prefault({}),
});
export type Config = z.infer<typeof Config>;

/** The command that a configuration says to judge by: without inputs it needs no evaluator to be named. */
export function judgingCommand({ evaluate: { evaluator, inputs, command } }: Config): string | undefined {
  return evaluator === 'command' || (evaluator === 'function' && inputs === undefined) ? command : undefined;
}
