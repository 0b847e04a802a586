/** `evolve run --dashboard`: a run on the terminal, drawn again where it stands. Elsewhere there is the line of progress. */
import { confirmingText, inGoal, plainGain } from '../../shared/gain.ts';
import type { Elite } from '../../shared/niche.ts';
import { ListElites } from '../../shared/protocol/runs.ts';
import { type FabricState, FabricStatus, WatchFabric } from '../../shared/protocol/watch.ts';
import type { RunEvent, RunInfo } from '../../shared/run.ts';
import { graph, movesBest } from '../../shared/trend.ts';
import { nicheLabel } from '../../shared/words/niche-label.ts';
import type { DaemonClient } from '../client/client.ts';
import { visible } from '../telemetry/visible.ts';
import { type Progress, progressLine } from './progress.ts';

const GRAPH_ROWS = 6;
const ELITES = 5;
/** Milliseconds between two drawings. */
const REDRAW_MS = 250;

interface DashboardState {
  readonly info: RunInfo;
  /** Best first. */
  readonly elites: readonly Elite[];
  readonly fabric: FabricState | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** At most `height` lines of less than `width` characters. */
export function dashboardLines({ info, elites, fabric, now }: DashboardState, width: number, height: number): string[] {
  const { target, tokens, budget_tokens: budget, confirming } = info;
  const spent = (tokens.prompt + tokens.completion).toLocaleString('en');
  const seconds = Math.max(0, Math.round((now - Date.parse(info.started_at)) / 1000));
  const lines = [
    `${target.path}${target.entry_fn === undefined ? '' : ` · ${target.entry_fn}`}   ${info.state}, ${seconds} s`,
    confirming === undefined ? progressLine(info, width, now) : confirmingText(confirming, now),
    `tokens ${spent}${budget === undefined ? '' : ` of ${budget.toLocaleString('en')}`}${fabricText(fabric)}`,
    ...graphOf(info, width),
    ...(elites.length === 0 ? [] : ['', 'best candidates']),
    ...elites.slice(0, ELITES).map((elite) => eliteLine(elite, info)),
    ...(fabric?.alerts ?? []).map(({ summary, fix }) => `! ${summary}: ${fix}`),
  ];
  return lines.slice(0, height).map((line) => visible(line).slice(0, width - 1));
}

function fabricText(fabric: FabricState | undefined): string {
  if (fabric === undefined) return '';
  const waiting = Object.entries(fabric.pending).filter(([, count]) => count > 0);
  const tasks = waiting.length === 0 ? 'nothing waits' : `waiting: ${waiting.map(([kind, n]) => `${n} ${kind}`).join(', ')}`;
  const { live, idle } = fabric.workers;
  return `, ${Math.round(fabric.tokens_per_second)}/s   ${tasks}   workers: ${live} alive, ${idle} idle`;
}

function graphOf(info: RunInfo, width: number): string[] {
  const { trend = [], generation, best } = info;
  const text = (fitness: number | null | undefined) => (fitness == null ? '' : inGoal(info, fitness).toPrecision(4));
  const label = Math.max(10, ...[trend[0]?.[1], best].map((fitness) => text(fitness).length + 2));
  const rows = graph(trend, generation, Math.max(10, Math.min(60, width - label - 4)), GRAPH_ROWS);
  const labels = new Map([
    [0, trend.at(-1)?.[1]],
    [rows.length - 1, trend[0]?.[1]],
  ]);
  const drawn = rows.map((row, i) => `${text(labels.get(i)).padStart(label)} │${row}`);
  return drawn.length === 0 ? [] : ['', `${'best'.padStart(label)}`, ...drawn];
}

/** What it is worth, what it gained by, then where it came from and its niche in words. */
export function eliteLine(
  { fitness, mutator, summary, gained = summary, generation, niche, ...elite }: Elite,
  info: RunInfo,
): string {
  const { ending, ...searching } = info;
  // What was announced is the gain of one elite only.
  const own = ending?.best?.sha256 === elite.sha256 ? { ...searching, ending } : searching;
  const gain = info.goal === undefined ? plainGain({ ...own, best: fitness }) : undefined;
  const worth = elite.index < 0 ? 'original' : (gain ?? inGoal(info, fitness).toPrecision(4));
  const origin = `${mutator}, generation ${generation}, ${nicheLabel(niche, info.axes)}`;
  return `  ${worth.padEnd(13)} ${elite.index < 0 ? '' : `${gained.replaceAll(/\s+/g, ' ')} · `}${origin}`;
}

export class TerminalDashboard implements Progress {
  private readonly client: DaemonClient;
  private elites: readonly Elite[] = [];
  private fabric: FabricState | undefined;
  private info: RunInfo | undefined;
  private stale = true;
  private drawn = 0;
  private readonly ticking: NodeJS.Timeout;

  constructor(client: DaemonClient) {
    this.client = client;
    client.on(FabricStatus, (fabric) => {
      this.fabric = fabric;
    });
    client.request(WatchFabric, { watch: true }).catch(() => undefined);
    this.ticking = setInterval(() => void this.draw(), REDRAW_MS);
  }

  show(event: RunEvent, info: RunInfo): void {
    this.info = info;
    if (movesBest(event)) this.stale = true;
  }

  private async draw(): Promise<void> {
    const { info } = this;
    if (info === undefined) return;
    if (this.stale) {
      this.stale = false;
      this.elites = await this.client.request(ListElites, { run: info.run }).catch(() => this.elites);
    }
    const { columns = 80, rows = 24 } = process.stderr;
    const lines = dashboardLines({ info, elites: this.elites, fabric: this.fabric, now: Date.now() }, columns, rows - 1);
    this.clear();
    process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    this.drawn = lines.length;
  }

  /** Goes up to where the last drawing began, and clears from there on. */
  clear(): void {
    if (this.drawn > 0) process.stderr.write(`\x1b[${this.drawn}A\x1b[J`);
    this.drawn = 0;
  }

  end(): void {
    clearInterval(this.ticking);
    this.clear();
    this.info = undefined;
    this.client.request(WatchFabric, { watch: false }).catch(() => undefined);
  }
}
