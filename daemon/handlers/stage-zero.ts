/**
 * Stage 0: a type-check or lint command that a candidate must pass before anything else is paid for. It runs in a sandbox,
 * in a copy of the folder that holds the candidate.
 */
import { PeagenError } from '../../shared/errors.ts';
import type { Execution } from '../../shared/judging.ts';
import type { ExecutePayload } from '../../shared/payloads.ts';
import { runOnce } from '../judging/command/command.ts';
import type { EvaluatorContext } from '../judging/evaluator.ts';

/** Undefined for a program that may be judged. Throws `original_fails` when the original does not pass by itself. */
export async function stageZero(
  { check, mode, program }: ExecutePayload,
  context: EvaluatorContext,
): Promise<Execution | undefined> {
  if (check === undefined) return undefined;
  const { outcome, output } = await runOnce(program, { ...check, metrics: [] }, context);
  if (outcome.kind === 'correct') return undefined;
  if (mode === 'basis') {
    throw new PeagenError('original_fails', `The check fails on the original: ${outcome.detail}`, {
      hint: `Make "${check.command}" succeed in ${check.root} first, or remove check under [evaluate].`,
    });
  }
  return { outcome: { kind: 'invalid', detail: outcome.detail }, metrics: {}, artifacts: { output } };
}
