/**
 * The lines of a program that most of its work is done in, from how often each ran: counted by Python line by line
 * (runners/peagen_runner/lines.py), and by V8 for each part of a script. What a line costs each time is taken to be the
 * names, numbers and operators in it, so that work inside built-in functions does not count. Pure.
 */
import * as z from 'zod';
import type { HotLine } from '../../shared/judging.ts';
import type { Program } from '../../shared/program.ts';

const Range = z.object({ startOffset: z.number().int(), endOffset: z.number().int(), count: z.number().min(0) });
/** What an interpreter reports; programs can write there too, so that anything may be in it. */
const LineReport = z.union([
  /** Path, line from 1, times. */
  z.object({ lines: z.array(z.tuple([z.string(), z.number().int(), z.number().min(0)])) }),
  z.object({ result: z.array(z.object({ url: z.string(), functions: z.array(z.object({ ranges: z.array(Range) })) })) }),
]);

/** Lines that are named, and the share of all work below which one is not worth it. */
const [MOST_LINES, LEAST_SHARE] = [5, 0.03];
const MOST_CODE = 160;

/**
 * The most expensive first; none where nothing of the program was counted. `ran`: the texts that the interpreter ran, where types
 * were removed of them.
 */
export function hotLines(
  { files }: Pick<Program, 'files'>,
  reports: readonly unknown[],
  ran = new Map<string, string>(),
): HotLine[] {
  const parsed = reports.flatMap((report) => LineReport.safeParse(report).data ?? []);
  const all = files.flatMap((file) => {
    const counted = new Map<number, { work: number; runs: number }>();
    const add = (line: number, work: number, runs: number): void => {
      const one = counted.get(line) ?? { work: 0, runs: 0 };
      counted.set(line, { work: one.work + work, runs: Math.max(one.runs, runs) });
    };
    const times = new Map<number, number>();
    for (const report of parsed) {
      if ('result' in report) addRanges(file.path, ran.get(file.path) ?? file.text, report.result, add);
      else
        for (const [path, line, count] of report.lines) if (path === file.path) times.set(line, (times.get(line) ?? 0) + count);
    }
    const texts = file.text.split('\n');
    for (const [line, count] of times) add(line, count * tokensOf(texts[line - 1] ?? '').length, count);
    return [...counted].map(([line, { work, runs }]) => ({
      path: file.path,
      line,
      code: texts[line - 1]?.trim() ?? '',
      work,
      runs,
    }));
  });
  const total = all.reduce((sum, { work }) => sum + work, 0);
  return all
    .filter(({ work, code }) => work > 0 && work / total >= LEAST_SHARE && code !== '')
    .sort((a, b) => b.work - a.work || a.line - b.line)
    .slice(0, MOST_LINES)
    .map(({ work, code, ...one }) => ({ ...one, code: code.slice(0, MOST_CODE), share: work / total }));
}

type Scripts = Extract<z.infer<typeof LineReport>, { result: unknown }>['result'];

/** Files that a tool has rewritten before they ran have other offsets, and are left out. */
function addRanges(path: string, text: string, scripts: Scripts, add: (line: number, work: number, runs: number) => void): void {
  const stem = withoutType(path);
  for (const { url, functions } of scripts) {
    if (!withoutType(decodeURI(url)).endsWith(`/${stem}`)) continue;
    const ranges = functions.flatMap((one) => one.ranges);
    const whole = Math.max(0, ...ranges.map(({ endOffset }) => endOffset));
    if (whole < text.length || whole > text.length + MOST_ADDED) continue;
    const counts = new Float64Array(text.length);
    // Inner ranges lie in outer ones, and count instead of them.
    for (const { startOffset, endOffset, count } of ranges.sort(
      (a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset),
    ))
      counts.fill(count, startOffset, endOffset);
    let start = 0;
    for (const [index, line] of text.split('\n').entries()) {
      for (const at of tokensOf(line)) {
        const runs = counts[start + at] ?? 0;
        if (runs > 0) add(index + 1, runs, runs);
      }
      start += line.length + 1;
    }
  }
}

/** The characters that runners add at the end of a file. */
const MOST_ADDED = 200;

/** TypeScript is run as JavaScript, in which everything is where it was. */
const withoutType = (path: string): string => path.replace(/(?:\.[cm]?ts)?\.[cm]?[jt]sx?$/, '');

/** Where the names, numbers and operators of a line begin. */
function tokensOf(line: string): number[] {
  if (/^\s*(?:#|\/\/|\/?\*)/.test(line)) return [];
  return [...line.matchAll(/[\p{L}\d_$]+|[-+*/%<>=!&|^~?]+|[([]/gu)].map(({ index }) => index);
}
