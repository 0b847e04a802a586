/** The elites of a run that the Evolution view shows, one row each, with the niche that each is the best of. */
import type { Elite } from '../../shared/niche.ts';
import { nicheLabel } from '../../shared/words/niche-label.ts';
import { mutatorName } from '../origin-words.ts';
import type { WindowRun } from '../runs/runs.ts';
import { certainSpeedup } from '../words.ts';
import { type Arrangement, arrange, differingAxes } from './arrange.ts';
import { axisInFewWords, axisInWords, rangeTexts } from './ranges.ts';

export interface EliteRow {
  readonly elite: Elite;
  /** All ranges of its niche. */
  readonly niche: string;
  /** The ranges that tell its niche from others, where the rows are in the order of niches. */
  readonly ranges?: string;
}

/** The first `shown` of them in the order asked for, and how many more there are. */
export function eliteRows(
  run: WindowRun,
  elites: readonly Elite[],
  arrangement: Arrangement,
  shown: number,
): { rows: EliteRow[]; hidden: number } {
  const axes = run.info.axes.map(axisInWords);
  const texts = rangeTexts();
  const result = run.info.ending?.best?.sha256;
  const isScore = run.info.baseline?.is_speedup === false;
  const wanted = arrange(elites, arrangement, {
    rank: ({ sha256, fitness, metrics }) =>
      sha256 === result ? Number.POSITIVE_INFINITY : isScore ? fitness : (certainSpeedup(metrics) ?? fitness),
    label: (elite) =>
      [nicheLabel(elite.niche, axes, texts), mutatorName(elite.mutator), elite.gained ?? '', elite.summary].join(' '),
    pinned: (elite) => elite.pinned === true,
    fresh: (elite) => run.fresh.has(elite.sha256),
  });
  const differing = arrangement.sort === 'niche' ? differingAxes(elites.map(({ niche }) => niche)) : [];
  const shownAxes = differing.flatMap((i) => run.info.axes[i] ?? []).map(axisInFewWords);
  const rows = wanted.slice(0, shown).map((elite) => {
    const bins = elite.niche.split('/');
    const niche = nicheLabel(elite.niche, axes, texts);
    // A range that all niches share distinguishes none; it is in the tooltip.
    const told = bins.length === axes.length && differing.length > 0;
    return told
      ? { elite, niche, ranges: nicheLabel(differing.map((i) => bins[i]).join('/'), shownAxes, texts) }
      : { elite, niche };
  });
  return { rows, hidden: wanted.length - rows.length };
}
