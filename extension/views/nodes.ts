/** What stands in the Evolution view, and how each row reads. */
import * as vscode from 'vscode';
import type { RunId } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import { isOriginal } from '../../shared/original.ts';
import { sparkline } from '../../shared/trend.ts';
import { describeConfidence } from '../../shared/words/confidence-words.ts';
import { confidenceIcon, confidenceWord, wantsInputs } from '../confidence.ts';
import { mutatorName } from '../origin-words.ts';
import type { WindowRun } from '../runs/runs.ts';
import {
  byCount,
  certainSpeedup,
  figure,
  gainText,
  isConfirming,
  metricsLine,
  resultOf,
  runName,
  speedIn,
  spentOf,
  stateOf,
} from '../words.ts';

interface EliteNode {
  readonly kind: 'elite';
  readonly run: RunId;
  readonly elite: Elite;
  /** The ranges of its niche, where the view knows them. */
  readonly niche?: string;
  /** Those that its row shows. */
  readonly ranges?: string;
}

export type EvolutionNode =
  | { readonly kind: 'run'; readonly run: RunId }
  /** Niches that share a range, and their elites. */
  | { readonly kind: 'niches'; readonly run: RunId; readonly range: string; readonly elites: readonly EliteNode[] }
  | EliteNode
  | { readonly kind: 'more'; readonly run: RunId; readonly hidden: number };

/** Commands of the view get their node as argument; from the palette they get none. */
export function isNode(value: unknown): value is EvolutionNode {
  return typeof value === 'object' && value !== null && 'kind' in value && 'run' in value;
}

/** What a run's row needs to know of the others. */
interface RunPlace {
  /** It shows its elites at once, like those that go on; the others stay folded. */
  readonly newest: boolean;
  /** Told where another run has the same name. */
  readonly file: string;
}

export function itemOf(node: EvolutionNode, run: WindowRun | undefined, place?: RunPlace): vscode.TreeItem {
  switch (node.kind) {
    case 'run':
      return runItem(node.run, run, place);
    case 'niches':
      return nichesItem(node, run);
    case 'elite':
      return eliteItem(node, run);
    case 'more':
      return moreItem(node);
  }
}

const runIcons = { running: 'sync~spin', paused: 'debug-pause', finished: 'pass', interrupted: 'debug-disconnect' } as const;

