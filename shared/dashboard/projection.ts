/**
 * The archive seen along two of its features: which elites share a cell of the heat map, and what its columns and rows
 * stand for. Of a cell's elites the fittest shows. Pure.
 */
import type { FeatureAxis } from '../niche.ts';
import { binLabel } from '../niche-label.ts';
import type { EliteView } from './views.ts';

/** More columns than that cannot be told apart; neighbours are put together. */
export const MAX_COLUMNS = 120;
/** Columns of a feature whose archive has no bins of its own. */
const FREE_COLUMNS = 24;

export interface Cell {
  readonly x: number;
  readonly y: number;
  readonly best: EliteView;
  /** Elites that share it. */
  readonly count: number;
}

export interface Scale {
  readonly count: number;
  /** What a column stands for, in words. */
  label(column: number): string;
  /** The column of an elite; −1 for one that came after the scale was made and lies outside. */
  columnOf(elite: EliteView): number;
}

export interface Projection {
  readonly x: Scale;
  readonly y: Scale;
  /** By `y * x.count + x`. */
  readonly cells: ReadonlyMap<number, Cell>;
  readonly low: number;
  readonly high: number;
}

export function project(elites: Iterable<EliteView>, axes: readonly FeatureAxis[], xAxis: number, yAxis: number): Projection {
  const all = [...elites];
  const x = scaleOf(all, axes, xAxis);
  const y = scaleOf(all, axes, yAxis);
  const cells = new Map<number, Cell>();
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const elite of all) {
    const [column, row] = [x.columnOf(elite), y.columnOf(elite)];
    const key = row * x.count + column;
    const before = cells.get(key);
    const best = before === undefined || elite.fitness > before.best.fitness ? elite : before.best;
    cells.set(key, { x: column, y: row, best, count: (before?.count ?? 0) + 1 });
    low = Math.min(low, elite.fitness);
    high = Math.max(high, elite.fitness);
  }
  return { x, y, cells, low, high };
}

/** The axes along which the elites differ most, at most two, in the archive's order. */
export function widestAxes(elites: readonly EliteView[], axes: number): number[] {
  const binned = elites[0]?.niche.split('/').length === axes;
  const values = ({ niche, features }: EliteView) => (binned ? niche.split('/') : features.map(String));
  const all = elites.map(values);
  const widths = Array.from({ length: axes }, (_, at) => ({ at, width: new Set(all.map((one) => one[at])).size }));
  const widest = widths.filter(({ width }) => width > 1).sort((a, b) => b.width - a.width);
  return widest
    .slice(0, 2)
    .map(({ at }) => at)
    .sort((a, b) => a - b);
}

function scaleOf(elites: readonly EliteView[], axes: readonly FeatureAxis[], at: number): Scale {
  const axis = axes[at];
  if (axis === undefined || elites.length === 0) return { count: 1, label: () => '', columnOf: () => 0 };
  const binned = elites[0]?.niche.split('/').length === axes.length && axes.length > 0;
  return binned ? binnedScale(elites, axis, at) : freeScale(elites, axis, at);
}

/** One column for each bin while they are few, else for each bin that is held, else for some of these. */
function binnedScale(elites: readonly EliteView[], axis: FeatureAxis, at: number): Scale {
  const binOf = ({ niche }: EliteView) => Number(niche.split('/')[at]);
  const held = [...new Set(elites.map(binOf))].sort((a, b) => a - b);
  const [first = 0] = held;
  const last = held.at(-1) ?? first;
  const bins = last - first < MAX_COLUMNS ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : held;
  const each = Math.ceil(bins.length / MAX_COLUMNS);
  const columns = new Map(bins.map((bin, i) => [bin, Math.floor(i / each)]));
  const label = (column: number) => {
    const [from, to] = [bins[column * each], bins[Math.min(bins.length, (column + 1) * each) - 1]];
    if (from === undefined || to === undefined) return '';
    return from === to ? binLabel(from, axis) : `${binLabel(from, axis)} to ${binLabel(to, axis)}`;
  };
  return { count: Math.ceil(bins.length / each), label, columnOf: (elite) => columns.get(binOf(elite)) ?? -1 };
}

function freeScale(elites: readonly EliteView[], axis: FeatureAxis, at: number): Scale {
  const values = elites.map(({ features }) => features[at] ?? 0);
  const low = values.reduce((a, b) => Math.min(a, b));
  const step = (values.reduce((a, b) => Math.max(a, b)) - low) / FREE_COLUMNS;
  if (step === 0) return { count: 1, label: () => `${axis.name} ${round(low)}`, columnOf: () => 0 };
  const unit = axis.unit === '' ? '' : ` ${axis.unit}`;
  return {
    count: FREE_COLUMNS,
    label: (column) => `${axis.name} ${round(low + column * step)}–${round(low + (column + 1) * step)}${unit}`,
    columnOf: ({ features }) => Math.min(FREE_COLUMNS - 1, Math.max(0, Math.floor(((features[at] ?? 0) - low) / step))),
  };
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}
