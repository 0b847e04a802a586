/** What is understood of an evaluator folder's `config.yaml`, and why the rest of OpenEvolve's keys means nothing here. */
import * as z from 'zod';
import { Asking } from '../../../shared/asking.ts';
import { LlmBackendConfig } from '../../../shared/config.ts';

const number = z.number().optional();
const text = z.string().optional();

/** How one model is asked; for all of them, and over that for each. */
const Asked = {
  api_base: text,
  top_p: number,
  timeout: number,
  retries: number,
  retry_delay: number,
  reasoning_effort: LlmBackendConfig.shape.reasoning_effort,
};

export const FolderConfig = z.object({
  max_iterations: number,
  random_seed: number,
  language: text,
  file_suffix: text,
  diff_based_evolution: z.boolean().optional(),
  /** ShinkaEvolve's kinds: `diff`, `full`, `cross`. */
  patch_types: z.array(z.string()).optional(),
  max_code_length: number,
  /** Iterations without a better best. */
  early_stopping_patience: number,
  llm: z
    .object({
      ...Asked,
      models: z
        .array(z.object({ name: z.string(), weight: z.number().min(0).default(1), temperature: number, ...Asked }))
        .optional(),
      primary_model: text,
      primary_model_weight: number,
      secondary_model: text,
      secondary_model_weight: number,
      temperature: Asking.shape.temperature,
      max_tokens: number,
    })
    .optional(),
  prompt: z
    .object({
      system_message: text,
      template_dir: text,
      num_top_programs: number,
      num_diverse_programs: number,
      use_template_stochasticity: z.boolean().optional(),
      template_variations: z.record(z.string(), z.array(z.string()).min(1)).optional(),
      include_artifacts: z.boolean().optional(),
      max_artifact_bytes: number,
    })
    .optional(),
  database: z
    .object({
      population_size: number,
      archive_size: number,
      num_islands: number,
      feature_dimensions: z.union([z.array(z.string()), z.number().transform((): string[] => [])]).optional(),
      feature_bins: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
      migration_interval: number,
      migration_rate: number,
      elite_selection_ratio: number,
      exploration_ratio: number,
      exploitation_ratio: number,
      random_seed: number,
    })
    .optional(),
  evaluator: z
    .object({
      timeout: number,
      memory_limit_mb: number,
      cascade_evaluation: z.boolean().optional(),
      cascade_thresholds: z.array(z.number()).optional(),
      parallel_evaluations: number,
      enable_artifacts: z.boolean().optional(),
    })
    .optional(),
});
export type FolderConfig = z.infer<typeof FolderConfig>;

const judged = 'candidates are judged by the evaluator alone, so that a score can be repeated';
const kept = 'every step is kept in .peagen';
const logged = 'see --verbose';
const length = 'a prompt is kept to a limit of tokens';
const near = 'see near_duplicate under [evolve]';
const secret = 'keys come from the environment or the secret store only';

/** By key, with the name of its table where it has one. */
export const inert: Readonly<Record<string, string>> = {
  checkpoint_interval: kept,
  log_level: logged,
  log_dir: logged,
  allow_full_rewrites: 'a whole function is taken as an answer, too',
  diff_pattern: 'every usual form of a change is understood',
  convergence_threshold: 'any better score counts',
  early_stopping_metric: 'the score is what counts',
  max_tasks_per_child: 'each task has a process of its own',
  evolution_trace: kept,
  'llm.api_key': secret,
  'llm.models.api_key': secret,
  'llm.models.max_tokens': 'the limit of the run is known before it starts: llm.max_tokens',
  'llm.random_seed': 'each question has a seed of its own, drawn from that of the run',
  'llm.models.random_seed': 'each question has a seed of its own, drawn from that of the run',
  'llm.system_message': 'see prompt.system_message',
  'llm.evaluator_models': judged,
  'prompt.evaluator_system_message': judged,
  'prompt.use_meta_prompting': 'questions are asked about programs only',
  'prompt.meta_prompt_weight': 'questions are asked about programs only',
  'prompt.artifact_security_filter': 'what an evaluation wrote is fenced as data, and read in a sandbox without secrets',
  'prompt.suggest_simplification_after_chars': length,
  'prompt.include_changes_under_chars': length,
  'prompt.concise_implementation_max_lines': length,
  'prompt.comprehensive_implementation_min_lines': length,
  'prompt.code_length_threshold': length,
  'database.db_path': kept,
  'database.in_memory': kept,
  'database.log_prompts': kept,
  'database.artifacts_base_path': kept,
  'database.artifact_size_threshold': kept,
  'database.cleanup_old_artifacts': kept,
  'database.artifact_retention_days': kept,
  'database.max_snapshot_artifacts': kept,
  'database.diversity_metric': 'programs are compared by their tokens',
  'database.diversity_reference_size': 'programs are compared by their tokens',
  'database.novelty_llm': near,
  'database.embedding_model': near,
  'database.similarity_threshold': near,
  'evaluator.max_retries': 'an exception is an outcome, not a reason to try again',
  'evaluator.cpu_limit': 'an evaluation is limited by its timeout',
  'evaluator.distributed': 'workers come with the queue: see [task_queue]',
  'evaluator.use_llm_feedback': judged,
  'evaluator.llm_feedback_weight': judged,
  'evaluator.max_artifact_storage': kept,
};
