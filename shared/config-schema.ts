/** The JSON Schema of `.peagen.toml`, in which every key has a description. */
import * as z from 'zod';
import { Config } from './config.ts';

/** By the path of a key; `[]` stands for each table of a list. */
export const descriptions: Readonly<Record<string, string>> = {
  task_queue: 'Where tasks wait for workers.',
  'task_queue.provider': 'stub (in the memory of one process), redis, or the queue of a plugin.',
  'task_queue.url': 'Address of the queue, redis:// or rediss://, without a password: that comes from PEAGEN_REDIS_PASSWORD.',
  'task_queue.workspace':
    'Name of the workspace on a shared queue, tenant/workspace. Default: made from this machine and the folder, so that two never share one by accident.',
  'task_queue.lease_ms': 'Milliseconds after which a task of a worker that is silent goes back to the queue.',
  'task_queue.idle_ms': 'Older name of lease_ms.',
  'task_queue.max_retry': 'How often a task that failed is tried again before it becomes a dead letter.',
  'task_queue.max_workers':
    'Tasks that all hosts of a workspace should hold at a time: more of them are warned about, none is refused.',
  result_backend: 'Where results are kept.',
  'result_backend.provider': 'fs (a folder), s3, or the store of a plugin.',
  'result_backend.root': 'Folder of the results, relative to the workspace.',
  'result_backend.compress': 'Whether result files are compressed with gzip.',
  'result_backend.endpoint': 'S3: address of the service. Keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  'result_backend.bucket': 'S3: name of the bucket.',
  'result_backend.prefix': 'S3: what the names of all objects begin with.',
  'result_backend.region': 'S3: region of the bucket.',
  worker: 'What runs tasks on this machine.',
  'worker.defaults': 'Settings of all workers.',
  'worker.defaults.caps': 'Capability tags of the workers, next to those that are detected, such as gcc13.',
  'worker.defaults.caps_only': 'Capability tags of the workers, in place of those that are detected.',
  'worker.defaults.plugins': 'Handlers that the workers load; all without this key.',
  'worker.defaults.concurrency': 'Tasks at a time of one "peagen worker start". Default: as many as there are cores.',
  'worker.defaults.warm_pool': 'Workers that wait for a task, for each class of workers.',
  'worker.defaults.max_parallel': 'Workers at a time at most.',
  'worker.defaults.idle_timeout': 'A worker without a task ends after this time.',
  'worker.defaults.max_uptime': 'A worker takes no further task after this time.',
  'worker.defaults.isolation': 'sandbox (in the process that claims the task), process or container (a worker for each task).',
  'worker.defaults.plugin_timeout': 'A task that runs code of a plugin is ended after this time.',
  mutate: 'How one change is made.',
  'mutate.mutator': 'How a program is changed. Default: patch when a language model is configured, else structural.',
  'mutate.target_file': 'The file to change, relative to the folder.',
  'mutate.entry_fn': 'The function to change.',
  'mutate.temperature': 'Temperature of the language model.',
  'mutate.max_tokens': 'Tokens of an answer at most.',
  'mutate.backend': 'The language model to ask, by its name under [[llm.backends]]; auto chooses by weight.',
  'mutate.efforts':
    'How much the model reasons, by the kind of question (a role, fix or reflect), in place of reasoning_effort of its back end.',
  'mutate.instructions': 'Guidance for the language model.',
  evolve: 'A search.',
  'evolve.selector':
    'How parents are chosen: epsilon, tournament, rank, ratios, ucb, thompson, age, lexicase, island or that of a plugin.',
  'evolve.mutator': 'How children are made. Default: that of [mutate].',
  'evolve.backend': 'The language model to ask.',
  'evolve.entry_fn': 'The function to evolve.',
  'evolve.seed': 'Seed of every random choice.',
  'evolve.population': 'Candidates in each generation.',
  'evolve.deterministic': 'Judge by counted operations, so that the same seed gives the same candidates.',
  'evolve.islands': 'Archives that evolve apart, with migration along a ring; one archive without this table.',
  'evolve.islands.count': 'Number of islands.',
  'evolve.islands.interval': 'Generations between two migrations.',
  'evolve.islands.migrants': 'Elites that each island sends to the next.',
  'evolve.reflect':
    'Generations between two reflections, in which the language model says what works and what to try next. 0: none.',
  'evolve.plateau': 'Generations without a better best after which the search looks further afield. 0: it never does.',
  'evolve.roles':
    'Kinds of change that the language model is asked for: bold, structure, algorithm, constant, combine, simplify. Without any, questions name no kind.',
  'evolve.near_duplicate': 'A child whose tokens differ by less than this share from known ones is not judged.',
  'evolve.stop': 'When a search ends: at the first of these limits.',
  'evolve.stop.max_generations': 'Generations at most.',
  'evolve.stop.target_ms': 'Ends when the best is this fast, in milliseconds.',
  'evolve.stop.no_improve': 'Generations without a better best.',
  'evolve.stop.budget_tokens': 'Tokens of language models at most.',
  'evolve.stop.budget_usd': 'Dollars for language models at most. The prices of the back ends must be known.',
  'evolve.stop.run_timeout': 'Duration of the run at most.',
  'evolve.archive': 'The archive of elites, one for each niche.',
  'evolve.archive.speed_bin_ms': 'Width of a niche in speed, in milliseconds.',
  'evolve.archive.mem_bin_kb': 'Width of a niche in memory, in kilobytes.',
  'evolve.archive.size_bin_ch': 'Width of a niche in length, in characters.',
  'evolve.archive.kind': 'grid (bins along each axis) or cvt (niches spread evenly over the space, for many axes).',
  'evolve.archive.niches': 'Number of niches of a cvt archive.',
  'evolve.archive.features':
    'Axes of the archive, by name (speed, memory, size, age, complexity, approach, diversity) or with bins. By default they depend on the run.',
  'evolve.archive.features.[].name': 'A metric, or one of the built-in features.',
  'evolve.archive.features.[].bin': 'Width of a niche along this axis.',
  'evolve.archive.features.[].unit': 'Unit, for display.',
  'evolve.archive.features.[].labels': 'Names of the bins, for display.',
  'evolve.archive.features.[].scale': 'How values are laid along the axis.',
  selector: 'Options of selectors, each in a table with its name.',
  'selector.epsilon': 'Options of the selector epsilon.',
  'selector.epsilon.eps_init': 'Probability of exploring at the beginning.',
  'selector.epsilon.decay': 'Factor on the probability after each gain.',
  'selector.epsilon.floor': 'Least probability of exploring.',
  evaluate: 'How candidates are judged.',
  'evaluate.pool': 'Tags, joined by +, that the workers that judge must have, such as gpu+cuda12.',
  'evaluate.metric': "The metric that fitness is made of. Default: the evaluator's own.",
  'evaluate.objectives': 'Several metrics, in place of metric.',
  'evaluate.objectives.combine': 'weighted (added up, the default) or lexicographic (in order of importance).',
  'evaluate.objectives.of': 'The metrics.',
  'evaluate.objectives.of.[].metric': 'Name of the metric.',
  'evaluate.objectives.of.[].direction': 'max or min.',
  'evaluate.objectives.of.[].weight': 'How much a step counts against steps of the others.',
  'evaluate.objectives.of.[].limit': 'A program that is worse than this is refused.',
  'evaluate.objectives.of.[].step': 'What counts as one step; smaller differences are none.',
  'evaluate.evaluator': 'function, command, openevolve, shinka or that of a plugin.',
  'evaluate.inputs': 'A JSON file with calls, relative to this file, or the calls themselves as JSON.',
  'evaluate.heldout': 'Inputs, or another command, that the search never sees.',
  'evaluate.derive': 'Make more calls from the given ones and from the source, and hold half of them out.',
  'evaluate.ignore_effects': "Effects of a call that are not compared with the original's.",
  'evaluate.command': 'The test or benchmark command to judge by.',
  'evaluate.repeats': 'Evaluations of a candidate that would win, where scores vary; they end early where it is clear.',
  'evaluate.seeds': 'Seed of the first, second, … evaluation of a program (PEAGEN_SEED).',
  'evaluate.metrics': 'Where numbers of the command come from. speed_ms takes the place of its duration.',
  'evaluate.metrics.[].from': 'json, regex or junit.',
  'evaluate.metrics.[].name': 'regex: name of the metric.',
  'evaluate.metrics.[].pattern': 'regex: a pattern whose first group is the number.',
  'evaluate.metrics.[].path': 'junit: path of the report.',
  'evaluate.check': 'A type check or lint command that a candidate must pass before it is judged.',
  'evaluate.sandbox': 'auto, bubblewrap, seatbelt (macOS) or docker. A file cannot choose plain, which is not a sandbox.',
  'evaluate.instructions': 'Count the instructions of a confirmed variant in Python with valgrind, too.',
  'evaluate.timeout': 'Wall clock of one sandbox.',
  'evaluate.memory_mb': 'Memory of one sandbox, in megabytes.',
  llm: 'Language models.',
  'llm.default_backend': 'The model that is asked where none is named.',
  'llm.backends': 'The models.',
  'llm.backends.[].name': 'Name of this back end.',
  'llm.backends.[].model': 'Name of the model at its provider.',
  'llm.backends.[].preset':
    'A known provider, such as openai, anthropic, gemini or ollama, which sets base_url and api_key_env; or command, a CLI agent, which the environment variable PEAGEN_LLM_COMMAND names.',
  'llm.backends.[].base_url': 'Address of a service that speaks the protocol.',
  'llm.backends.[].protocol':
    "What the service speaks: chat (OpenAI's chat completions), responses (OpenAI's Responses API), anthropic or gemini. Default: that of the preset, else chat.",
  'llm.backends.[].api_key_env': 'The environment variable that holds the key.',
  'llm.backends.[].timeout_ms': 'Milliseconds for a whole answer.',
  'llm.backends.[].first_token_ms': 'Milliseconds until the first token.',
  'llm.backends.[].weight': 'How often it is asked, against the others.',
  'llm.backends.[].temperature': 'Its temperature, whatever the run asks with.',
  'llm.backends.[].top_p': 'Nucleus sampling of this model.',
  'llm.backends.[].reasoning_effort': 'How much the model reasons before it answers.',
  'llm.backends.[].retries': 'How often a question that failed is asked again.',
  'llm.backends.[].retry_delay_ms': 'Milliseconds before the first repetition; they double.',
  'llm.backends.[].requests_per_minute': 'Limit of requests, shared by all workers.',
  'llm.backends.[].tokens_per_minute': 'Limit of tokens, shared by all workers.',
  'llm.backends.[].price_prompt': 'Dollars for a million tokens of questions.',
  'llm.backends.[].price_completion': 'Dollars for a million tokens of answers.',
  render: 'Rendering of template sets.',
  'render.engine': 'minijinja, or jinja2 of an installed Python.',
  templates: 'Prompt templates.',
  'templates.search_path': 'Folders that are searched for prompt templates before the built-in ones.',
  plugins: 'Packages that extend Peagen.',
  'plugins.packages': 'Names of npm packages to load plugins from.',
};

type JsonSchema = { [key: string]: unknown };

/** The schema, with a description at every key. */
export function configSchema(): JsonSchema {
  return described(z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }), []);
}

function described(schema: JsonSchema, path: readonly string[]): JsonSchema {
  const result: JsonSchema = { ...schema };
  const text = descriptions[path.join('.')];
  if (text !== undefined) result['description'] = text;
  if (isTree(schema['properties'])) {
    result['properties'] = Object.fromEntries(
      Object.entries(schema['properties']).map(([key, value]) => [key, isTree(value) ? described(value, [...path, key]) : value]),
    );
  }
  if (isTree(schema['items'])) result['items'] = described(schema['items'], [...path, '[]']);
  for (const name of ['anyOf', 'oneOf']) {
    const choices = schema[name];
    if (!Array.isArray(choices)) continue;
    // The description stands next to the choices, not in each of them.
    result[name] = choices.map((one: unknown) =>
      isTree(one) ? { ...described(one, path), description: one['description'] } : one,
    );
  }
  return result;
}

function isTree(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
