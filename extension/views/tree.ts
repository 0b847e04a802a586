/**
 * The Evolution view's tree: run → elite, or run → niches → elite where the rows are grouped. Children are made when they are
 * looked at, a page of elites at a time; changes are gathered, and the next refresh waits for longer the more the last one cost.
 */
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import type { Peagen } from '../peagen.ts';
import { fileIfNeeded } from '../words.ts';
import type { Arrangement } from './arrange.ts';
import { type EvolutionNode, itemOf } from './nodes.ts';

/** Elites that show at once, and that every *Show more* adds. */
const PAGE = 200;
/** Making rows takes at most this share of the time, as long as the user does not wait too long for them. */
const SHARE = 0.1;
const MIN_WAIT_MS = 100;
const MAX_WAIT_MS = 2000;
/** A daemon that does not answer for this long keeps no row from showing what is known. */
const READY_MS = 2000;

/** What of the window the tree shows, and where it says what went wrong. */
type Shown = Pick<Peagen, 'runs' | 'log' | 'status'>;
type RunNode = Extract<EvolutionNode, { kind: 'run' }>;

/** Different whenever a row of the run reads differently. */
interface Drawn {
  readonly row: string;
  readonly elites: unknown;
}

export class EvolutionTree implements vscode.TreeDataProvider<EvolutionNode>, vscode.Disposable {
  private readonly peagen: Shown;
  private readonly changed = new vscode.EventEmitter<EvolutionNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;
  /** The same object for the same run: VS Code refreshes a row by it. */
  private readonly runNodes = new Map<RunId, RunNode>();
  private readonly shown = new Map<RunId, number>();
  /** Whose elites were looked at. */
  private readonly opened = new Set<RunId>();
  /** What each run's rows showed when they were drawn last. */
  private readonly drawn = new Map<RunId, Drawn>();
  /** Each run's rows as they were made last. */
  private readonly made = new Map<RunId, EvolutionNode[]>();
  private arranged: Arrangement = { sort: 'score', filter: '' };
  private order = '';
  private dirty = new Set<RunId>();
  private all = false;
  private timer: NodeJS.Timeout | undefined;
  private cost = 0;
  private isVisible = false;

  constructor(peagen: Shown) {
    this.peagen = peagen;
    this.subscription = peagen.runs.onDidChange((runs) => {
      for (const run of runs) this.dirty.add(run);
      this.soon();
    });
  }

  get arrangement(): Arrangement {
    return this.arranged;
  }

  set arrangement(arrangement: Arrangement) {
    this.arranged = arrangement;
    this.shown.clear();
    this.redraw();
  }

  /** All rows, also those of runs that have not changed. */
  redraw(): void {
    this.all = true;
    this.soon();
  }

  /** A view that is not visible is not refreshed. */
  set visible(visible: boolean) {
    this.isVisible = visible;
    if (visible) this.soon();
  }

  showMore(run: RunId): void {
    this.shown.set(run, (this.shown.get(run) ?? PAGE) + PAGE);
    this.dirty.add(run);
    this.soon();
  }

  async getChildren(node?: EvolutionNode): Promise<EvolutionNode[]> {
    if (node === undefined) return await this.runs();
    if (node.kind === 'niches') return [...node.elites];
    return node.kind === 'run' ? await this.elitesOf(node) : [];
  }

  getTreeItem(node: EvolutionNode): vscode.TreeItem {
    const { runs } = this.peagen;
    const run = runs.get(node.run);
    if (node.kind !== 'run' || run === undefined) return itemOf(node, run);
    return itemOf(node, run, {
      newest: runs.list()[0] === run,
      file: fileIfNeeded(run, runs.list()),
    });
  }

  private async runs(): Promise<EvolutionNode[]> {
    if (!vscode.workspace.isTrusted) return [];
    const asked = this.peagen.runs.refresh().catch((caught: unknown) => {
      this.peagen.log.error(String(caught));
      this.peagen.status.show({ health: 'error', quiescent: true, message: String(caught) });
    });
    // What comes later changes the order, and with it the whole tree: no folder waits for the daemon of another.
    if (this.peagen.runs.list().length === 0) await this.firstOf(asked);
    this.order = this.newOrder();
    return this.peagen.runs.list().map(({ info: { run } }) => {
      const node = this.runNodes.get(run) ?? { kind: 'run', run };
      this.runNodes.set(run, node);
      return node;
    });
  }

