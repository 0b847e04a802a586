/** A line of the daemon's log for the window's own: its level, and its text as a user reads it. */
import * as z from 'zod';

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly text: string;
}

/** As pino writes it: levels are multiples of ten, `fatal` is 60. */
const Line = z.looseObject({ level: z.number(), msg: z.string().default('') });
const Thrown = z.object({ stack: z.string().optional(), message: z.string().optional() });
/** What every line has, and a log of its own says better. */
const OFTEN: readonly string[] = ['level', 'time', 'pid', 'msg', 'err'];

/** What is not a line of the log's own form was written by a process that failed, or by its runtime. */
export function readLogLine(line: string): LogLine | undefined {
  if (line.trim() === '') return undefined;
  const parsed = Line.safeParse(fromJson(line));
  if (!parsed.success) return { level: 'warn', text: line.trimEnd() };
  const { level, msg, err } = parsed.data;
  const fields = Object.entries(parsed.data).filter(([key]) => !OFTEN.includes(key));
  const rest = fields.length === 0 ? '' : ` ${JSON.stringify(Object.fromEntries(fields))}`;
  const thrown = Thrown.safeParse(err).data;
  const cause = thrown?.stack ?? thrown?.message;
  return { level: levelOf(level), text: `${msg}${rest}${cause === undefined ? '' : `\n${cause}`}`.trim() };
}

function levelOf(level: number): LogLine['level'] {
  if (level >= 50) return 'error';
  if (level >= 40) return 'warn';
  return level >= 30 ? 'info' : 'debug';
}

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
