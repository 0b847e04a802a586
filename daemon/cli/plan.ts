/** What paid work will cost, in words: shown before it begins, and agreed to where it is more than one question. */
import { createInterface } from 'node:readline/promises';
import type { Confidence } from '../../shared/confidence.ts';
import { type ErrorCode, PeagenError } from '../../shared/errors.ts';
import type { RunPlan, SpendPlan } from '../../shared/protocol/runs.ts';
import { plantedText } from '../../shared/words/confidence-words.ts';
import { costText, expectedText, TOO_SMALL, worstText } from '../../shared/words/cost-text.ts';

type Cost = Pick<SpendPlan, 'expected' | 'worst_case'>;

/** What work costs together with its controls. */
export function withControls(work: Cost, control: Cost, times: number): Cost {
  const add = (own: number, each: number) => own + times * each;
  const money = (own: number | null, each: number | null) => (own === null || each === null ? null : add(own, each));
  const { worst_case: worst, expected } = work;
  const worst_case = {
    prompt_tokens: add(worst.prompt_tokens, control.worst_case.prompt_tokens),
    completion_tokens: add(worst.completion_tokens, control.worst_case.completion_tokens),
    dollars: money(worst.dollars, control.worst_case.dollars),
  };
  if (expected === undefined || control.expected === undefined) return { worst_case };
  return {
    worst_case,
    expected: {
      candidates: add(expected.candidates, control.expected.candidates),
      tokens: add(expected.tokens, control.expected.tokens),
      dollars: money(expected.dollars, control.expected.dollars),
    },
  };
}

/** Throws `code` where no user can be asked, and `cancelled` when the answer is not yes. */
export async function agree(
  fact: string,
  question: string,
  yes: boolean,
  { code = 'budget_exceeded', hint = 'Agree with --yes.' }: { code?: ErrorCode; hint?: string } = {},
): Promise<void> {
  if (yes) return;
  if (process.stdin.isTTY !== true) throw new PeagenError(code, fact, { hint });
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${fact} ${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new PeagenError('cancelled', 'Not started.');
}

/** Shows what work costs and asks for agreement, unless it costs nothing. `work`: such as `This run`. */
export async function agreeToSpend(work: string, cost: Cost, question: string, yes: boolean, hint?: string): Promise<void> {
  const text = costText(cost);
  if (text !== undefined) await agree(`${work} ${text}.`, question, yes, hint === undefined ? {} : { hint });
}

/** `all`: what the run costs together with its controls. */
export function planText(plan: RunPlan, all?: string): string {
  const { spec, worst_case: worst, expected } = plan;
  return [
    `target     ${spec.target.path}${spec.target.entry_fn === undefined ? '' : ` (${spec.target.entry_fn})`}`,
    ...(spec.helpers === undefined ? [] : [`as well    ${spec.helpers.join(', ')}, which nothing else uses`]),
    `judged by  ${spec.evaluator.name}, in the ${plan.sandbox.tier} sandbox`,
    ...(spec.confidence === undefined ? [] : [`calls      ${callsText(spec.confidence)}`]),
    `search     ${spec.mutator} mutator, ${spec.selector} selector, seed ${spec.seed}`,
    ...(expected === undefined ? [] : [`expected   ${expectedLine(expected)}`]),
    `at most    ${worst.candidates} candidates, ${worstText(worst)}`,
    ...(all === undefined ? [] : [`controls   with them it ${all}`]),
  ].join('\n');
}

function expectedLine(expected: NonNullable<RunPlan['expected']>): string {
  if (expected.tokens === 0) return `no question: ${TOO_SMALL}`;
  return `about ${expectedText(expected)} for ${expected.candidates} candidates`;
}

/** `3 given, 200 derived, 212 held out; …`: what a match will rest on. */
function callsText(confidence: Confidence): string {
  const { given, derived, heldout, lines, mutants } = confidence;
  return [
    `${given} given, ${derived} derived, ${heldout} held out`,
    ...(lines.of === 0 ? [] : [`${lines.hit} of ${lines.of} lines of the original run`]),
    ...plantedText(mutants),
  ].join('; ');
}
