/** Numbers from what a command printed or wrote: JSON, a regular expression, a JUnit report. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { createContext, Script } from 'node:vm';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { MetricSource, Metrics } from '../../../shared/judging.ts';

const Numbers = z.record(z.string(), z.unknown());

/** `files`: the reports that the command wrote, by their path. */
export function metricsFrom(sources: readonly MetricSource[], stdout: string, files: ReadonlyMap<string, string>): Metrics {
  return Object.assign({}, ...sources.map((source) => numbersOf(source, stdout, files)));
}

function numbersOf(source: MetricSource, stdout: string, files: ReadonlyMap<string, string>): Metrics {
  if (source.from === 'json') return jsonMetrics(stdout);
  if (source.from === 'regex') return regexMetric(source.name, source.pattern, stdout);
  return junitMetrics(files.get(source.path) ?? '');
}

/** Describes to a user what the first source without a number lacks; undefined when each has one. */
export function unreported(
  sources: readonly MetricSource[],
  stdout: string,
  files: ReadonlyMap<string, string>,
): string | undefined {
  const source = sources.find((each) => Object.keys(numbersOf(each, stdout, files)).length === 0);
  if (source === undefined) return undefined;
  if (source.from === 'json') return 'no line of its standard output is a JSON object with numbers';
  if (source.from === 'regex') return `no line of its standard output has a number for ${source.name} by ${source.pattern}`;
  return `${files.has(source.path) ? 'there is no test suite in' : 'it does not write'} the JUnit report ${source.path}`;
}

function jsonMetrics(stdout: string): Metrics {
  for (const line of stdout.split('\n').reverse()) {
    if (!line.trim().startsWith('{')) continue;
    try {
      const found = Numbers.parse(JSON.parse(line));
      return Object.fromEntries(
        Object.entries(found).filter(
          (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
        ),
      );
    } catch {
      // The line looks like JSON and is not.
    }
  }
  return {};
}

/** Throws `invalid_input` on an invalid pattern, and on one that has no group for the number. */
export function compilePattern(pattern: string): RegExp {
  let groups: number;
  try {
    // A match of the empty text shows the number of groups.
    groups = (new RegExp(`${pattern}|`).exec('')?.length ?? 1) - 1;
  } catch (cause) {
    throw new PeagenError('invalid_input', `The metric's pattern "${pattern}" is not a regular expression: ${String(cause)}.`, {
      cause,
    });
  }
  if (groups > 0) return new RegExp(pattern, 'gm');
  throw new PeagenError('invalid_input', `The metric's pattern "${pattern}" has no group for its number.`, {
    hint: 'Put the number into parentheses, such as "([0-9.]+) ms".',
  });
}

/** What a task's pattern may take: some backtrack for ever, and nothing else runs here meanwhile. */
const MOST_PATTERN_MS = 250;

/** The first group of the last match. */
const search = new Script(`
  let last;
  for (const match of text.matchAll(pattern)) last = match[1];
  last;
`);

/** Throws `invalid_input` for a pattern that takes too long. */
function regexMetric(name: string, pattern: string, stdout: string): Metrics {
  const scope = createContext({ pattern: compilePattern(pattern), text: stdout });
  let last: unknown;
  try {
    last = search.runInContext(scope, { timeout: MOST_PATTERN_MS });
  } catch (cause) {
    throw new PeagenError(
      'invalid_input',
      `The metric's pattern "${pattern}" took more than ${MOST_PATTERN_MS} ms on the output.`,
      {
        hint: 'Write it without nested repetitions such as "(a+)+".',
        cause,
      },
    );
  }
  const value = typeof last === 'string' ? Number(last) : Number.NaN;
  return Number.isFinite(value) ? { [name]: value } : {};
}

/** Attributes of the outermost elements only: nested suites repeat what their parents sum up. */
function junitMetrics(xml: string): Metrics {
  const outer = /<testsuites\b[^>]*\btests=[^>]*>/.exec(xml)?.[0];
  const suites = outer === undefined ? [...xml.matchAll(/<testsuite\b[^>]*>/g)].map(([tag]) => tag) : [outer];
  if (suites.length === 0) return {};
  const sum = (name: string): number =>
    suites.reduce((total, tag) => total + Number(new RegExp(`\\b${name}="([\\d.]+)"`).exec(tag)?.[1] ?? 0), 0);
  return { tests: sum('tests'), failures: sum('failures') + sum('errors'), test_ms: sum('time') * 1000 };
}

/** Characters of an excerpt: of each line, and of its two ends. */
const MOST_LINE = 400;
const [MOST_HEAD, MOST_TAIL] = [700, 1700];

/**
 * A failure is reported at the end, or at the start of what it prints at great length; two lists of ten thousand numbers that
 * differ would leave no room for where they do.
 */
export function excerptOf(text: string): string {
  const lines = text.split('\n').map((line) => (line.length > MOST_LINE ? ends(line, MOST_LINE / 2, MOST_LINE / 2) : line));
  const short = lines.join('\n');
  return short.length > MOST_HEAD + MOST_TAIL ? ends(short, MOST_HEAD, MOST_TAIL, '\n') : short;
}

const ends = (text: string, head: number, tail: number, gap = ''): string =>
  `${text.slice(0, head)}${gap} … ${gap}${text.slice(-tail)}`;

/** Paths as the user knows them: where the copy lies is of no use. Without colours, which are noise in a prompt. */
export function readable(text: string, folders: readonly string[]): string {
  const plain = stripVTControlCharacters(text);
  const places = folders.flatMap((place) => [`file://${place}`, place]);
  return places.reduce((left, place) => left.replaceAll(`${place}/`, '').replaceAll(place, '.'), plain);
}
