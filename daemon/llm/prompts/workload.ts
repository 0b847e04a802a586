/**
 * How the programs of a run are judged, as a model reads it: the calls that are timed by shape and size, or the command,
 * or what the evaluator says about itself. Held-out calls are never shown. Pure.
 */
import { CommandOptions, type EvaluatorSpec, FunctionOptions } from '../../../shared/judging.ts';
import type { MutatePayload } from '../../../shared/payloads.ts';
import { describeCall } from './shapes.ts';

/** Timed calls that are described. */
const TIMED = 6;
/** Other calls that are described. */
const OTHERS = 3;

/** What each evaluator that was described says: the questions of a run are about the same one. */
const described = new WeakMap<EvaluatorSpec, readonly string[]>();

/** Paragraphs and list items, in order; none when nothing is known. */
export function workloadOf({ next, asking }: MutatePayload): string[] {
  const about = asking?.about === undefined || asking.about === '' ? [] : [`The evaluator's own description:\n${asking.about}`];
  if (next === undefined) return about;
  const { evaluator } = next.basis;
  const own = described.get(evaluator) ?? evaluatorText(evaluator);
  described.set(evaluator, own);
  return [...own, ...about];
}

function evaluatorText({ name, options }: EvaluatorSpec): string[] {
  if (name === 'command') return commandText(options);
  const parsed = FunctionOptions.safeParse(options).data;
  return parsed === undefined ? [] : functionText(parsed);
}

function functionText({ entry, calls, derived, tolerance }: FunctionOptions): string[] {
  const bySize = calls.map((call) => ({ call, size: JSON.stringify(call).length })).sort((a, b) => b.size - a.size);
  const timed = bySize
    .slice(0, TIMED)
    .map(({ call }) => call)
    .map((call) => `- \`${describeCall(entry.fn, call)}\``);
  const more = calls.length > TIMED ? [`- and ${calls.length - TIMED} smaller ones`] : [];
  const others = derived.slice(0, OTHERS).map((call) => `\`${describeCall(entry.fn, call)}\``);
  const exact = tolerance.rel === 0 && tolerance.abs === 0 ? 'exactly' : `within a relative tolerance of ${tolerance.rel}`;
  return [
    [
      `The time of one pass over ${calls.length === 1 ? 'this call' : 'these calls'} is measured${calls.length > 1 ? ', the largest first' : ''}:`,
      ...timed,
      ...more,
    ].join('\n'),
    `Results, exceptions and changed arguments are compared with the original's, numbers ${exact}${
      others.length === 0 ? '' : `, also on other calls such as ${others.join(', ')}`
    }.`,
  ];
}

function commandText(options: unknown): string[] {
  const parsed = CommandOptions.safeParse(options);
  if (!parsed.success) return [];
  const { command, metrics } = parsed.data;
  const names = metrics.flatMap((source) => (source.from === 'regex' ? [`\`${source.name}\``] : []));
  const read = names.length === 0 ? '' : ` Its output reports ${names.join(', ')}.`;
  return [
    `The program is judged by running \`${command}\` in a copy of its folder. Exit status 0 means that it is correct.${read}`,
  ];
}
