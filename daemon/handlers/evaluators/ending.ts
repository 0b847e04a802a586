/** Tells a command that ran to its end from one that a candidate ended early with success: by what the end writes. */
import type { Metrics } from '../../../shared/judging.ts';

/** Of the lines that each run of the original writes, the last ones, which come after the candidate was loaded. */
const LAST = 2;

/** Numbers and units differ from run to run. */
const steady = (line: string): string =>
  line
    .replace(/\d[\d.,:]*(\s*(?:ns|µs|us|ms|s|sec|seconds|min|m)\b)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();

const linesOf = (output: string): string[] => output.split('\n').map(steady).filter(Boolean);

/**
 * Why the run is not believed; undefined when it is, also where the original's runs have no line in common. `outputs` are
 * those of the original.
 */
export function endedEarly(outputs: readonly string[], own: string): string | undefined {
  const [first = [], ...others] = outputs.map(linesOf);
  const last = first.filter((line) => others.every((lines) => lines.includes(line))).slice(-LAST);
  const written = new Set(linesOf(own));
  if (last.length === 0 || last.some((line) => written.has(line))) return undefined;
  return `it ended with success, but without what every run of the original ends with: ${last.join(' / ')}`;
}

/** What the original reports and the candidate does not, and tests that were left out; undefined when there is nothing. */
export function leftOut(original: Metrics, own: Metrics): string | undefined {
  const missing = Object.keys(original).find((name) => own[name] === undefined);
  if (missing !== undefined) return `it did not report ${missing}, which the original does.`;
  const [tests = 0, ran = 0] = [original['tests'], own['tests']];
  return ran < tests ? `it ran ${ran} tests, the original ${tests}.` : undefined;
}
