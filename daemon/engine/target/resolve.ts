/** Turns what a user asked for into a RunSpec: defaults from the configuration, names checked, inputs read. */

import type { Confidence } from '../../../shared/confidence.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Call, EvaluatorSpec } from '../../../shared/judging.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import { PopulationSize, type RunSpec, type StopSpec } from '../../../shared/run-spec.ts';
import { defaultAxes } from '../../evolution/features.ts';
import { importedFiles } from '../../evolution/imports.ts';
import { requireMetrics } from '../../evolution/objectives.ts';
import { loadTarget } from '../../evolution/target.ts';
import { findInterpreter } from '../../executors/interpreters.ts';
import type { Evaluator } from '../../judging/evaluator.ts';
import { findExamples } from '../../judging/inputs/workspace.ts';
import { requireBackends } from '../../llm/routing.ts';
import type { Registry } from '../../registry.ts';
import { AUTO, armsOf } from '../mutate/division.ts';
import { selectorOf } from '../mutate/selector.ts';
import { briefing } from './briefing.ts';
import { type CallMaker, confidenceInGiven, derives, withDerived } from './derive.ts';
import { makeInputs, readInputs } from './inputs.ts';
import { loadEvaluator } from './pool.ts';
import { configuredEvaluator, waysAsFlags } from './ways.ts';
import { asksModels } from './worst-case.ts';

/** What is judged, and how. */
interface Judged {
  program: Program;
  entry: Entry | undefined;
  /** Functions that may change along with the entry, since nothing else uses them. */
  helpers: readonly string[];
  evaluator: Evaluator;
  spec: EvaluatorSpec;
  /** A command that is held out; inputs of the function evaluator are among its options. */
  heldout: EvaluatorSpec | undefined;
  /** What a match with the original rests on, where calls are compared. */
  confidence: Confidence | undefined;
}

export interface Resolved extends Pick<Judged, 'program' | 'entry' | 'evaluator'> {
  spec: RunSpec;
  /** The metric that fitness is made of. */
  metric: string;
}

/**
 * Throws `not_found`, `invalid_input` or `unsupported` for anything that would make judging fail at its start, and
 * `original_fails` when no call enters the function. Without `derivations` no calls are made.
 */
export async function resolveJudging(
  request: Pick<RunRequest, 'target' | 'evaluator' | 'heldout' | 'deterministic'>,
  config: Config,
  registry: Registry,
  derivations?: CallMaker,
): Promise<Judged> {
  const { target } = request;
  const { program, entry, helpers } = await loadTarget(target);
  const asked = request.evaluator ?? configuredEvaluator(config);
  const evaluator = await loadEvaluator(asked.name, config, registry);
  const read = (text: string): Promise<Call[]> =>
    readInputs(text, target.root, (file, fn) => makeInputs(target.root, file, fn, config, registry));
  const { metrics } = config.evaluate;
  const wanted = asked.name === 'command' && metrics !== undefined ? { ...asked, options: { metrics, ...asked.options } } : asked;
  const offer = () => waysAsFlags(target);
  const making = derivations !== undefined && derives(evaluator, config) ? derivations : undefined;
  const spec = await resolveEvaluator(wanted, { program, entry, root: target.root, read, offer, config }, making !== undefined);
  if (making === undefined || spec.options['calls'] !== undefined) evaluator.parse(spec);
  if (config.task_queue.provider === 'stub') await requireInterpreters(evaluator.requires(program.language));
  const inputs = request.heldout ?? config.evaluate.heldout;
  if (spec.name !== 'function') {
    const heldout = inputs === undefined ? undefined : resolveHeldout(spec, inputs);
    return { program, entry, helpers, evaluator, spec, heldout, confidence: undefined };
  }
  const given = inputs === undefined ? [] : await read(inputs);
  const judged = { program, entry, helpers, evaluator, heldout: undefined };
  if (making === undefined) {
    const whole = given.length === 0 ? spec : { ...spec, options: { ...spec.options, heldout: given } };
    return { ...judged, spec: whole, confidence: confidenceInGiven(whole) };
  }
  const examples = entry === undefined ? [] : await findExamples(target.root, target.path, program, entry);
  const deterministic = request.deterministic ?? false;
  const made = withDerived(spec, given, await making.of({ program, evaluator, spec, examples, deterministic }));
  evaluator.parse(made.spec);
  return { ...judged, ...made };
}

