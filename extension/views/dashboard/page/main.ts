/** The dashboard's page: holds what it was sent, and draws once a frame what has changed. */
import type { ToPage } from '../../../../shared/dashboard/messages.ts';
import { type Cell, type Projection, project, widestAxes } from '../../../../shared/dashboard/projection.ts';
import { fill } from '../../../../shared/dashboard/texts.ts';
import type { EliteView, LineageView, RunCourse, RunPatch, RunView } from '../../../../shared/dashboard/views.ts';
import type { HistoryPoint } from '../../../../shared/history.ts';
import type { Sha256 } from '../../../../shared/ids.ts';
import type { FeatureAxis } from '../../../../shared/niche.ts';
import type { FabricState } from '../../../../shared/protocol/watch.ts';
import { byId } from './by-id.ts';
import { HeatMap } from './heatmap.ts';
import { cellText, eliteText, showAlerts, showFabric, showLineage, showTiles } from './parts.ts';
import { texts } from './texts.ts';
import { onThemeChange, readTheme } from './theme.ts';
import { openTransport, type PageState } from './transport.ts';

type Graphs = Record<'score' | 'rate' | 'lineage', import('./charts.ts').Graph>;

/** Of the run that shows. */
interface Course {
  view: RunView;
  readonly axes: readonly FeatureAxis[];
  readonly elites: Map<Sha256, EliteView>;
  history: HistoryPoint[];
}

/** Between two drawings of the score's graph. */
const SCORE_MS = 250;
/** The rate's graph looks back so far. */
const RATE_MS = 5 * 60_000;

const pieces = ['head', 'tiles', 'score', 'map', 'lineage', 'fabric', 'rate'] as const;
type Piece = (typeof pieces)[number];

class Dashboard {
  readonly #transport = openTransport((message) => this.#hear(message));
  readonly #map: HeatMap;
  #state: PageState = this.#transport.getState() ?? {};
  #theme = readTheme();
  #runs: readonly RunView[] = [];
  #course: Course | undefined;
  #projection: Projection | undefined;
  /** The two features that show unless others are chosen; found once there is something to tell them by. */
  #widest: readonly number[] = [];
  #lineage: LineageView | undefined;
  #fabric: FabricState | undefined;
  #rate: { at: number; rate: number; pending: number }[] = [];
  #graphs: Graphs | undefined;
  #dirty = new Set<Piece>();
  #scoreShown = Number.NEGATIVE_INFINITY;
  #scoreTimer: ReturnType<typeof setTimeout> | undefined;
  #updates = 0;

