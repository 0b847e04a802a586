/** The dashboard's page: holds what it was sent, and draws what of it has changed. */
import type { ToPage } from '../../../../shared/dashboard/messages.ts';
import type { MapCell } from '../../../../shared/dashboard/projection.ts';
import type { LineageView, RunCourse, RunPatch, RunView } from '../../../../shared/dashboard/views.ts';
import type { HistoryPoint } from '../../../../shared/history.ts';
import type { Sha256 } from '../../../../shared/ids.ts';
import type { FabricState } from '../../../../shared/protocol/watch.ts';
import { fill } from '../../../../shared/words/fill.ts';
import { ArchiveMap } from './archive.ts';
import { byId, setText } from './by-id.ts';
import { Frames } from './frames.ts';
import { lazily } from './lazily.ts';
import { eliteText, scoreName, showAlerts, showFabric, showLineage, showTiles } from './parts.ts';
import { language, texts } from './texts.ts';
import { onThemeChange, readTheme } from './theme.ts';
import { openTransport, type PageState } from './transport.ts';

type Graphs = Record<'score' | 'rate' | 'lineage', import('./charts.ts').Graph>;

const times = lazily(() => new Intl.DateTimeFormat(language, { dateStyle: 'short', timeStyle: 'medium' }));
/** The rate's graph looks back so far. */
const RATE_MS = 5 * 60_000;

class Dashboard {
  private readonly transport = openTransport((message) => this.hear(message));
  private readonly archive: ArchiveMap;
  private readonly frames = new Frames({
    runs: () => this.showRuns(),
    head: () => this.showHead(),
    tiles: () => this.showTiles(),
    map: () => this.showMap(),
    scale: () => this.archive.showScale(this.view?.goal ?? null, this.theme),
    score: () => this.showScore(),
    lineage: () => this.showLineage(),
    fabric: () => this.showFabric(),
    rate: () => this.graphs?.rate.showRate(this.rate, this.theme),
  });
  private state: PageState = this.transport.getState() ?? {};
  private theme = readTheme();
  private runs: readonly RunView[] = [];
  /** Belongs to the run that shows. */
  private view: RunView | undefined;
  private history: HistoryPoint[] = [];
  private lineage: LineageView | undefined;
  private fabric: FabricState | undefined;
  private rate: { at: number; rate: number; pending: number }[] = [];
  private graphs: Graphs | undefined;
  private updates = 0;

  constructor() {
    this.archive = new ArchiveMap({
      review: ({ best }) => {
        this.askLineage(best.sha256);
        if (!best.original) this.ask('review', best.sha256);
      },
      lineage: ({ best }) => this.askLineage(best.sha256),
      cross: (a, b) => this.cross(a, b),
      taken: (cell) => this.say(cell === undefined ? '' : fill(texts.crossWith, eliteText(cell.best))),
    });
    byId('runs', HTMLSelectElement).addEventListener('change', ({ target }) => {
      const chosen = this.runs[(target as HTMLSelectElement).selectedIndex];
      if (chosen !== undefined) this.transport.postMessage({ type: 'choose', run: chosen.run });
    });
    for (const at of ['x', 'y'] as const) {
      byId(at, HTMLSelectElement).addEventListener('change', ({ target }) => {
        this.save({ [at]: (target as HTMLSelectElement).value });
        this.archive.turn();
        this.frames.need('map');
      });
    }
    for (const radio of document.querySelectorAll<HTMLInputElement>('input[name=over]')) {
      radio.checked = radio.value === (this.state.over ?? 'generations');
      radio.addEventListener('change', () => {
        this.save({ over: radio.value === 'time' ? 'time' : 'generations' });
        this.frames.need('score');
      });
    }
    for (const what of ['pause', 'continue', 'resume', 'stop'] as const) {
      byId(what, HTMLButtonElement).addEventListener('click', () => {
        if (this.view !== undefined) this.transport.postMessage({ type: 'control', run: this.view.run, what });
      });
    }
    onThemeChange(() => {
      this.theme = readTheme();
      this.frames.need('map', 'score', 'lineage', 'rate');
    });
    // By then what was sent ahead of the page has come.
    addEventListener('load', () => setTimeout(() => this.tellReady(), 0));
    performance.mark('peagen/ready');
  }

  private tellReady(): void {
    const run = this.state.run;
    const shown = this.view?.run;
    this.transport.postMessage({
      type: 'ready',
      ...(run === undefined ? {} : { run }),
      ...(shown === undefined ? {} : { shown }),
    });
  }

  /** The graphs come after the archive has shown itself. */
  private async loadGraphs(): Promise<void> {
    const { graphs } = document.documentElement.dataset;
    const { Graph } = (await import(graphs ?? '')) as typeof import('./charts.ts');
    const graph = (id: string) => new Graph(byId(id, HTMLDivElement));
    this.graphs = { score: graph('score'), rate: graph('rate'), lineage: graph('lineage-chart') };
    this.frames.need('score', 'rate', 'lineage');
  }

  private hear(message: ToPage): void {
    switch (message.type) {
      case 'runs':
        this.runs = message.runs;
        this.frames.need('runs', 'head');
        break;
      case 'run':
        this.show(message.course);
        break;
      case 'patch':
        this.patch(message.patch);
        break;
      case 'fabric':
        this.hearFabric(message.state);
        break;
      case 'lineage':
        // Another may have been asked for since.
        if (message.lineage.of !== this.state.of) break;
        this.lineage = message.lineage;
        this.frames.need('lineage');
        break;
      case 'said':
        this.say(message.text, message.failed);
    }
  }

