/** Describes to a user what the original did on each call. */
import type { FunctionOptions } from '../../../shared/judging.ts';
import { type CallOutput, type CallOutputs, MOST_OUTPUTS } from '../../../shared/protocol/runs.ts';
import type { CallResult } from './result.ts';
import { show, type Value } from './values.ts';

/** `results`: those of all calls, in the order in which they run. */
export function shownOutputs({ calls, derived, heldout }: FunctionOptions, results: readonly CallResult[]): CallOutputs {
  const [visible, hidden] = [calls.length + derived.length, calls.length + derived.length + heldout.length];
  const shown = (from: number, to?: number): CallOutput[] => results.slice(from, to).slice(0, MOST_OUTPUTS).map(outputOf);
  return {
    calls: shown(0, calls.length),
    derived: shown(calls.length, visible),
    heldout: shown(visible, hidden),
    longer: shown(hidden),
  };
}

function outputOf({ value, raised, args }: CallResult): CallOutput {
  return {
    ...(raised === undefined ? { returned: show(value ?? null) } : { raised }),
    ...(args === undefined ? {} : { args: showLeft(args) }),
  };
}

/** Runners report what is left in the arguments as a pair: by position, and by name. */
function showLeft(left: Value): string {
  const pair = Array.isArray(left) ? left : typeof left === 'object' && left !== null ? left['tuple'] : undefined;
  const [args = left, named = null] = Array.isArray(pair) ? pair : [];
  return show(named) === '{}' ? show(args) : show(left);
}