function runItem(id: RunId, run: WindowRun | undefined, place: RunPlace = { newest: false, file: '' }): vscode.TreeItem {
  const item = new vscode.TreeItem(run === undefined ? id : runName(run), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  if (run === undefined) return item;
  const { info } = run;
  if (place.newest || info.state === 'running' || info.state === 'paused')
    item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
  const score = gainText(info);
  // What the search saw and the end did not confirm is not a gain.
  const trend = info.ending?.best === null ? '' : sparkline(info.trend ?? [], info.generation);
  const progress = info.state === 'finished' ? '' : vscode.l10n.t('generation {0} of {1}', info.generation, info.max_generations);
  // With several folders, says which one it is in.
  const folder = (vscode.workspace.workspaceFolders ?? []).length > 1 ? folderName(run.root) : '';
  const result = info.ending?.best ?? null;
  const confidence = result === null ? undefined : (result.confidence ?? info.confidence);
  const worth = confidenceWord(confidence);
  const state = stateOf(info, isConfirming(run));
  item.description = joined([folder, place.file, score, worth, state, trend, progress]);
  item.iconPath =
    info.stopped === 'failed'
      ? new vscode.ThemeIcon('error')
      : confidence === undefined
        ? new vscode.ThemeIcon(runIcons[info.state])
        : confidenceIcon(confidence);
  item.contextValue = `run.${info.state}${wantsInputs(confidence) ? '.few' : ''}`;
  item.tooltip = new vscode.MarkdownString(
    [
      vscode.l10n.t('**{0}** in {1}', runName(run), info.target.path),
      ...(info.failure === undefined ? [] : [info.failure]),
      ...(confidence === undefined ? [] : [describeConfidence(confidence), ...confidence.limits]),
      vscode.l10n.t('{0} candidates, {1} evaluated, {2} correct', info.candidates, info.evaluated, info.correct),
      ...(info.overfit === undefined || info.overfit === 0
        ? []
        : [vscode.l10n.t('{0} right on the given calls, wrong on others', info.overfit)]),
      vscode.l10n.t(
        '{0} niches: groups of candidates of similar speed, memory and size, of which the best is kept',
        info.stats.coverage,
      ),
      vscode.l10n.t('A generation is one round: a number of candidates, each made from one of the rows below.'),
      vscode.l10n.t('{0} tokens', (info.tokens.prompt + info.tokens.completion).toLocaleString(vscode.env.language)),
      vscode.l10n.t('Run {0}', info.run),
    ].join('  \n'),
  );
  const spoken = joined([folder, place.file, score, worth, state, progress]);
  item.accessibilityInformation = { label: vscode.l10n.t('Run on {0}, {1}', runName(run), spoken) };
  return item;
}

function folderName(root: vscode.Uri): string {
  return vscode.workspace.getWorkspaceFolder(root)?.name ?? '';
}

function nichesItem(node: Extract<EvolutionNode, { kind: 'niches' }>, run: WindowRun | undefined): vscode.TreeItem {
  const { range, elites } = node;
  const item = new vscode.TreeItem(range, vscode.TreeItemCollapsibleState.Expanded);
  item.id = `${node.run}/niches/${range}`;
  const best = elites.map(({ elite }) => elite).reduce((a, b) => (b.fitness > a.fitness ? b : a));
  const gain = run === undefined || isOriginal(best) ? vscode.l10n.t('the original') : speedIn(run.info, best);
  // The row below says it all where there is only one.
  item.description = elites.length === 1 ? '' : vscode.l10n.t('{0} candidates · best: {1}', elites.length, gain);
  item.iconPath = new vscode.ThemeIcon('layers');
  item.tooltip = vscode.l10n.t('Niches of this range, and the best candidate of each.');
  return item;
}

/** What of a change a row names at most. */
const CHANGE_CHARACTERS = 24;

function eliteItem(node: EliteNode, run: WindowRun | undefined) {
  const { run: id, elite, niche = '', ranges = '' } = node;
  const original = isOriginal(elite);
  const what = original ? vscode.l10n.t('the original') : (elite.gained ?? elite.summary);
  const item = new vscode.TreeItem(original ? what : shortened(what));
  item.id = `${id}/${elite.niche}/${elite.sha256}`;
  const { combined_score: own, speedup, speedup_low: speed = speedup } = elite.metrics;
  const score =
    own !== undefined || speed === undefined || speed === elite.fitness
      ? ''
      : vscode.l10n.t('score {0}', figure(elite.fitness, { digits: 4 }));
  const generation = vscode.l10n.t('generation {0}', elite.generation);
  const ending = endingOf(elite, run);
  const gain = run === undefined ? '' : speedIn(run.info, elite);
  // What is cut off where the view is narrow stands last.
  item.description = original ? ranges : joined([gain, ranges, ending.short, score, mutatorName(elite.mutator), generation]);
  const icon = original ? 'circle-outline' : elite.pinned === true ? 'pinned' : ending.icon;
  const fresh = run?.fresh.has(elite.sha256) === true ? new vscode.ThemeColor('charts.green') : undefined;
  item.iconPath = typeof icon === 'string' ? new vscode.ThemeIcon(icon, fresh) : icon;
  item.contextValue = roleOf(elite, run);
  const { speed_ms: ms, peak_kb: kb } = elite.metrics;
  const measured = metricsLine(elite);
  // Next to what was announced, or before anything is, it says what it is.
  const isReading = run?.info.baseline?.is_speedup === true;
  const searched = isReading ? vscode.l10n.t('in the search: {0}', measured) : measured;
  const told = original
    ? [spentOf({ ms, kb }).join(', ')]
    : [...stepsOf(elite), ...ending.long, searched, vscode.l10n.t('by {0}, {1}', mutatorName(elite.mutator), generation)];
  const best = niche === '' ? [] : [vscode.l10n.t('the best among candidates of similar {0}', niche)];
  item.tooltip = new vscode.MarkdownString();
  item.tooltip.appendText([...told, ...best].join('\n'));
  item.accessibilityInformation = { label: joined([what, item.description, newness(elite, run)]) };
  if (!original) {
    item.command = {
      command: 'peagen.reviewElite',
      title: vscode.l10n.t('Review'),
      arguments: [{ kind: 'elite', run: id, elite } satisfies EvolutionNode],
    };
  }
  return item;
}

/** So that the gain behind it still shows where the view is narrow; the tooltip has the whole. */
function shortened(change: string): string {
  if (change.length <= CHANGE_CHARACTERS) return change;
  const start = change.slice(0, CHANGE_CHARACTERS);
  const word = start.lastIndexOf(' ');
  return `${(word < CHANGE_CHARACTERS / 2 ? start : start.slice(0, word)).replace(/\W+$/, '')}…`;
}

/** What gained most, and what was done last where that is something else. */
function stepsOf({ gained, summary }: Elite): string[] {
  return gained === undefined
    ? [summary]
    : [vscode.l10n.t('gained most by: {0}', gained), vscode.l10n.t('last change: {0}', summary)];
}

/** What the end of the run made of it: more careful than what the search has measured. */
function endingOf(
  { sha256, metrics, fitness }: Elite,
  run: WindowRun | undefined,
): { short: string; long: string[]; icon: string | vscode.ThemeIcon } {
  const ending = run?.info.ending;
  const best = ending?.best;
  if (best?.sha256 === sha256 && run !== undefined) {
    const confidence = best.confidence ?? run.info.confidence;
    const isUnverified = best.unverified === true;
    const result = vscode.l10n.t('the result: {0}', resultOf(run.info) ?? '');
    return {
      short: joined([
        vscode.l10n.t('the result'),
        confidenceWord(confidence),
        ...(isUnverified ? [vscode.l10n.t('unverified')] : []),
      ]),
      long: [result, ...(confidence === undefined ? [] : [describeConfidence(confidence)])],
      icon: isUnverified ? 'unverified' : confidenceIcon(confidence),
    };
  }
  const baseline = run?.info.baseline;
  const gains = baseline?.is_speedup === false ? fitness > baseline.fitness : (certainSpeedup(metrics) ?? fitness) > 1;
  // What gains nothing does not shine.
  const icon = gains ? 'sparkle' : 'dash';
  const unconfirmed = ending?.unconfirmed.find((one) => one.sha256 === sha256);
  const isOverfitted = ending?.overfitted.includes(sha256) === true;
  if (unconfirmed === undefined && !isOverfitted) return { short: '', long: [], icon };
  const why = unconfirmed?.why ?? vscode.l10n.t('right on the given calls, wrong on others');
  if (isOverfitted) return { short: why, long: [why], icon: 'unverified' };
  return {
    short: gains ? vscode.l10n.t('not confirmed') : '',
    long: [vscode.l10n.t('not confirmed: {0}', why)],
    icon: gains ? 'unverified' : icon,
  };
}

/** For the `when` of the menus: `elite.free`, `elite.pinned` or `original`, and `.live` in a run that goes on. */
function roleOf(elite: Elite, run: WindowRun | undefined): string {
  const live = run?.info.state === 'running' || run?.info.state === 'paused' ? '.live' : '';
  return `${isOriginal(elite) ? 'original' : elite.pinned === true ? 'elite.pinned' : 'elite.free'}${live}`;
}

function newness({ sha256 }: Elite, run: WindowRun | undefined): string {
  return run?.fresh.has(sha256) === true ? vscode.l10n.t('new') : '';
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function moreItem({ run, hidden }: Extract<EvolutionNode, { kind: 'more' }>): vscode.TreeItem {
  const item = new vscode.TreeItem(
    byCount(hidden, vscode.l10n.t('Show {0} more candidate…', hidden), vscode.l10n.t('Show more of {0} candidates…', hidden)),
  );
  item.id = `${run}/more`;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.command = {
    command: 'peagen.evolution.showMore',
    title: vscode.l10n.t('Show More'),
    arguments: [{ kind: 'more', run, hidden }],
  };
  return item;
}
