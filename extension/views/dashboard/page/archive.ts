/** The archive's part of the page: the heat map, which two features it shows, and what they mean. */
import { type MapCell, Projection, widestAxes } from '../../../../shared/dashboard/projection.ts';
import type { EliteView, RunCourse, RunPatch, RunView } from '../../../../shared/dashboard/views.ts';
import type { Sha256 } from '../../../../shared/ids.ts';
import type { FeatureAxis } from '../../../../shared/niche.ts';
import { fill } from '../../../../shared/words/fill.ts';
import { byId, setText } from './by-id.ts';
import { HeatMap, type HeatMapEvents } from './heatmap.ts';
import { lazily } from './lazily.ts';
import { cellText } from './parts.ts';
import { language, texts } from './texts.ts';
import type { Theme } from './theme.ts';
import type { PageState } from './transport.ts';

const score = lazily(() => new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }));

/** The features that a user has chosen, by name. */
type Chosen = Pick<PageState, 'x' | 'y'>;

export class ArchiveMap {
  private readonly map: HeatMap;
  private axes: readonly FeatureAxis[] = [];
  private elites = new Map<Sha256, EliteView>();
  private projection: Projection | undefined;
  /** The two features that show unless others are chosen; found once there is something to tell them by. */
  private widest: readonly number[] = [];
  private theme: Theme | undefined;

  constructor(events: Omit<HeatMapEvents, 'active'>) {
    const active: HeatMapEvents['active'] = (cell, by, at) => this.active(cell, by, at);
    this.map = new HeatMap(byId('map', HTMLCanvasElement), { ...events, active });
  }

  /** A run as a whole; `other`: not the one before. */
  take({ axes, elites }: RunCourse, other: boolean): void {
    if (other) {
      this.map.forget();
      this.widest = [];
    }
    this.axes = axes;
    this.elites = new Map(elites.map((elite) => [elite.sha256, elite]));
    this.projection = undefined;
  }

  change({ elites, gone }: RunPatch): void {
    for (const sha256 of gone) this.elites.delete(sha256);
    for (const elite of elites) this.elites.set(elite.sha256, elite);
    // While less than two features tell elites apart, a new one may bring the second.
    const fits = this.widest.length === 2 && this.projection?.change(elites, gone) === true;
    if (!fits) this.projection = undefined;
  }

  /** The features to show have changed. */
  turn(): void {
    this.map.forget();
    this.projection = undefined;
  }

  show(chosen: Chosen, theme: Theme): void {
    const projection = this.project(chosen);
    const { x, y } = projection;
    this.map.show(projection, theme);
    setText('x-low', x.label(0));
    setText('x-high', x.count === 1 ? '' : x.label(x.count - 1));
    setText('y-low', y.label(0));
    setText('y-high', y.count === 1 ? '' : y.label(y.count - 1));
    byId('map', HTMLElement).setAttribute('aria-label', fill(texts.mapLabel, this.elites.size, projection.cells.size));
  }

  /** What the colours stand for. */
  showScale(goal: RunView['goal'], theme: Theme): void {
    const projection = this.projection;
    const some = projection !== undefined && this.elites.size > 0;
    const text = (fitness: number) => score().format((goal?.sign ?? 1) * fitness);
    setText(
      'scale-low',
      some ? (goal === null ? fill(texts.score, text(projection.low)) : fill(texts.named, goal.name, text(projection.low))) : '',
    );
    setText('scale-high', some ? text(projection.high) : '');
    if (theme !== this.theme) paintScale(theme);
    this.theme = theme;
  }

  private project(chosen: Chosen): Projection {
    if (this.projection !== undefined) return this.projection;
    const names = this.axes.map(({ name }) => name);
    // One feature alone makes a single row.
    if (this.widest.length < 2) this.widest = widestAxes([...this.elites.values()], names.length);
    const [x = 0, y = names.length > 1 ? 1 : -1] = this.widest;
    const at = (id: 'x' | 'y', otherwise: number) => {
      const list = byId(id, HTMLSelectElement);
      if (names.join() !== [...list.options].map(({ value }) => value).join()) {
        list.replaceChildren(...names.map((name) => new Option(name)));
      }
      const wanted = names.indexOf(chosen[id] ?? '');
      list.selectedIndex = wanted >= 0 ? wanted : otherwise;
      return list.selectedIndex;
    };
    this.projection = new Projection(this.elites.values(), this.axes, at('x', x), at('y', y), texts);
    return this.projection;
  }

  private active(cell: MapCell | undefined, by: 'pointer' | 'keys', { x, y }: { x: number; y: number }): void {
    const tip = byId('tip', HTMLDivElement);
    tip.hidden = cell === undefined;
    if (cell === undefined || this.projection === undefined) return;
    tip.textContent = cellText(cell, this.projection);
    const map = byId('map', HTMLElement);
    const right = Math.max(0, Math.min(x + 14, map.clientWidth - tip.offsetWidth));
    tip.style.left = `${right}px`;
    tip.style.top = `${map.offsetTop + (y + 16 + tip.offsetHeight > map.clientHeight ? y - tip.offsetHeight - 8 : y + 16)}px`;
    // Spoken only for the keyboard: a pointer would make it speak without end.
    if (by === 'keys') byId('map-cell', HTMLElement).textContent = tip.textContent.replaceAll('\n', ' · ');
  }
}

function paintScale({ ramp }: Theme): void {
  const bar = byId('scale-bar', HTMLCanvasElement);
  const context = bar.getContext('2d');
  if (context === null) return;
  const step = bar.width / ramp.length;
  for (const [i, color] of ramp.entries()) {
    context.fillStyle = color;
    context.fillRect(i * step, 0, step, bar.height);
  }
}
