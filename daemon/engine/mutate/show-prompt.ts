/**
 * The question that a model would be asked next: for a run as its journal stands, or for the first candidate of a new
 * target. Nothing is asked, recorded or spent.
 */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { RunRequest, ShownPrompt } from '../../../shared/protocol/runs.ts';
import type { Slot } from '../../../shared/run.ts';
import { programSha } from '../../evolution/hash.ts';
import { questionAbout } from '../../llm/prompts/question.ts';
import type { PromptKind } from '../../llm/prompts/view.ts';
import { createRandom } from '../../random.ts';
import type { Registry } from '../../registry.ts';
import type { RunRecords } from '../records/run-records.ts';
import { Scorer } from '../run/scorer.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { Derivations } from '../target/derive.ts';
import { loadEvaluator } from '../target/pool.ts';
import { type Resolved, resolveRequest } from '../target/resolve.ts';
import { choiceFor, MEND } from './choice.ts';
import { mutatorOf } from './division.ts';
import { MinHashes } from './min-hashes.ts';
import { mutatePayload } from './mutate-payload.ts';

interface ShowDeps {
  readonly config: Config;
  readonly registry: Registry;
}

/** Throws as `plan` does for a request that cannot start. */
export async function promptOfTarget(
  request: RunRequest,
  derivations: Derivations,
  { config, registry }: ShowDeps,
): Promise<ShownPrompt> {
  const resolved = await resolveRequest(request, config, registry, derivations);
  const { spec } = resolved;
  const arms = (spec.mutators ?? [spec.mutator]).map(mutatorOf);
  const mutator = askingMutator(arms.map((arm) => arm.mutator));
  const role = arms.find((arm) => arm.mutator === mutator)?.role;
  const payload = { ...firstPayload(resolved), ...(role === undefined ? {} : { role }) };
  return rendered(mutator, payload, config, spec.target.path);
}

/** Returns the payload of the mutator of a run's first candidate. */
export function firstPayload({
  spec,
  program,
  entry,
  metric,
}: Pick<Resolved, 'spec' | 'program' | 'entry' | 'metric'>): MutatePayload {
  const { axes, objectives, deterministic, instructions, asking } = spec;
  return {
    mutator: spec.mutator,
    seed: spec.seed,
    original: program,
    ...(entry === undefined ? {} : { entry }),
    parent: { sha256: programSha(program), program, metrics: {}, note: '' },
    inspirations: [],
    failures: [],
    ...(asking === undefined ? {} : { asking }),
    ...(instructions === undefined ? {} : { instructions }),
    next: {
      mode: 'candidate',
      basis: { evaluator: spec.evaluator, original: program, data: null },
      deterministic,
      effort: 'quick',
      scoring: { axes, metric, ...(objectives === undefined ? {} : { objectives }), generation: 1 },
    },
    nextRequires: [],
  };
}

/** Throws `conflict` for a run that has not judged its original yet. */
export async function promptOfRun(run: RunState, records: RunRecords, { config, registry }: ShowDeps): Promise<ShownPrompt> {
  // A state of its own: choosing a parent takes the user's wishes.
  const state = await records.fresh(run.run);
  const { spec, basis, failing } = state;
  if (basis === undefined && failing === undefined) {
    throw new PeagenError('conflict', `Run ${run.run} has not judged its original yet.`, {
      hint: 'Wait a moment and ask again.',
    });
  }
  const slot: Slot = { index: state.nextIndex, generation: state.generations.done + 1, attempt: 0 };
  const random = createRandom(spec.seed, 'select', slot.index, slot.attempt);
  const choice = choiceFor(state, slot, random);
  const arms = (spec.mutators ?? [spec.mutator]).map((arm) => mutatorOf(arm).mutator);
  const mutator = askingMutator([choice.mutator, ...arms]);
  const at = new Date(0).toISOString();
  state.apply({ type: 'selected', at, slot, ...choice, mutator, seed: random.int(2 ** 32) });
  const open = state.open.get(slot.index);
  if (open === undefined) throw new PeagenError('internal', `Slot ${slot.index} was not selected.`);
  const original = await records.readProgram(state.original.object);
  const program = (sha256: Sha256): Promise<Program> => {
    const object = state.objectOf(sha256);
    if (object === undefined) throw new PeagenError('not_found', `The program ${sha256.slice(0, 12)} is not in the run.`);
    return records.readProgram(object);
  };
  const sketches = new MinHashes(program);
  const evaluator = await loadEvaluator(spec.evaluator.name, config, registry);
  const scorer = new Scorer(spec, config.evaluate.metric ?? evaluator.metric, sketches);
  const deps = { state, original, sketches, program, readText: (sha256: Sha256) => records.readText(sha256) };
  const payload: MutatePayload = {
    ...(await mutatePayload(open, deps, ['llm'])),
    next: {
      mode: failing === undefined ? 'candidate' : 'alone',
      basis: basis === undefined ? { evaluator: spec.evaluator, original, data: null } : await records.readBasis(basis),
      deterministic: spec.deterministic,
      effort: 'quick',
      scoring: await scorer.scoring(slot.generation, []),
    },
  };
  return rendered(mutator, payload, config, spec.target.path);
}

const promptKinds: readonly PromptKind[] = ['patch', 'rewrite', 'crossover', MEND];

/** The first that asks a model with a built-in prompt; a run without models is shown what `patch` would ask. */
function askingMutator(names: readonly string[]): PromptKind {
  return names.flatMap((name) => promptKinds.find((kind) => kind === name) ?? [])[0] ?? 'patch';
}

async function rendered(mutator: PromptKind, payload: MutatePayload, config: Config, path: string): Promise<ShownPrompt> {
  const built = await questionAbout(mutator, payload, config);
  if (built !== undefined) return { mutator, parent: payload.parent.sha256, ...built };
  throw new PeagenError('invalid_input', `${path} is too long to ask a model about.`, {
    hint: 'Evolve one function with --entry-fn, or mark the part that may change.',
  });
}