  /** Waits until all folders have answered, or one of them with runs, or as long as rows may wait. */
  private async firstOf(asked: Promise<void>): Promise<void> {
    const some = new Promise<void>((resolve) => {
      const subscription = this.peagen.runs.onDidChange(() => {
        subscription.dispose();
        resolve();
      });
      void asked.then(() => subscription.dispose());
    });
    await within(READY_MS, Promise.race([asked, some]));
  }

  private async elitesOf(node: RunNode): Promise<EvolutionNode[]> {
    const run = this.peagen.runs.get(node.run);
    if (run === undefined) return [];
    this.opened.add(node.run);
    const { eliteRows } = await import('../late.ts');
    const asked = this.peagen.runs.elites(node.run);
    const elites = await within(READY_MS, asked);
    if (elites === undefined) {
      // Rows that are not made yet would keep those of all other runs from showing.
      asked.then(() => this.drawLate(node.run)).catch((caught: unknown) => this.peagen.log.error(String(caught)));
      return this.made.get(node.run) ?? [];
    }
    const started = performance.now();
    const { rows: shown, hidden } = eliteRows(run, elites, this.arranged, this.shown.get(node.run) ?? PAGE);
    const rows = [...Map.groupBy(shown, ({ group }) => group)].flatMap(([range, members]): EvolutionNode[] => {
      const inside = members.map((row) => ({ kind: 'elite' as const, run: node.run, ...row }));
      return range === undefined ? inside : [{ kind: 'niches', run: node.run, range, elites: inside }];
    });
    this.cost = performance.now() - started;
    if (hidden > 0) rows.push({ kind: 'more', run: node.run, hidden });
    this.made.set(node.run, rows);
    return rows;
  }

  private drawLate(run: RunId): void {
    this.drawn.delete(run);
    this.dirty.add(run);
    this.soon();
  }

  private newOrder(): string {
    return this.peagen.runs
      .list()
      .map(({ info }) => info.run)
      .join();
  }

  private soon(): void {
    if (!this.isVisible || this.timer !== undefined) return;
    this.timer = setTimeout(
      () => {
        this.ready().then(() => {
          this.timer = undefined;
          this.refresh();
        });
      },
      Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, this.cost / SHARE)),
    );
  }

  /**
   * What rows are made of is asked for before they are: from a refresh until its rows are there the editor knows no row, and
   * a command of a menu that is open on one would be called without it.
   */
  private async ready(): Promise<void> {
    const missing = [...this.dirty].filter((run) => this.opened.has(run) && this.peagen.runs.get(run)?.elites === undefined);
    if (missing.length === 0) return;
    // A failure here is reported when the rows are made.
    await within(READY_MS, Promise.allSettled(missing.map((run) => this.peagen.runs.elites(run))));
  }

  private refresh(): void {
    const dirty = this.dirty;
    this.dirty = new Set();
    const whole = this.all || this.newOrder() !== this.order;
    this.all = false;
    // A command of a menu that is open on a row that is drawn meanwhile is called without the row: only real changes are drawn.
    const changed = [...dirty].filter((run) => this.hasChanged(run));
    if (whole) this.changed.fire(undefined);
    else for (const run of changed) this.changed.fire(this.runNodes.get(run));
  }

  /** Notes what is drawn now. */
  private hasChanged(id: RunId): boolean {
    const run = this.peagen.runs.get(id);
    const node = this.runNodes.get(id);
    if (run === undefined || node === undefined) return this.drawn.delete(id) || true;
    const { label, description, contextValue } = this.getTreeItem(node);
    const { coverage, qd_score } = run.info.stats;
    // Elites are replaced in place: each that comes is fresh, and moves the archive's figures.
    const row = [label, description, contextValue, run.fresh.size, coverage, qd_score, this.shown.get(id)].join('|');
    const before = this.drawn.get(id);
    this.drawn.set(id, { row, elites: run.elites });
    return before?.row !== row || before.elites !== run.elites;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.changed.dispose();
  }
}

/** What was asked for, when it comes in this time. */
async function within<T>(ms: number, asked: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([asked, delay(ms, undefined, { signal: over.signal })]);
  } finally {
    over.abort();
  }
}
