/** How much longer a run can take, from what it has done so far. Pure. */
import type { RunInfo } from '../run.ts';

/** In seconds, at most; undefined before the first generation of a run without a time limit. */
export function secondsLeft(
  {
    started_at,
    generation,
    max_generations,
    run_timeout,
  }: Pick<RunInfo, 'started_at' | 'generation' | 'max_generations' | 'run_timeout'>,
  nowMs: number,
): number | undefined {
  const elapsed = Math.max(0, (nowMs - Date.parse(started_at)) / 1000);
  const bounds = [
    ...(run_timeout === undefined ? [] : [run_timeout - elapsed]),
    ...(generation === 0 ? [] : [(elapsed / generation) * (max_generations - generation)]),
  ];
  return bounds.length === 0 ? undefined : Math.max(0, Math.min(...bounds));
}