  constructor() {
    const canvas = byId('map', HTMLCanvasElement);
    this.#map = new HeatMap(canvas, {
      active: (cell, by, at) => this.#active(cell, by, at),
      review: ({ best }) => {
        this.#askLineage(best.sha256);
        if (!best.original) this.#ask('review', best.sha256);
      },
      lineage: ({ best }) => this.#askLineage(best.sha256),
      cross: (a, b) => this.#cross(a, b),
      taken: (cell) => this.#say(cell === undefined ? '' : fill(texts.crossWith, eliteText(cell.best))),
    });
    byId('runs', HTMLSelectElement).addEventListener('change', ({ target }) => {
      const chosen = this.#runs[(target as HTMLSelectElement).selectedIndex];
      if (chosen !== undefined) this.#transport.postMessage({ type: 'choose', run: chosen.run });
    });
    for (const at of ['x', 'y'] as const) {
      byId(at, HTMLSelectElement).addEventListener('change', ({ target }) => {
        this.#save({ [at]: (target as HTMLSelectElement).value });
        this.#map.forget();
        this.#draw('map');
      });
    }
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=over]')) {
      radio.checked = radio.value === (this.#state.over ?? 'generations');
      radio.addEventListener('change', () => {
        this.#save({ over: radio.value === 'time' ? 'time' : 'generations' });
        this.#draw('score');
      });
    }
    for (const what of ['pause', 'continue', 'resume', 'stop'] as const) {
      byId(what, HTMLButtonElement).addEventListener('click', () => {
        if (this.#course !== undefined) this.#transport.postMessage({ type: 'control', run: this.#course.view.run, what });
      });
    }
    onThemeChange(() => {
      this.#theme = readTheme();
      this.#draw(...pieces);
    });
    const { run } = this.#state;
    this.#transport.postMessage(run === undefined ? { type: 'ready' } : { type: 'ready', run });
  }

  /** The graphs come after the page has shown itself. */
  async loadGraphs(): Promise<void> {
    const { Graph } = await import('./charts.ts');
    const graph = (id: string) => new Graph(byId(id, HTMLDivElement));
    this.#graphs = { score: graph('score'), rate: graph('rate'), lineage: graph('lineage-chart') };
    this.#draw('score', 'rate', 'lineage');
  }

  #hear(message: ToPage): void {
    switch (message.type) {
      case 'runs':
        this.#runs = message.runs;
        this.#draw('head');
        break;
      case 'run':
        this.#show(message.course);
        break;
      case 'patch':
        this.#patch(message.patch);
        break;
      case 'fabric':
        this.#hearFabric(message.state);
        break;
      case 'lineage':
        // Another may have been asked for since.
        if (message.lineage.of !== this.#state.of) break;
        this.#lineage = message.lineage;
        this.#draw('lineage');
        break;
      case 'said':
        this.#say(message.text, message.failed);
    }
  }

  #show({ view, axes, elites, history }: RunCourse): void {
    const other = this.#course?.view.run !== view.run;
    if (this.#state.run !== view.run) this.#state = { ...this.#state, of: undefined };
    this.#course = { view, axes, elites: new Map(elites.map((elite) => [elite.sha256, elite])), history: [...history] };
    this.#save({ run: view.run });
    if (other) this.#changedRun();
    this.#draw('head', 'tiles', 'score', 'map');
  }

  /** What belonged to the run before goes; what the page remembers of this one comes back. */
  #changedRun(): void {
    this.#map.forget();
    this.#widest = [];
    this.#lineage = undefined;
    const { of } = this.#state;
    if (of !== undefined) this.#ask('lineage', of);
    this.#draw('lineage');
  }

  #patch({ view, elites, gone, history, anew }: RunPatch): void {
    const course = this.#course;
    if (course === undefined || course.view.run !== view.run) return;
    course.view = view;
    for (const sha256 of gone) course.elites.delete(sha256);
    for (const elite of elites) course.elites.set(elite.sha256, elite);
    if (anew) course.history = [...history];
    else course.history.push(...history);
    this.#draw('head', 'tiles');
    if (history.length > 0) this.#draw('score');
    if (elites.length > 0 || gone.length > 0) this.#draw('map');
  }

  #hearFabric(state: FabricState): void {
    this.#fabric = state;
    const at = Date.parse(state.at);
    const pending = Object.values(state.pending).reduce((sum, count) => sum + count, 0);
    this.#rate = this.#rate.filter((sample) => at - sample.at < RATE_MS);
    this.#rate.push({ at, rate: state.tokens_per_second, pending });
    this.#draw('fabric', 'rate');
  }

  #draw(...what: Piece[]): void {
    if (this.#dirty.size === 0) requestAnimationFrame(() => this.#frame());
    for (const piece of what) this.#dirty.add(piece);
  }

  #frame(): void {
    const dirty = this.#dirty;
    this.#dirty = new Set();
    const [course, graphs, theme] = [this.#course, this.#graphs, this.#theme];
    if (dirty.has('head')) this.#showHead();
    if (dirty.has('fabric') && this.#fabric !== undefined) {
      showFabric(byId('fabric', HTMLElement), this.#fabric);
      showAlerts(byId('alerts', HTMLUListElement), this.#fabric.alerts);
    }
    if (dirty.has('rate')) graphs?.rate.showRate(this.#rate, theme);
    if (dirty.has('lineage')) this.#showLineage();
    if (course === undefined) return;
    if (dirty.has('tiles')) showTiles(byId('tiles', HTMLElement), course.view);
    if (dirty.has('map')) this.#showMap(course);
    if (dirty.has('score') && graphs !== undefined) this.#showScore(graphs, course);
    document.documentElement.dataset['updates'] = String(++this.#updates);
    if (this.#updates === 1) performance.mark('peagen/painted');
  }

  #showHead(): void {
    const view = this.#course?.view;
    byId('empty', HTMLElement).hidden = this.#runs.length > 0 || view !== undefined;
    byId('main', HTMLElement).hidden = view === undefined;
    const list = byId('runs', HTMLSelectElement);
    byId('run-choice', HTMLElement).hidden = this.#runs.length === 0;
    const names = this.#runs.map(({ name, started, status }) => `${name}, ${new Date(started).toLocaleString()}, ${status}`);
    if (names.join('\n') !== [...list.options].map(({ text }) => text).join('\n')) {
      list.replaceChildren(...names.map((name) => new Option(name)));
    }
    list.selectedIndex = this.#runs.findIndex(({ run }) => run === view?.run);
    byId('name', HTMLElement).textContent = view === undefined ? 'Peagen' : view.name;
    byId('status', HTMLElement).textContent = view === undefined ? '' : `${view.status} · ${view.path}`;
    byId('pause', HTMLElement).hidden = view?.state !== 'running';
    byId('continue', HTMLElement).hidden = view?.state !== 'paused';
    byId('resume', HTMLElement).hidden = view?.state !== 'interrupted';
    byId('stop', HTMLElement).hidden = view?.state !== 'running' && view?.state !== 'paused';
  }

  /** A graph of a thousand points takes most of a frame to draw, and looks the same a moment later. */
  #showScore({ score }: Graphs, { history }: Course): void {
    const wait = this.#scoreShown + SCORE_MS - performance.now();
    if (wait > 0) {
      this.#scoreTimer ??= setTimeout(() => {
        this.#scoreTimer = undefined;
        this.#draw('score');
      }, wait);
      return;
    }
    score.showScore(history, this.#state.over ?? 'generations', this.#theme);
    this.#scoreShown = performance.now();
  }

  #showMap({ axes, elites }: Course): void {
    const names = axes.map(({ name }) => name);
    const at = (id: 'x' | 'y', otherwise: number) => {
      const list = byId(id, HTMLSelectElement);
      if (names.join() !== [...list.options].map(({ value }) => value).join()) {
        list.replaceChildren(...names.map((name) => new Option(name)));
      }
      const wanted = names.indexOf(this.#state[id] ?? '');
      list.selectedIndex = wanted >= 0 ? wanted : otherwise;
      return list.selectedIndex;
    };
    // One feature alone makes a single row.
    if (this.#widest.length < 2) this.#widest = widestAxes([...elites.values()], axes.length);
    const [x = 0, y = names.length > 1 ? 1 : -1] = this.#widest;
    const projection = project(elites.values(), axes, at('x', x), at('y', y));
    this.#projection = projection;
    this.#map.show(projection, this.#theme);
    const text = (id: string, value: string) => {
      byId(id, HTMLElement).textContent = value;
    };
    text('x-low', projection.x.label(0));
    text('x-high', projection.x.label(projection.x.count - 1));
    text('y-low', projection.y.label(0));
    text('y-high', projection.y.label(projection.y.count - 1));
    text('scale-low', elites.size === 0 ? '' : fill(texts.score, projection.low.toFixed(2)));
    text('scale-high', elites.size === 0 ? '' : projection.high.toFixed(2));
    const label = fill(texts.mapLabel, elites.size, projection.cells.size);
    byId('map', HTMLElement).setAttribute('aria-label', label);
    const bar = byId('scale-bar', HTMLCanvasElement);
    const context = bar.getContext('2d');
    const step = bar.width / this.#theme.ramp.length;
    for (const [i, color] of this.#theme.ramp.entries()) {
      if (context === null) break;
      context.fillStyle = color;
      context.fillRect(i * step, 0, step, bar.height);
    }
  }

  #showLineage(): void {
    const ancestors = this.#lineage?.ancestors ?? [];
    byId('lineage-none', HTMLElement).hidden = ancestors.length > 0;
    byId('lineage-chart', HTMLElement).hidden = ancestors.length < 2;
    showLineage(byId('lineage', HTMLOListElement), ancestors, ({ sha256 }) => this.#ask('review', sha256));
    if (ancestors.length >= 2) this.#graphs?.lineage.showLineage(ancestors, this.#theme);
  }

  #active(cell: Cell | undefined, by: 'pointer' | 'keys', { x, y }: { x: number; y: number }): void {
    const tip = byId('tip', HTMLDivElement);
    tip.hidden = cell === undefined;
    if (cell === undefined || this.#projection === undefined) return;
    tip.textContent = cellText(cell, this.#projection);
    const map = byId('map', HTMLElement);
    const right = Math.max(0, Math.min(x + 14, map.clientWidth - tip.offsetWidth));
    tip.style.left = `${right}px`;
    tip.style.top = `${map.offsetTop + (y + 16 + tip.offsetHeight > map.clientHeight ? y - tip.offsetHeight - 8 : y + 16)}px`;
    // Spoken only for the keyboard: a pointer would make it speak without end.
    if (by === 'keys') byId('map-cell', HTMLElement).textContent = tip.textContent.replaceAll('\n', ' · ');
  }

  #cross(a: Cell, b: Cell): void {
    const run = this.#course?.view.run;
    if (run === undefined) return;
    this.#say(fill(texts.crossing, eliteText(a.best), eliteText(b.best)));
    this.#transport.postMessage({ type: 'cross', run, a: a.best.sha256, b: b.best.sha256 });
  }

  /** Remembered at once: with a review in its place the page is gone before the answer comes. */
  #askLineage(of: Sha256): void {
    this.#save({ of });
    this.#ask('lineage', of);
  }

  #ask(type: 'review' | 'lineage', sha256: Sha256): void {
    const run = this.#course?.view.run;
    if (run !== undefined) this.#transport.postMessage({ type, run, sha256 });
  }

  #say(text: string, failed = false): void {
    const said = byId('said', HTMLElement);
    said.textContent = text;
    said.classList.toggle('failed', failed);
  }

  #save(change: PageState): void {
    this.#state = { ...this.#state, ...change };
    this.#transport.setState(this.#state);
  }
}

const dashboard = new Dashboard();
// After the first frame.
requestAnimationFrame(() => setTimeout(() => void dashboard.loadGraphs(), 0));
