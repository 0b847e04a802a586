/**
 * The archive seen along two of its features: which elites share a cell of the heat map, and what its columns and rows
 * stand for. Of a cell's elites the fittest shows. What changes is taken in without looking at the others again. Pure.
 */

import type { Sha256 } from '../ids.ts';
import type { FeatureAxis } from '../niche.ts';
import { fill } from '../words/fill.ts';
import { binLabel, type RangeTexts } from '../words/niche-label.ts';
import type { EliteView } from './views.ts';

/** More columns than that cannot be told apart; neighbours are put together. */
const MAX_COLUMNS = 120;
/** Columns of a feature whose archive has no bins of its own. */
const FREE_COLUMNS = 24;

export interface MapCell {
  readonly x: number;
  readonly y: number;
  readonly best: EliteView;
  /** Elites that share it. */
  readonly count: number;
}

interface Scale {
  readonly count: number;
  /** What a column stands for, in words. */
  label(column: number): string;
  /** The column of an elite; −1 for one that came after the scale was made and lies outside. */
  columnOf(elite: EliteView): number;
}

/** In the reader's language. */
interface ScaleTexts extends RangeTexts {
  readonly fromTo: string;
}

export class Projection {
  readonly x: Scale;
  readonly y: Scale;
  /** By `y * x.count + x`; those that show. */
  readonly cells: ReadonlyMap<number, MapCell>;
  private readonly shown = new Map<number, MapCell>();
  private readonly members = new Map<number, Map<Sha256, EliteView>>();
  private readonly places = new Map<Sha256, number>();
  private range = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };

  constructor(elites: Iterable<EliteView>, axes: readonly FeatureAxis[], x: number, y: number, texts: ScaleTexts) {
    const all = [...elites];
    this.x = scaleOf(all, axes, x, texts);
    this.y = scaleOf(all, axes, y, texts);
    this.cells = this.shown;
    for (const elite of all) this.put(elite, this.keyOf(elite));
    this.settle(this.members.keys());
  }

  /** The worst and the best score that show. */
  get low(): number {
    return this.range.low;
  }

  get high(): number {
    return this.range.high;
  }

  /**
   * Takes in new and changed elites and lets go of others. False when the scales do not fit any more, because an elite
   * lies outside of them or a cell has become empty: then another projection is to be made.
   */
  change(elites: readonly EliteView[], gone: readonly Sha256[]): boolean {
    if (this.places.size === 0) return false;
    const keys = elites.map((elite) => this.keyOf(elite));
    if (keys.includes(-1)) return false;
    const touched = new Set(keys);
    for (const sha256 of [...gone, ...elites.map((elite) => elite.sha256)]) {
      const key = this.places.get(sha256);
      if (key === undefined) continue;
      this.places.delete(sha256);
      this.members.get(key)?.delete(sha256);
      touched.add(key);
    }
    for (const [i, elite] of elites.entries()) this.put(elite, keys[i] ?? -1);
    this.settle(touched);
    return [...touched].every((key) => this.shown.has(key));
  }

  private keyOf(elite: EliteView): number {
    const [column, row] = [this.x.columnOf(elite), this.y.columnOf(elite)];
    return column < 0 || row < 0 ? -1 : row * this.x.count + column;
  }

  private put(elite: EliteView, key: number): void {
    const here = this.members.get(key);
    if (here === undefined) this.members.set(key, new Map([[elite.sha256, elite]]));
    else here.set(elite.sha256, elite);
    this.places.set(elite.sha256, key);
  }

  /** What shows of the cells in which something changed. */
  private settle(keys: Iterable<number>): void {
    for (const key of keys) {
      let best: EliteView | undefined;
      const here = this.members.get(key);
      for (const elite of here?.values() ?? []) if (best === undefined || elite.fitness > best.fitness) best = elite;
      const [x, y] = [key % this.x.count, Math.floor(key / this.x.count)];
      if (best === undefined) this.shown.delete(key);
      else this.shown.set(key, { x, y, best, count: here?.size ?? 1 });
    }
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { best } of this.shown.values()) {
      low = Math.min(low, best.fitness);
      high = Math.max(high, best.fitness);
    }
    this.range = { low, high };
  }
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

function scaleOf(elites: readonly EliteView[], axes: readonly FeatureAxis[], at: number, texts: ScaleTexts): Scale {
  const axis = axes[at];
  if (axis === undefined || elites.length === 0) return { count: 1, label: () => '', columnOf: () => 0 };
  const binned = elites[0]?.niche.split('/').length === axes.length && axes.length > 0;
  return binned ? binnedScale(elites, axis, at, texts) : freeScale(elites, axis, at);
}

/** The number at that place of a niche. Of thousands of elites: the others are not looked at. */
function binAt(niche: string, at: number): number {
  let from = 0;
  for (let i = 0; i < at; i++) {
    from = niche.indexOf('/', from) + 1;
    if (from === 0) return Number.NaN;
  }
  const to = niche.indexOf('/', from);
  return Number(to < 0 ? niche.slice(from) : niche.slice(from, to));
}

/** One column for each bin while they are few, else for each bin that is held, else for some of these. */
function binnedScale(elites: readonly EliteView[], axis: FeatureAxis, at: number, texts: ScaleTexts): Scale {
  const binOf = ({ niche }: EliteView) => binAt(niche, at);
  const held = [...new Set(elites.map(binOf))].sort((a, b) => a - b);
  const [first = 0] = held;
  const last = held.at(-1) ?? first;
  const bins = last - first < MAX_COLUMNS ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : held;
  const each = Math.ceil(bins.length / MAX_COLUMNS);
  const columns = new Map(bins.map((bin, i) => [bin, Math.floor(i / each)]));
  const label = (column: number) => {
    const [from, to] = [bins[column * each], bins[Math.min(bins.length, (column + 1) * each) - 1]];
    if (from === undefined || to === undefined) return '';
    return from === to ? binLabel(from, axis, texts) : fill(texts.fromTo, binLabel(from, axis, texts), binLabel(to, axis, texts));
  };
  return { count: Math.ceil(bins.length / each), label, columnOf: (elite) => columns.get(binOf(elite)) ?? -1 };
}

function freeScale(elites: readonly EliteView[], axis: FeatureAxis, at: number): Scale {
  const featureOf = ({ features }: EliteView) => features[at] ?? 0;
  const values = elites.map(featureOf);
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  const outside = (value: number) => value < low || value > high;
  const step = (high - low) / FREE_COLUMNS;
  if (step === 0) {
    const label = `${axis.name} ${round(low)}`;
    return { count: 1, label: () => label, columnOf: (elite) => (outside(featureOf(elite)) ? -1 : 0) };
  }
  const unit = axis.unit === '' ? '' : ` ${axis.unit}`;
  return {
    count: FREE_COLUMNS,
    label: (column) => `${axis.name} ${round(low + column * step)}–${round(low + (column + 1) * step)}${unit}`,
    columnOf: (elite) => {
      const value = featureOf(elite);
      return outside(value) ? -1 : Math.min(FREE_COLUMNS - 1, Math.floor((value - low) / step));
    },
  };
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)));
}
