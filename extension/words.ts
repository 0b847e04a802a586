/** How runs and elites are named wherever a person reads of them. */
import type { Elite } from '../shared/niche.ts';
import type { RunInfo, StopReason } from '../shared/run.ts';

/** `4.32×`. */
export function times(factor: number): string {
  return `${factor >= 100 ? factor.toFixed(0) : factor.toFixed(2)}×`;
}

/**
 * `4.32× faster`, `as fast`, `1.20× slower`: what is certain, the near end of the interval. The score when the evaluator
 * measures no speed.
 */
export function speedOf({ metrics, fitness }: Pick<Elite, 'metrics' | 'fitness'>): string {
  const { speedup } = metrics;
  if (speedup === undefined) return `score ${Number(fitness.toPrecision(4))}`;
  const { speedup_low: low = speedup, speedup_high: high = speedup } = metrics;
  if (low >= 1.005) return `${times(low)} faster`;
  return high <= 0.995 ? `${times(1 / high)} slower` : 'as fast';
}

/** `4.32× faster (4.10 to 4.51), 1.2 ms, 310 KB`: what of it was measured. */
export function metricsLine({ metrics, fitness }: Pick<Elite, 'metrics' | 'fitness'>): string {
  const { speedup_low: low, speedup_high: high, speed_ms: ms, peak_kb: kb } = metrics;
  const interval = low !== undefined && high !== undefined ? ` (${low.toFixed(2)} to ${high.toFixed(2)})` : '';
  return [
    speedOf({ metrics, fitness }) + interval,
    ms === undefined ? '' : `${Number(ms.toPrecision(3))} ms`,
    kb === undefined ? '' : `${Math.round(kb)} KB`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

export function targetName({ target }: Pick<RunInfo, 'target'>): string {
  return target.entry_fn ?? target.path.split('/').at(-1) ?? target.path;
}

const stopped: Record<StopReason, string> = {
  max_generations: 'all generations done',
  target_ms: 'target reached',
  no_improve: 'no further improvement',
  budget_tokens: 'token budget spent',
  run_timeout: 'time is up',
  exhausted: 'nothing new to try',
  user: 'stopped',
  failed: 'failed',
};

export function stateOf(info: RunInfo): string {
  if (info.state === 'finished') return info.stopped === undefined ? 'finished' : stopped[info.stopped];
  return info.state;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Of two whole texts, the one for this count. */
export function byCount(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