/** Throws as `resolveJudging`, for anything that would make the run fail at its start. */
export async function resolveRequest(
  request: RunRequest,
  config: Config,
  registry: Registry,
  derivations?: CallMaker,
): Promise<Resolved> {
  const { evolve } = config;
  const { objectives = config.evaluate.objectives } = request;
  const evaluate = { ...config.evaluate, objectives };
  const mutator = request.mutator ?? evolve.mutator ?? defaultMutator(config);
  const selector = request.selector ?? evolve.selector;
  if (mutator !== AUTO) registry.require('mutator', mutator);
  registry.require('selector', selector);
  if (request.backend !== undefined) requireBackends(config, request.backend);
  // Its own options are parsed as it is made: better now than after a user has agreed to the spend.
  await selectorOf({ selector, selector_options: request.selector_options }, config, registry);
  // Calls are derived last, since that takes longer than all the rest.
  const deterministic = request.deterministic ?? evolve.deterministic;
  const judged = await resolveJudging({ ...request, deterministic }, config, registry, derivations);
  const { program, entry, helpers, evaluator, spec, heldout, confidence } = judged;
  const metric = evaluate.metric ?? evaluator.metric;
  if (evaluator.metrics !== undefined) requireMetrics({ metric, objectives }, evaluator.metrics);
  const backend = request.backend ?? evolve.backend;
  // Questions that a run brings say themselves what they ask for.
  const roles = request.asking?.questions === undefined ? evolve.roles : [];
  const mutators = await armsOf(mutator, backend, config, registry, roles);
  const asks = await asksModels({ mutator, mutators }, config, registry);
  const islands = request.islands ?? evolve.islands;
  const instructions = request.instructions ?? config.mutate.instructions;
  const { run_timeout: timeoutMs, ...configured } = evolve.stop;
  const stop = { ...configured, ...(timeoutMs === undefined ? {} : { run_timeout: timeoutMs / 1000 }), ...given(request.stop) };
  const prices = asks ? (await import('../../llm/cost/prices.ts')).pricesFor(config, backend, stop.budget_usd) : undefined;
  return {
    spec: {
      target: request.target,
      ...(helpers.length === 0 ? {} : { helpers: [...helpers] }),
      evaluator: spec,
      ...(heldout === undefined ? {} : { heldout }),
      ...(confidence === undefined ? {} : { confidence }),
      seed: request.seed ?? evolve.seed ?? Math.floor(Math.random() * 2 ** 32),
      population: populationOf(request.population ?? evolve.population),
      deterministic,
      selector,
      mutator,
      ...(mutators === undefined ? {} : { mutators }),
      ...(backend === undefined ? {} : { backend }),
      ...(asks ? { fix: true } : {}),
      axes: request.axes ?? defaultAxes(config, { language: program.language, speed: isSpeed(evaluate, evaluator) }),
      ...(evolve.archive.kind === 'cvt' ? { cvt: { niches: evolve.archive.niches } } : {}),
      ...(islands === undefined ? {} : { islands }),
      ...(asks && evolve.reflect > 0 ? { reflect: evolve.reflect } : {}),
      ...(evolve.plateau > 0 ? { plateau: evolve.plateau } : {}),
      ...(request.strategy === undefined ? {} : { strategy: request.strategy }),
      ...(evaluate.check === undefined ? {} : { check: evaluate.check }),
      ...(evolve.near_duplicate === undefined ? {} : { near_duplicate: evolve.near_duplicate }),
      metric,
      ...(evaluate.repeats === 1 ? {} : { repeats: evaluate.repeats }),
      ...(evaluate.seeds === undefined ? {} : { seeds: evaluate.seeds }),
      ...(objectives === undefined ? {} : { objectives }),
      ...shape(request),
      ...(asks
        ? { asking: { ...(await briefing(program, spec, request.asking?.system !== undefined)), ...request.asking } }
        : {}),
      ...(prices === undefined || Object.keys(prices).length === 0 ? {} : { prices }),
      stop,
      ...(instructions === undefined ? {} : { instructions }),
    },
    program,
    entry,
    evaluator,
    metric: config.evaluate.metric ?? evaluator.metric,
  };
}

