/** One patch round without evaluation: `peagen mutate`, and Mutate Selection in an editor. */

import { dearestToken } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { unifiedDiff } from '../../../shared/patch/unified.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { SpendPlan } from '../../../shared/protocol/runs.ts';
import type { MutateAnswer, MutateRequest } from '../../../shared/protocol/targets.ts';
import { programSha } from '../../evolution/hash.ts';
import type { Mutator } from '../../evolution/mutators/mutator.ts';
import { loadTarget } from '../../evolution/target.ts';
import { trustedAnswer } from '../../handlers/child-check.ts';
import { requireKeys } from '../../llm/presets.ts';
import type { Registry } from '../../registry.ts';
import { changesOf } from '../target/changes.ts';
import { defaultMutator } from '../target/resolve.ts';
import { withinBudget } from '../target/worst-case.ts';
import { type TaskClient, whileWanted } from '../task-client.ts';
import { soleMutateTask } from '../tasks.ts';
import { AUTO } from './division.ts';

interface Round {
  readonly program: Program;
  readonly mutator: Mutator;
  readonly payload: MutatePayload;
}

/** What the round can cost; the budgets of the configuration hold for it too. */
export async function planMutation(request: MutateRequest, config: Config, registry: Registry): Promise<SpendPlan> {
  const { program, mutator, payload } = await roundOf(request, config, registry);
  const spent = { prompt: 0, completion: 0 };
  if (!mutator.requires.includes('llm')) {
    return { spent, worst_case: { prompt_tokens: 0, completion_tokens: 0, dollars: 0 } };
  }
  const { backend } = payload;
  const { budget_tokens, budget_usd } = config.evolve.stop;
  const { pricesFor } = await import('../../llm/cost/prices.ts');
  const prices = pricesFor(config, backend, budget_usd);
  const { worstCaseTokens } = await import('../../llm/cost/worst-case.ts');
  const cost = await worstCaseTokens({ calls: 1, program, spec: { backend }, config });
  const { expectedCandidate } = await import('../target/expected-cost.ts');
  const expected = { candidates: 1, ...(await expectedCandidate({ payload, backend, prices }, config)) };
  return { spent, expected, worst_case: withinBudget(cost, { stop: { max_generations: 1, budget_tokens, budget_usd }, prices }) };
}

async function roundOf(request: MutateRequest, config: Config, registry: Registry): Promise<Round> {
  const { program, entry } = await loadTarget(request.target);
  const asked = request.mutator ?? defaultMutator(config);
  // One proposal cannot be divided: with a model it is an edit.
  const name = asked === AUTO ? (config.llm.backends.length > 0 ? 'patch' : 'structural') : asked;
  const mutator = (await registry.load('mutator', name))(config);
  const instructions = request.instructions ?? config.mutate.instructions;
  const backend = request.backend ?? config.mutate.backend;
  const allowance = mutator.requires.includes('llm') ? await allowanceOf(backend, config) : undefined;
  const payload: MutatePayload = {
    mutator: name,
    seed: request.seed ?? Math.floor(Math.random() * 2 ** 32),
    original: program,
    ...(entry === undefined ? {} : { entry }),
    parent: { sha256: programSha(program), program, metrics: {}, note: '' },
    inspirations: [],
    failures: [],
    ...(instructions === undefined ? {} : { instructions }),
    ...(allowance === undefined ? {} : { allowance }),
    backend,
    nextRequires: [],
  };
  return { program, mutator, payload };
}

/** The tokens that the budgets pay for, should each cost as much as a token can. */
async function allowanceOf(backend: string, config: Config): Promise<number | undefined> {
  const { budget_tokens = Number.POSITIVE_INFINITY, budget_usd } = config.evolve.stop;
  const { pricesFor } = await import('../../llm/cost/prices.ts');
  const dearest = dearestToken(pricesFor(config, backend, budget_usd));
  const affordable = budget_usd === undefined || dearest === 0 ? Number.POSITIVE_INFINITY : Math.floor(budget_usd / dearest);
  const allowance = Math.min(budget_tokens, affordable);
  return Number.isFinite(allowance) ? allowance : undefined;
}

/** Throws `backend_failed` with the reason when the mutator found no child. The signal withdraws the question to a model. */
export async function mutateOnce(
  request: MutateRequest,
  config: Config,
  registry: Registry,
  taskClient: TaskClient,
  signal: AbortSignal,
): Promise<MutateAnswer> {
  const { program, mutator, payload } = await roundOf(request, config, registry);
  if (mutator.requires.includes('llm')) requireKeys(config, process.env);
  const task = soleMutateTask(newTaskId(), payload, mutator.requires);
  const answer = await whileWanted(taskClient, signal, (client) => client.run(task, signal));
  const data = trustedAnswer(answer, payload.original);
  if (data.kind === 'rejected') {
    throw new PeagenError('backend_failed', `The mutator "${payload.mutator}" found no change: ${data.reason}`, {
      hint: 'Try again, or another mutator.',
    });
  }
  const changes = changesOf(program, data.program);
  const origin = { ...data.origin, parents: [payload.parent.sha256] };
  return { changes, origin, tokens: data.tokens, diff: unifiedDiff(changes) };
}
