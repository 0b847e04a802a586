/** How the command line names what a run did. The editor says the same, in its user's language: extension/words.ts. */
import type { RunInfo, StopReason } from '../../shared/run.ts';

const stopped: Record<StopReason, string> = {
  max_generations: 'all generations done',
  target_ms: 'target reached',
  no_improve: 'no further improvement',
  budget_tokens: 'token budget spent',
  budget_usd: 'dollar budget spent',
  run_timeout: 'time limit reached',
  exhausted: 'search exhausted',
  user: 'stopped',
  failed: 'failed',
};

export function stopText(reason: StopReason): string {
  return stopped[reason];
}

/** `running`, `interrupted`, or why it has ended. */
export function stateText({ state, stopped: reason }: Pick<RunInfo, 'state' | 'stopped'>): string {
  return state === 'finished' && reason !== undefined ? stopped[reason] : state;
}

/** `1 niche`, `3 niches`. */
export function countOf(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

/** `202 candidates, 200 evaluated, 11 correct`. */
export function candidatesText({
  candidates,
  evaluated,
  correct,
}: {
  readonly candidates: number;
  readonly evaluated: number;
  readonly correct: number;
}): string {
  return `${countOf(candidates, 'candidate')}, ${evaluated} evaluated, ${correct} correct`;
}

/** `45 s`, `4 min`, `1 h 30 min`. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours === 0 ? [] : [`${hours} h`]), ...(rest === 0 && hours > 0 ? [] : [`${rest} min`])].join(' ');
}
