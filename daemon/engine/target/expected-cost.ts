/** What paid work is likely to cost, from the first question that it would ask; see worst-case.ts for what is possible. */
import type { Prices } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { spanText } from '../../../shared/program.ts';
import type { Expected } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { tokenCounter } from '../../llm/cost/tokens.ts';
import { questionAbout } from '../../llm/prompts/question.ts';
import { route } from '../../llm/routing.ts';
import { withinLimits } from '../run/state/spending.ts';

/** Later prompts are longer than the first one by about this factor: they show what was tried. */
const GROWTH = 1.3;
/** Questions for one candidate, repairs and answers without use included. */
const QUESTIONS = 1.15;
/** Tokens in which a model explains itself, next to the code that it writes. */
const EXPLANATION = 350;

interface Question {
  readonly payload: MutatePayload;
  readonly backend: string | undefined;
  readonly prices: Prices | undefined;
}

/** One candidate. A reasoning model writes more than is expected here; a run learns that from its first answers. */
export async function expectedCandidate(
  { payload, backend, prices }: Question,
  config: Config,
): Promise<Omit<Expected, 'candidates'>> {
  const built = await questionAbout('patch', payload, config);
  const count = await tokenCounter();
  const code = payload.original.spans.reduce((sum, span) => sum + count(spanText(payload.original, span)), 0);
  const maxTokens = payload.asking?.max_tokens ?? config.mutate.max_tokens;
  const { backends, default_backend: fallback } = config.llm;
  const asked = backend ?? config.mutate.backend;
  const { mode, order } = route({ asked, fallback, backends, records: new Map(), random: () => 0 });
  const askedOnes = mode === 'all' ? order : order.slice(0, 1);
  const prompt = (built?.tokens ?? 0) * GROWTH * QUESTIONS;
  const completion = Math.min(maxTokens, code + EXPLANATION) * QUESTIONS;
  let dollars: number | null = 0;
  for (const name of askedOnes) {
    const price = prices?.[name];
    dollars =
      dollars === null || price === undefined ? null : dollars + (prompt * price.prompt + completion * price.completion) / 1e6;
  }
  return { tokens: Math.round((prompt + completion) * askedOnes.length), dollars };
}

/** A number of candidates, of which a share is made by asking a model. */
export async function expectedCost(
  candidates: number,
  share: number,
  question: Question,
  { config, stop }: { config: Config; stop: RunSpec['stop'] },
): Promise<Expected> {
  const one = await expectedCandidate(question, config);
  const asking = candidates * share;
  const dollars = one.dollars === null ? null : one.dollars * asking;
  return withinLimits({ candidates, tokens: Math.round(one.tokens * asking), dollars }, stop);
}
