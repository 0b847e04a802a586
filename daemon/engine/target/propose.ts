/**
 * Inputs that a language model proposes for a function: asked for, tried on the original in a sandbox, and judging nothing
 * until a user agrees.
 */
import type * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import type { PlanProposal, ProposedCall, ProposedInputs, ProposeInputsRequest } from '../../../shared/protocol/judging.ts';
import { costText } from '../../../shared/words/cost-text.ts';
import { importedFiles } from '../../evolution/imports.ts';
import { loadTarget } from '../../evolution/target.ts';
import { codeOrigin, openSandboxes } from '../../executors/open.ts';
import { tryCalls } from '../../judging/function/trial.ts';
import { askModels } from '../../llm/ask.ts';
import { pricesFor } from '../../llm/cost/prices.ts';
import { requestTokens } from '../../llm/cost/tokens.ts';
import { answersTo, pricedBackends, type WorstCase, worstCase } from '../../llm/cost/worst-case.ts';
import { promptTemplates } from '../../llm/prompts/templates.ts';
import { inputsPrompt, readProposals } from '../../llm/proposals.ts';
import { route } from '../../llm/routing.ts';
import type { Registry } from '../../registry.ts';
import type { Log } from '../../telemetry/log.ts';

export interface ProposeDeps {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
}

interface Question {
  readonly program: Program;
  readonly entry: Entry;
  readonly system: string;
  readonly prompt: string;
  readonly backend: string;
  readonly worst: WorstCase;
  readonly likely: WorstCase;
}

/** Tokens that a model writes for each proposed call, and around them. */
const EACH_CALL = 60;
const AROUND = 100;

/** What asking is likely to cost, and can cost at worst. Throws `unavailable` without a model, and what makes the target none. */
export async function planProposal(request: ProposeInputsRequest, config: Config): Promise<z.infer<typeof PlanProposal.result>> {
  const { worst, likely } = await questionOf(request, config);
  const { prompt_tokens: prompt, completion_tokens: completion, dollars } = likely;
  return { ...worst, expected: { tokens: prompt + completion, dollars } };
}

export async function proposeInputs(
  request: ProposeInputsRequest,
  { config, registry, log }: ProposeDeps,
  signal: AbortSignal,
): Promise<ProposedInputs> {
  const { program, entry, system, prompt, backend, worst } = await questionOf(request, config);
  const { budget_tokens, budget_usd } = config.evolve.stop;
  if (budget_usd !== undefined) pricesFor(config, backend, budget_usd);
  const most = worst.prompt_tokens + worst.completion_tokens;
  const dear = worst.dollars !== null && worst.dollars > (budget_usd ?? Number.POSITIVE_INFINITY);
  if (dear || most > (budget_tokens ?? Number.POSITIVE_INFINITY)) {
    const limit = dear ? `budget_usd is ${budget_usd}` : `budget_tokens is ${budget_tokens}`;
    const cost = costText({ worst_case: worst });
    throw new PeagenError('budget_exceeded', `Proposing inputs ${cost}; ${limit}.`, {
      hint: 'Raise the budget under [evolve.stop], or lower max_tokens under [mutate].',
    });
  }
  const support = await importedFiles(request.target.root, program.language, program.files);
  const sandboxes = await openSandboxes(config, registry, codeOrigin(config, false));
  const { temperature, max_tokens: maxTokens } = config.mutate;
  const answer = await askModels({ system, prompt, temperature, maxTokens, backend }, { config, registry, log, signal });
  const { proposals, dropped } = readProposals(answer.text, request.count);
  const whole = { ...program, files: [...program.files, ...support] };
  const tried = await tryCalls(
    whole,
    entry,
    proposals.map(({ call }) => call),
    sandboxes,
    signal,
  );
  const found: ProposedInputs = { proposals: [], dropped: [...dropped], tokens: answer.tokens };
  for (const [index, { call, why }] of proposals.entries()) {
    const result = tried[index];
    if (result?.kind !== 'done') {
      found.dropped.push({ text: JSON.stringify(call.args).slice(0, 200), reason: result?.reason ?? 'it was not tried' });
      continue;
    }
    const { kind: _done, ...came } = result;
    found.proposals.push({ call, why, ...came } satisfies ProposedCall);
  }
  return found;
}

async function questionOf(request: ProposeInputsRequest, config: Config): Promise<Question> {
  const { program, entry } = await loadTarget(request.target);
  if (entry === undefined) {
    throw new PeagenError('invalid_input', 'Inputs can be proposed only for a function.', { hint: 'Name it: entry_fn.' });
  }
  const { backends, default_backend: fallback } = config.llm;
  const backend = request.backend ?? config.mutate.backend;
  const { mode, order } = route({ asked: backend, fallback, backends, records: new Map(), random: () => 0 });
  const { count, instructions } = request;
  const question = inputsPrompt(promptTemplates(config.templates.search_path), { program, entry, count, instructions });
  const asked = { calls: 1, promptTokens: await requestTokens(question), mode };
  const { max_tokens: maxTokens } = config.mutate;
  const worst = worstCase({ ...asked, answers: answersTo(maxTokens, mode), backends: pricedBackends(config, order) });
  // The cost of one answer of usual length from the first back end.
  const first = pricedBackends(config, mode === 'all' ? order : order.slice(0, 1));
  const likely = worstCase({
    ...asked,
    answers: [Math.min(maxTokens, AROUND + count * EACH_CALL)],
    backends: first,
  });
  return { program, entry, ...question, backend, worst, likely };
}
