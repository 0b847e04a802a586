/** The control of a run (`--baseline`): candidates from the original alone, with the same budget, and the comparison. */
import { newTaskId } from '../../shared/ids.ts';
import { ControlRun } from '../../shared/protocol/runs.ts';
import type { RunSummary, StopReason } from '../../shared/run.ts';
import { followRun } from './follow.ts';
import { say } from './output.ts';
import type { CommandSession } from './session.ts';

/** Candidates from the original alone, within the limits of the search. */
export async function runControl(session: CommandSession, { run }: RunSummary): Promise<RunSummary> {
  say('control: best of n');
  return followRun(session, await session.client.request(ControlRun, { run, requestId: newTaskId() }));
}

export function controlText(search: RunSummary, control: RunSummary): string {
  const of = ({ best }: RunSummary) => best?.speedup ?? 1;
  const tokens = ({ tokens: { prompt, completion } }: RunSummary) => (prompt + completion).toLocaleString('en');
  return [
    `control, best of ${control.evaluated} from the original: ${of(control).toFixed(2)}×, ${tokens(control)} tokens (run ${control.run})`,
    `search over control: ${(of(search) / of(control)).toFixed(2)}×, with ${search.evaluated} candidates and ${tokens(search)} tokens`,
    ...(control.evaluated < search.evaluated ? [`the control judged fewer candidates: ${fewer[control.stopped]}`] : []),
  ].join('\n');
}

/** Why a control has judged less than its search. */
const fewer: Record<StopReason, string> = {
  max_generations: 'what else it made had been made before, or was of no use',
  target_ms: 'it has reached target_ms',
  no_improve: 'it has found nothing better for long',
  budget_tokens: 'what is left of its budget does not pay for another question',
  budget_usd: 'what is left of its budget does not pay for another question',
  run_timeout: 'its time was over',
  exhausted: 'its mutators find nothing new in the original',
  user: 'it was stopped',
  failed: 'it failed',
};
