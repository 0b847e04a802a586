/** Where the time of a pass goes among its calls, as text for the next prompt. Pure. */
import type { FunctionOptions } from '../../../shared/judging.ts';
import { type Observed, showCall } from './correctness.ts';

/** Calls that are named, the most expensive first. */
const SHOWN = 5;

/** One artifact, or none when there is only one call and nothing to compare. */
export function perCallArtifacts(
  { entry, calls }: FunctionOptions,
  { perCall }: Pick<Observed, 'perCall'>,
  counted: boolean,
): Record<string, string> {
  const values = perCall.map(({ ms, cost }) => (counted ? cost : ms));
  const total = values.reduce((sum, value) => sum + value, 0);
  if (calls.length < 2 || total === 0) return {};
  const ranked = values.map((value, index) => ({ value, index })).sort((a, b) => b.value - a.value || a.index - b.index);
  const lines = ranked.slice(0, SHOWN).flatMap(({ value, index }) => {
    const call = calls[index];
    const amount = counted ? `${value.toLocaleString('en')} operations` : `${Number(value.toPrecision(3))} ms`;
    return call === undefined
      ? []
      : [`${showCall(entry.fn, call)}: ${amount}, ${Math.round((100 * value) / total)} % of all calls`];
  });
  return { [counted ? 'operations per call' : 'time per call']: lines.join('\n') };
}
