/** ShinkaEvolve's settings (`evo_config`, `db_config`) in the terms of OpenEvolve's, which a run here is made from. Pure. */

type Tree = Readonly<Record<string, unknown>>;

/** Maps a key of ShinkaEvolve to one of OpenEvolve. */
const keys: Readonly<Record<string, string>> = {
  'evo_config.num_generations': 'max_iterations',
  'evo_config.language': 'language',
  'evo_config.task_sys_msg': 'prompt.system_message',
  'evo_config.use_text_feedback': 'prompt.include_artifacts',
  'evo_config.max_parallel_jobs': 'evaluator.parallel_evaluations',
  'evo_config.max_evaluation_jobs': 'evaluator.parallel_evaluations',
  'evo_config.patch_types': 'patch_types',
  'evo_config.llm_kwargs.temperatures': 'llm.temperature',
  'evo_config.llm_kwargs.max_tokens': 'llm.max_tokens',
  'db_config.num_islands': 'database.num_islands',
  'db_config.archive_size': 'database.archive_size',
  'db_config.migration_interval': 'database.migration_interval',
  'db_config.migration_rate': 'database.migration_rate',
  'db_config.elite_selection_ratio': 'database.elite_selection_ratio',
  'db_config.exploitation_ratio': 'database.exploitation_ratio',
  'db_config.num_top_k_inspirations': 'prompt.num_top_programs',
  'db_config.num_archive_inspirations': 'prompt.num_diverse_programs',
};

const place = 'the folder says what is judged, and tasks run here';
const pays = 'shares follow what pays';
const near = 'see near_duplicate under [evolve]';
const kept = 'every step is kept in .peagen';
const models = 'questions are asked about programs only';

/** Explains why the other keys have no effect here. */
export const inertOfShinka: Readonly<Record<string, string>> = {
  'evo_config._target_': place,
  'db_config._target_': place,
  job_config: place,
  distributed_job_config: place,
  evaluate_function: place,
  defaults: place,
  exp_name: place,
  variant_suffix: place,
  output_dir: place,
  'evo_config.init_program_path': place,
  'evo_config.job_type': place,
  'evo_config.results_dir': kept,
  'db_config.db_path': kept,
  'evo_config.patch_type_probs': pays,
  'evo_config.llm_dynamic_selection': 'models take turns by weight; see [llm]',
  'evo_config.llm_dynamic_selection_kwargs': 'models take turns by weight; see [llm]',
  'evo_config.max_patch_attempts': 'an attempt is made four times, and fixed once',
  'evo_config.max_patch_resamples': 'an attempt is made four times, and fixed once',
  'evo_config.embedding_model': near,
  'evo_config.code_embed_sim_threshold': near,
  'evo_config.max_novelty_attempts': near,
  'evo_config.novelty_llm_models': models,
  'evo_config.novelty_llm_kwargs': models,
  'evo_config.meta_rec_interval': models,
  'evo_config.meta_llm_models': models,
  'evo_config.meta_llm_kwargs': models,
  'evo_config.meta_max_recommendations': models,
  'db_config.island_elitism': 'the best of an island always stays',
  'db_config.parent_selection_strategy': 'see [selector]',
  'db_config.exploitation_alpha': 'see [selector]',
  'db_config.parent_selection_lambda': 'see [selector]',
};

/** `left`: keys that go nowhere. */
export function fromShinka(raw: Tree): { config: Tree; left: string[] } {
  const config: Record<string, unknown> = {};
  const left: string[] = [];
  const put = (path: string, value: unknown) => {
    const [table = path, key] = path.split('.');
    if (key === undefined) config[table] = value;
    else config[table] = { ...(asTree(config[table]) ?? {}), [key]: value };
  };
  for (const [key, value] of leaves(raw)) {
    const to = keys[key];
    if (to !== undefined) put(to, value);
    else if (key !== 'evo_config.llm_models') left.push(key);
  }
  // Parents that are not taken from the archive are taken from the whole population.
  const exploitation = asTree(config['database'])?.['exploitation_ratio'];
  if (typeof exploitation === 'number') put('database.exploration_ratio', 1 - exploitation);
  const names = asTree(raw['evo_config'])?.['llm_models'];
  if (Array.isArray(names)) {
    const found = names.map((name) => ({ name: String(name), model: modelOf(String(name)) }));
    const known = found.flatMap(({ model }) => model ?? []);
    if (known.length > 0) put('llm.models', known);
    for (const { name, model } of found) if (model === undefined) left.push(`evo_config.llm_models: ${name}`);
  }
  return { config, left };
}

/** Names carry their provider; the ones behind another protocol than OpenAI's have no endpoint here. */
function modelOf(name: string): Tree | undefined {
  const local = /^local\/(.+)@(https?:\/\/.+)$/.exec(name);
  if (local !== null) return { name: local[1], api_base: local[2] };
  if (name.startsWith('openrouter/')) return { name: name.slice('openrouter/'.length), api_base: 'https://openrouter.ai/api/v1' };
  return /^(gpt-|o\d)/.test(name) ? { name } : undefined;
}

/** Values two tables deep, `llm_kwargs` three; what lies deeper, or under a table that is not read, counts as one. */
function leaves(raw: Tree, prefix = ''): [string, unknown][] {
  return Object.entries(raw).flatMap(([key, value]): [string, unknown][] => {
    const path = prefix + key;
    const inner = ['evo_config', 'db_config', 'evo_config.llm_kwargs'].includes(path) ? asTree(value) : undefined;
    return inner === undefined ? [[path, value]] : leaves(inner, `${path}.`);
  });
}

function asTree(value: unknown): Tree | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Tree) : undefined;
}
