/**
 * Dates as values: of JavaScript `{date: milliseconds since 1970}`, of Python `{date: "2024-03-01"}` and
 * `{datetime: "2024-03-01T08:30:00"}`; and Python's `{decimal: "1.25"}`. Pure.
 */
import type { Random } from '../../../random.ts';
import type { Value } from '../../function/values.ts';

const DAY_MS = 86_400_000;
/** Ends of months and years, a leap day, noon and midnight, two days of one week. */
const times = ['2024-03-01T00:00:00', '2024-02-29T23:59:59', '2023-12-31T12:00:00', '2024-03-04T08:30:00', '1999-01-31T00:00:00'];
/** Steps to others: a second, an hour, days that cross a week, a month and a year. */
const stepsMs = [1000, 3_600_000, DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 31 * DAY_MS, 365 * DAY_MS];

export const decimals: readonly Value[] = ['1.25', '0', '19.99', '0.005', '-3.10'].map((decimal) => ({ decimal }));

/** Examples of a date by the name of its type: `Date` of JavaScript, `date` and `datetime` of Python. */
export function moments(name: 'Date' | 'date' | 'datetime'): Value[] {
  return times.map((time) => momentAt(name, Date.parse(`${time}Z`)));
}

function momentAt(name: 'Date' | 'date' | 'datetime', ms: number): Value {
  const text = new Date(ms).toISOString();
  if (name === 'Date') return { date: ms };
  return name === 'date' ? { date: text.slice(0, 10) } : { datetime: text.slice(0, 19) };
}

/** Other dates that are a step away, other decimals; none for what is neither. */
export function momentVariants(value: Value, random: Random): Value[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const [tag = '', held = null] = Object.entries(value)[0] ?? [];
  if (tag === 'decimal') return [2, 2, 3].map((digits) => ({ decimal: ((random.int(200_000) - 50_000) / 1000).toFixed(digits) }));
  if (!/^date(?:time)?$/.test(tag)) return [];
  const ms = typeof held === 'number' ? held : Date.parse(tag === 'date' ? String(held) : `${held}Z`);
  const name = typeof held === 'number' ? 'Date' : tag === 'date' ? 'date' : 'datetime';
  if (!Number.isFinite(ms)) return [];
  return random.shuffle(stepsMs.flatMap((step) => [ms + step, ms - step])).map((other) => momentAt(name, other));
}
