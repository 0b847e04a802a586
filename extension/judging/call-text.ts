/** How a call is shown to the user. */
import { type Call, showArguments, showBefore } from '../../shared/judging.ts';

/** JSON in one line, with a space after each comma and colon. */
export function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`;
}

/** `(3, [1, 2])`; for a method, the arguments of the constructor come first. */
export function callText(call: Call): string {
  return `${call.init === undefined ? '' : `${showArguments(call.init, spaced)}.`}${showArguments(call, spaced)}${showBefore(call, spaced)}`;
}
