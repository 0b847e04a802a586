/** Numbers from what a command printed or wrote: JSON, a regular expression, a JUnit report. Pure. */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { MetricSource, Metrics } from '../../../shared/judging.ts';

const Numbers = z.record(z.string(), z.unknown());

/** `files` answers the text of a report in the copy, or undefined. */
export function metricsFrom(sources: readonly MetricSource[], stdout: string, files: ReadonlyMap<string, string>): Metrics {
  const metrics: Metrics = {};
  for (const source of sources) {
    if (source.from === 'json') Object.assign(metrics, jsonMetrics(stdout));
    else if (source.from === 'regex') Object.assign(metrics, regexMetric(source.name, source.pattern, stdout));
    else Object.assign(metrics, junitMetrics(files.get(source.path) ?? ''));
  }
  return metrics;
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
      // A line that only looks like JSON.
    }
  }
  return {};
}

/** Throws `invalid_input` on a pattern that is none. */
export function compilePattern(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'gm');
  } catch (cause) {
    throw new PeagenError('invalid_input', `The metric's pattern "${pattern}" is no regular expression: ${String(cause)}.`, {
      cause,
    });
  }
}

function regexMetric(name: string, pattern: string, stdout: string): Metrics {
  const last = [...stdout.matchAll(compilePattern(pattern))].at(-1);
  const value = Number(last?.[1] ?? Number.NaN);
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