/** Whether fitness is the speed-up over the original. */
function isSpeed({ metric, objectives }: Config['evaluate'], evaluator: Evaluator): boolean {
  const folder = evaluator.name === 'openevolve' || evaluator.name === 'shinka';
  return objectives === undefined && !folder && (metric ?? evaluator.metric).startsWith('speedup');
}

/** What a folder asks for has been through no schema of ours. */
function populationOf(asked: number): number {
  const parsed = PopulationSize.safeParse(asked);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PeagenError('invalid_input', `${issue?.message ?? `A generation of ${asked} candidates cannot be made`}.`);
}

/** The parts of a spec that come from the request alone. */
function shape(request: RunRequest): Partial<RunSpec> {
  const { capacity, selector_options, examples, max_code_length, asking, confirm } = request;
  return {
    ...(capacity === undefined ? {} : { capacity }),
    ...(selector_options === undefined ? {} : { selector_options }),
    ...(examples === undefined ? {} : { examples }),
    ...(max_code_length === undefined ? {} : { max_code_length }),
    ...(asking === undefined ? {} : { asking }),
    ...(confirm === undefined ? {} : { confirm }),
  };
}

function given(stop: RunRequest['stop']): Partial<StopSpec> {
  return Object.fromEntries(Object.entries(stop ?? {}).filter(([, value]) => value !== undefined));
}

/**
 * Without a cluster, candidates run here: a task that no worker of this machine can take would wait for ever. Throws
 * `missing_program`.
 */
async function requireInterpreters(tags: readonly string[]): Promise<void> {
  for (const runtime of ['python', 'node'] as const) if (tags.includes(runtime)) await findInterpreter(runtime);
}

/** Unless configured: `auto` when there is a model, else the offline mutator. */
export function defaultMutator(config: Config): string {
  return config.mutate.mutator ?? (config.llm.backends.length > 0 ? AUTO : 'structural');
}

type ReadCalls = (text: string) => Promise<Call[]>;

/** The held-out command, which the search never runs. */
function resolveHeldout(spec: EvaluatorSpec, inputs: string): EvaluatorSpec {
  if (spec.name === 'command') return { name: spec.name, options: { ...spec.options, command: inputs, metrics: [] } };
  throw new PeagenError('invalid_input', `The evaluator "${spec.name}" takes no held-out inputs.`, {
    hint: 'Remove heldout under [evaluate].',
  });
}

/** What an evaluator's options are completed from. */
interface Place {
  readonly program: Program;
  readonly entry: Entry | undefined;
  readonly root: string;
  readonly read: ReadCalls;
  readonly config: Config;
  /** Returns a hint that lists the other ways to judge. */
  offer(): Promise<string>;
}

/** The `function` evaluator takes `inputs` as a user writes them; here they become calls, so that a run is complete in itself. */
async function resolveEvaluator(
  spec: EvaluatorSpec,
  { program, entry, root, read, offer, config }: Place,
  mayLackCalls: boolean,
): Promise<EvaluatorSpec> {
  // Evaluators that run commands or files of the folder must know where it is.
  if (spec.name !== 'function') return { name: spec.name, options: { root, ...spec.options } };
  if (entry === undefined) {
    throw new PeagenError('invalid_input', 'The function evaluator needs the name of the function to call.', {
      hint: `Give --entry-fn, or entry_fn in .peagen.toml.${await offer()}`,
    });
  }
  const { inputs, ...options } = spec.options;
  if (!mayLackCalls && options['calls'] === undefined && typeof inputs !== 'string') {
    throw new PeagenError('invalid_input', `There are no inputs to call ${entry.fn} with.`, {
      hint: `Give --inputs with a JSON file or a list of calls such as [[[3, 1, 2]]], or inputs under [evaluate] in .peagen.toml.${await offer()}`,
    });
  }
  const calls = typeof inputs === 'string' ? await read(inputs) : options['calls'];
  const support = await importedFiles(root, program.language, program.files);
  const { ignore_effects } = config.evaluate;
  return {
    name: spec.name,
    options: {
      ...(ignore_effects.length === 0 ? {} : { ignore_effects }),
      ...options,
      entry,
      ...(calls === undefined ? {} : { calls }),
      ...(support.length === 0 ? {} : { support }),
    },
  };
}
