/** How a call is shown to the user. */
import { type Call, showArguments, showBefore } from '../../shared/judging.ts';
import { spaced } from './example.ts';

/** `(3, [1, 2])`; for a method, the arguments of the constructor come first. */
export function callText(call: Call): string {
  return `${call.init === undefined ? '' : `${showArguments(call.init, spaced)}.`}${showArguments(call, spaced)}${showBefore(call, spaced)}`;
}
