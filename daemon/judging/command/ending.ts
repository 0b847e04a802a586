/**
 * Distinguishes a command that ran to its end from one that a candidate ended early with success, by what the end writes. What a
 * program prints itself is its own business; what a test runner or a benchmark prints of it is not.
 */
import type { Metrics, Outcome } from '../../../shared/judging.ts';
import type { SandboxExit, SandboxLimits } from '../../executors/sandbox.ts';

export function outcomeOf(exit: SandboxExit, command: string, output: string, limits: SandboxLimits): Outcome {
  const detail = (what: string): string => `${command}: ${what}\n${output}`.slice(0, 8000);
  if (exit.cause === 'timeout')
    return { kind: 'timeout', detail: detail(`took too long: evaluate.timeout is ${limits.wallMs / 1000} s.`) };
  if (exit.cause === 'memory')
    return { kind: 'memory', detail: detail(`ran out of memory: evaluate.memory_mb is ${limits.memoryBytes / 1024 ** 2}.`) };
  if (exit.cause === 'output') return { kind: 'crashed', detail: detail('wrote more output than it may.') };
  if (exit.cause === 'killed')
    return { kind: 'crashed', detail: detail(`was ended by ${exit.signal ?? `status ${exit.code}`}.`) };
  if (exit.code === 0) return { kind: 'correct', detail: '' };
  return { kind: 'wrong', detail: detail(`ended with status ${exit.code}.`) };
}

/** What test runners end with when all is well. A group: how many tests passed. */
const summaries: readonly RegExp[] = [
  // unittest
  /^Ran (\d+) tests? in /,
  /^OK\b(?: \(.*\))?$/,
  // pytest
  /^(?:=+ )?(?:\d+ \w+, )*(\d+) passed\b.* in [\d.]+ ?m?s/,
  // mocha
  /^(\d+) passing \(/,
  // node --test, as TAP and as a user sees it
  /^(?:#|ℹ) pass (\d+)$/,
  // vitest, jest
  /^Tests:? +(?:\d+ \w+[,|] *)*(\d+) passed\b/,
  // cargo
  /^test result: ok\. (\d+) passed;/,
  // go
  /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/,
];

/** Numbers and units differ from run to run. */
const steady = (line: string): string =>
  line
    .replace(/\d[\d.,:]*(\s*(?:ns|µs|us|ms|s|sec|seconds|min|m)\b)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();

const linesOf = (output: string): string[] => output.split('\n').map(steady).filter(Boolean);

/** How many lines are of this kind, and how many tests they count. */
function summed(output: string, summary: RegExp): { readonly lines: number; readonly tests: number } {
  const found = output.split('\n').flatMap((line) => {
    const match = summary.exec(line.trim());
    return match === null ? [] : [Number(match[1] ?? 0)];
  });
  return { lines: found.length, tests: found.reduce((total, count) => total + count, 0) };
}

/**
 * Why the run is not believed; undefined when it may be true. `outputs` are those of the original, `program` its text. A
 * known runner's summary must be there and tell of as many tests. Of other output nothing is known but that the last
 * line which the program does not print itself may not be missing without anything in its place.
 */
export function endedEarly(outputs: readonly string[], own: string, program: string): string | undefined {
  const ends = 'it ended with success, but without what every run of the original ends with';
  const known = summaries.filter((summary) => outputs.length > 0 && outputs.every((output) => summed(output, summary).lines > 0));
  const gone = known.filter((summary) => summed(own, summary).lines === 0);
  if (gone.length > 0) {
    const lines = (outputs[0] ?? '').split('\n').map((line) => line.trim());
    return `${ends}: ${lines
      .filter((line) => gone.some((summary) => summary.test(line)))
      .map(steady)
      .join(' / ')}`;
  }
  for (const summary of known) {
    const tests = Math.min(...outputs.map((output) => summed(output, summary).tests));
    const ran = summed(own, summary).tests;
    if (ran < tests) return `it ran ${ran} tests, the original ${tests}.`;
  }
  if (known.length > 0) return undefined;
  const [first = [], ...others] = outputs.map(linesOf);
  const isForeign = (line: string): boolean => others.every((lines) => lines.includes(line)) && !printedBy(program, line);
  const last = first.findLast(isForeign);
  const written = linesOf(own);
  if (last === undefined || written.includes(last)) return undefined;
  return written.every((line) => first.includes(line)) ? `${ends}: ${last}` : undefined;
}

/** Whether a word of the line stands in the program. */
function printedBy(program: string, line: string): boolean {
  const words = new Set(program.split(/[^\p{L}]+/u));
  return line.split(/[^\p{L}]+/u).some((word) => word.length > 1 && words.has(word));
}

/** What the original reports and the candidate does not, and tests that were left out; undefined when there is nothing. */
export function leftOut(original: Metrics, own: Metrics): string | undefined {
  const missing = Object.keys(original).find((name) => own[name] === undefined);
  if (missing !== undefined) return `it did not report ${missing}, which the original does.`;
  const [tests = 0, ran = 0] = [original['tests'], own['tests']];
  return ran < tests ? `it ran ${ran} tests, the original ${tests}.` : undefined;
}
