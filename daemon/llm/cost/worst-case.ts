/**
 * The most that questions can cost, before any is asked: exact counts and hard limits, nothing estimated. A question
 * has at most `MAX_PAID` attempts that an endpoint may charge for, or one for each back end of a fan-out; a candidate
 * has at most `ASKS_PER_CANDIDATE` questions, of which each after the first has one attempt; a prompt is at most
 * `promptLimit`, an answer at most max_tokens, and `LONGER` times that where the one before was cut off.
 */
import type { Prices } from '../../../shared/asking.ts';
import type { Config, LlmBackendConfig } from '../../../shared/config.ts';
import type { Program } from '../../../shared/program.ts';
import { HIGHEST_LEVEL, type RunSpec } from '../../../shared/run-spec.ts';
import { promptLimit, USUAL_EXAMPLES } from '../prompts/build.ts';
import { fanOutWidth, type Route, route } from '../routing.ts';
import type { CandidateCost } from './account.ts';
import { ASKS_PER_CANDIDATE, LONGER, MAX_PAID } from './limits.ts';
import { priceOf } from './prices.ts';
import { tokenCounter } from './tokens.ts';

export interface WorstCase {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Null when the price of a back end is unknown. */
  readonly dollars: number | null;
}

type Priced = Pick<LlmBackendConfig, 'name'> & { readonly price: Prices[string] | undefined };

/** Pure: `calls` times the attempts whose answers have at most that many tokens, over the back ends of a route. */
export function worstCase(input: {
  calls: number;
  promptTokens: number;
  /** One number for each attempt that may be charged for; see `answersTo`. */
  answers: readonly number[];
  mode: Route['mode'];
  backends: readonly Priced[];
}): WorstCase {
  const { calls, promptTokens, answers, mode, backends } = input;
  const prompts = answers.length * promptTokens;
  const completions = answers.reduce((sum, most) => sum + most, 0);
  const costs = backends.map(({ price }) =>
    price === undefined ? Number.NaN : (prompts * price.prompt + completions * price.completion) / 1e6,
  );
  const each = mode === 'all' ? costs.reduce((sum, cost) => sum + cost, 0) : Math.max(0, ...costs);
  const width = mode === 'all' ? backends.length : 1;
  return {
    prompt_tokens: calls * width * prompts,
    completion_tokens: calls * width * completions,
    dollars: Number.isNaN(each) ? null : calls * each,
  };
}

/** The tokens of the answers to one question, in the attempts that a back end may charge for. */
export function answersTo(maxTokens: number, mode: Route['mode']): number[] {
  return Array<number>(mode === 'all' ? 1 : MAX_PAID).fill(maxTokens);
}

/** The same for a candidate: its first question, and each other one once, after an answer that was cut off. */
function answersForCandidate(maxTokens: number, mode: Route['mode']): number[] {
  return [...answersTo(maxTokens, mode), ...Array<number>(ASKS_PER_CANDIDATE - 1).fill(LONGER * maxTokens)];
}

/** The back ends of a route. */
export function pricedBackends({ llm }: Pick<Config, 'llm'>, order: readonly string[]): Priced[] {
  return llm.backends.flatMap((one) => (order.includes(one.name) ? [{ name: one.name, price: priceOf(one) }] : []));
}

/** The worst case of a number of candidates of a run. */
export async function worstCaseTokens(input: {
  calls: number;
  program: Program;
  spec: Pick<RunSpec, 'backend' | 'asking' | 'examples' | 'plateau'>;
  config: Config;
}): Promise<WorstCase> {
  const { config, spec, program } = input;
  const { backends, default_backend: fallback } = config.llm;
  const { best, others } = spec.examples ?? { best: 0, others: USUAL_EXAMPLES };
  const examples = best + others + (spec.plateau === undefined || others === 0 ? 0 : HIGHEST_LEVEL);
  const asked = spec.backend ?? config.mutate.backend;
  const { mode, order } = route({ asked, fallback, backends, records: new Map(), random: () => 0 });
  const maxTokens = spec.asking?.max_tokens ?? config.mutate.max_tokens;
  return worstCase({
    calls: input.calls,
    promptTokens: promptLimit(program, await tokenCounter(), spec.asking, examples),
    answers: answersForCandidate(maxTokens, mode),
    mode,
    backends: pricedBackends(config, order),
  });
}

/** The most that a number of reflections of a run can cost; see engine/mutate/reflection.ts. */
export async function reflectionsWorstCase(
  reflections: number,
  answerTokens: number,
  { program, spec, config }: Omit<Parameters<typeof worstCaseTokens>[0], 'calls'>,
): Promise<WorstCase> {
  const { backends, default_backend: fallback } = config.llm;
  const asked = spec.backend ?? config.mutate.backend;
  const { mode, order } = route({ asked, fallback, backends, records: new Map(), random: () => 0 });
  const promptTokens = promptLimit(program, await tokenCounter());
  return worstCase({
    calls: reflections,
    promptTokens,
    answers: [answerTokens],
    mode,
    backends: pricedBackends(config, order),
  });
}

/** Tokens of an answer that most models keep to; a question with room for it is worth asking. */
const USUAL_ANSWER = 4096;

/** What one candidate can cost in tokens: one question with one attempt, and all that can happen. */
export async function candidateCost(input: Omit<Parameters<typeof worstCaseTokens>[0], 'calls'>): Promise<CandidateCost> {
  const { config, spec } = input;
  const { prompt_tokens, completion_tokens } = await worstCaseTokens({ ...input, calls: 1 });
  const width = fanOutWidth(config, spec.backend ?? config.mutate.backend);
  const maxTokens = spec.asking?.max_tokens ?? config.mutate.max_tokens;
  const attempts = answersForCandidate(maxTokens, width > 1 ? 'all' : 'first').length;
  const least = prompt_tokens / attempts + width * Math.min(maxTokens, USUAL_ANSWER);
  return { most: prompt_tokens + completion_tokens, least };
}
