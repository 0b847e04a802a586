/** A table of sales with one line per value of a field and one column per value of another. */

type Value = string | number | boolean | null;
type Sale = { [field: string]: Value };
type Line = { name: string; cells: (number | null)[]; total: number; share: number; trend: string };
type Options = { measure?: string; top?: number; average?: boolean; where?: Sale };
type Report = { columns: string[]; lines: Line[]; totals: number[]; grand: number; left: number };

const NONE = '(none)';

/** Sums or averages a measure; lines beyond the top ones are put together as "Other". */
export function salesPivot(sales: Sale[], rowField: string, columnField: string, options: Options = {}): Report {
  if (rowField === columnField) throw new Error('the two fields must differ');
  const measure = options.measure ?? 'amount';
  const wanted = sales.filter((sale) => matches(sale, options.where ?? {}));
  const usable = wanted.filter((sale) => typeof sale[measure] === 'number');
  const names = unique(usable.map((sale) => label(sale[rowField]))).sort();
  const columns = unique(usable.map((sale) => label(sale[columnField]))).sort();
  const combine = options.average ? average : sum;
  const values = (row: string | null, column: string | null): number[] =>
    usable
      .filter((sale) => row === null || label(sale[rowField]) === row)
      .filter((sale) => column === null || label(sale[columnField]) === column)
      .map((sale) => sale[measure] as number);
  const grand = combine(values(null, null));
  let lines = names.map((name) => {
    const cells = columns.map((column) => {
      const found = values(name, column);
      return found.length > 0 ? round(combine(found)) : null;
    });
    const total = round(combine(values(name, null)));
    return { name, cells, total, share: share(total, grand), trend: trendOf(cells) };
  });
  lines.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const top = options.top ?? 0;
  if (top > 0 && lines.length > top && !options.average) {
    const rest = lines.slice(top);
    const cells = columns.map((_, index) => round(sum(rest.map((line) => line.cells[index] ?? 0))));
    const total = round(sum(rest.map((line) => line.total)));
    lines = [...lines.slice(0, top), { name: 'Other', cells, total, share: share(total, grand), trend: trendOf(cells) }];
  }
  const totals = columns.map((column) => round(combine(values(null, column))));
  return { columns, lines, totals, grand: round(grand), left: wanted.length - usable.length };
}

const label = (value: Value | undefined): string =>
  value === null || value === undefined || value === '' ? NONE : String(value);

const matches = (sale: Sale, where: Sale): boolean => Object.keys(where).every((field) => sale[field] === where[field]);

const unique = (values: string[]): string[] => values.filter((value, index) => values.indexOf(value) === index);

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const average = (values: number[]): number => (values.length > 0 ? sum(values) / values.length : 0);

// The addition turns a negative zero into an ordinary one.
const round = (value: number): number => Math.round(value * 100) / 100 + 0;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10 + 0);

/** Compares the last filled cell with the one before it. */
function trendOf(cells: (number | null)[]): string {
  const filled = cells.filter((cell) => cell !== null);
  if (filled.length < 2) return 'new';
  const change = (filled[filled.length - 1] as number) - (filled[filled.length - 2] as number);
  if (change === 0) return 'level';
  return change > 0 ? 'up' : 'down';
}

export function inputs() {
  let state = 9;
  const roll = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const call = (count: number, products: number, months: number) => {
    const sales = Array.from({ length: count }, () => ({
      product: roll(40) === 0 ? null : `Product ${roll(products) + 1}`,
      month: `2024-${String(roll(months) + 1).padStart(2, '0')}`,
      channel: ['web', 'store', 'phone'][roll(3)],
      amount: roll(50) === 0 ? null : roll(30000) / 100,
    }));
    return [sales, 'product', 'month', { top: 8 }];
  };
  return [call(3, 2, 2), call(40, 5, 4), call(400, 15, 12), call(1800, 30, 12)];
}
