/** What paid work will cost, in words: shown before it begins, and agreed to where it is more than one question. */
import type { Confidence } from '../../shared/confidence.ts';
import type { RunPlan } from '../../shared/protocol/runs.ts';
import { costText, expectedText, worstText } from '../../shared/words/cost-text.ts';
import { agree } from './propose.ts';

/** With its controls, a run can cost that many times as much. */
export function timesPlan(plan: RunPlan, times: number): RunPlan {
  const { candidates, prompt_tokens: prompt, completion_tokens: completion, dollars, judging_s } = plan.worst_case;
  const worst_case = {
    candidates: times * candidates,
    prompt_tokens: times * prompt,
    completion_tokens: times * completion,
    dollars: dollars === null ? null : times * dollars,
    judging_s: times * judging_s,
  };
  const { expected } = plan;
  const all = expected && {
    candidates: times * expected.candidates,
    tokens: times * expected.tokens,
    dollars: expected.dollars === null ? null : times * expected.dollars,
  };
  return { ...plan, worst_case, ...(all === undefined ? {} : { expected: all }) };
}

export async function agreeToSpend(plan: RunPlan, yes: boolean): Promise<void> {
  const { prompt_tokens: prompt, completion_tokens: completion } = plan.worst_case;
  if (yes || prompt + completion === 0) return;
  await agree(`This run ${costText(plan)}.`, 'Start?', false);
}

export function planText(plan: RunPlan): string {
  const { spec, worst_case: worst, expected } = plan;
  return [
    `target     ${spec.target.path}${spec.target.entry_fn === undefined ? '' : ` (${spec.target.entry_fn})`}`,
    `judged by  ${spec.evaluator.name}, in the ${plan.sandbox.tier} sandbox`,
    ...(spec.confidence === undefined ? [] : [`calls      ${callsText(spec.confidence)}`]),
    `search     ${spec.mutator} mutator, ${spec.selector} selector, seed ${spec.seed}`,
    ...(expected === undefined ? [] : [`expected   about ${expectedText(expected)} for ${expected.candidates} candidates`]),
    `at most    ${worst.candidates} candidates, ${worstText(worst)}`,
  ].join('\n');
}

/** `3 given, 200 derived, 212 held out; …`: what a match will rest on. */
function callsText(confidence: Confidence): string {
  const { given, derived, heldout, lines, mutants } = confidence;
  return [
    `${given} given, ${derived} derived, ${heldout} held out`,
    ...(lines.of === 0 ? [] : [`${lines.hit} of ${lines.of} lines run`]),
    ...(mutants.of === 0 ? [] : [`${mutants.hit} of ${mutants.of} mutants noticed`]),
  ].join('; ');
}