  private show(course: RunCourse): void {
    const { view, history } = course;
    const other = this.view?.run !== view.run;
    if (this.state.run !== view.run) this.state = { ...this.state, of: undefined };
    this.view = view;
    this.history = [...history];
    this.archive.take(course, other);
    this.save({ run: view.run });
    if (other) this.recallLineage();
    this.frames.need('map', 'head', 'tiles', 'runs', 'score');
  }

  /** That of the run before goes; what the page remembers of this one comes back. */
  private recallLineage(): void {
    this.lineage = undefined;
    const { of } = this.state;
    if (of !== undefined) this.ask('lineage', of);
    this.frames.need('lineage');
  }

  private patch(patch: RunPatch): void {
    const { view, history, anew } = patch;
    const before = this.view;
    if (before === undefined || before.run !== view.run) return;
    this.view = view;
    if (anew) this.history = [...history];
    else this.history.push(...history);
    this.frames.need('tiles');
    if (before.state !== view.state || before.status !== view.status) this.frames.need('head');
    if (history.length > 0) this.frames.need('score');
    if (patch.elites.length === 0 && patch.gone.length === 0) return;
    this.archive.change(patch);
    this.frames.need('map');
  }

  private hearFabric(state: FabricState): void {
    this.fabric = state;
    const at = Date.parse(state.at);
    const pending = Object.values(state.pending).reduce((sum, count) => sum + count, 0);
    this.rate = this.rate.filter((sample) => at - sample.at < RATE_MS);
    this.rate.push({ at, rate: state.tokens_per_second, pending });
    this.frames.need('fabric', 'rate');
  }

  private showRuns(): void {
    const list = byId('runs', HTMLSelectElement);
    byId('run-choice', HTMLElement).hidden = this.runs.length === 0;
    const names = this.runs.map(({ name, started, status }) => `${name}, ${times().format(new Date(started))}, ${status}`);
    if (names.join('\n') !== [...list.options].map(({ text }) => text).join('\n')) {
      list.replaceChildren(...names.map((name) => new Option(name)));
    }
    list.selectedIndex = this.runs.findIndex(({ run }) => run === this.view?.run);
  }

  private showHead(): void {
    const view = this.view;
    byId('empty', HTMLElement).hidden = this.runs.length > 0 || view !== undefined;
    byId('main', HTMLElement).hidden = this.runs.length === 0 && view === undefined;
    setText('name', view === undefined ? 'Peagen' : view.name);
    setText('status', view === undefined ? '' : `${view.status} · ${view.path}`);
    byId('pause', HTMLElement).hidden = view?.state !== 'running';
    byId('continue', HTMLElement).hidden = view?.state !== 'paused';
    byId('resume', HTMLElement).hidden = view?.state !== 'interrupted';
    byId('stop', HTMLElement).hidden = view?.state !== 'running' && view?.state !== 'paused';
  }

  private showTiles(): void {
    if (this.view === undefined) return;
    showTiles(byId('tiles', HTMLElement), this.view);
    document.documentElement.dataset['updates'] = String(++this.updates);
  }

  private showMap(): void {
    if (this.view === undefined) return;
    this.archive.show(this.state, this.theme);
    this.frames.need('scale');
    if (performance.getEntriesByName('peagen/painted').length > 0) return;
    performance.mark('peagen/painted');
    // After this frame.
    requestAnimationFrame(() => setTimeout(() => void this.loadGraphs(), 0));
  }

  private showScore(): void {
    if (this.view === undefined) return;
    setText('score-title', scoreName(this.view));
    this.graphs?.score.showScore(
      this.history,
      this.state.over ?? 'generations',
      { name: scoreName(this.view), sign: this.view.goal?.sign ?? 1 },
      this.theme,
    );
  }

  private showFabric(): void {
    if (this.fabric === undefined) return;
    showFabric(byId('fabric', HTMLElement), this.fabric);
    showAlerts(byId('alerts', HTMLUListElement), this.fabric.alerts);
  }

  private showLineage(): void {
    const ancestors = this.lineage?.ancestors ?? [];
    byId('lineage-none', HTMLElement).hidden = ancestors.length > 0;
    byId('lineage-chart', HTMLElement).hidden = ancestors.length < 2;
    showLineage(byId('lineage', HTMLOListElement), ancestors, ({ sha256 }) => this.ask('review', sha256));
    if (ancestors.length < 2) return;
    const { name = texts.scoreAxis, sign = 1 } = this.view?.goal ?? {};
    this.graphs?.lineage.showLineage(ancestors, { name, sign }, this.theme);
  }

  private cross(a: MapCell, b: MapCell): void {
    const run = this.view?.run;
    if (run === undefined) return;
    this.say(fill(texts.crossing, eliteText(a.best), eliteText(b.best)));
    this.transport.postMessage({ type: 'cross', run, a: a.best.sha256, b: b.best.sha256 });
  }

  /** Remembered at once: with a review in its place the page is gone before the answer comes. */
  private askLineage(of: Sha256): void {
    this.save({ of });
    this.ask('lineage', of);
  }

  private ask(type: 'review' | 'lineage', sha256: Sha256): void {
    const run = this.view?.run;
    if (run !== undefined) this.transport.postMessage({ type, run, sha256 });
  }

  private say(text: string, failed = false): void {
    const said = byId('said', HTMLElement);
    said.textContent = text;
    said.classList.toggle('failed', failed);
  }

  private save(change: PageState): void {
    this.state = { ...this.state, ...change };
    this.transport.setState(this.state);
  }
}

new Dashboard();
