/** The elites of a run that the Evolution view shows, one row each, with the niche that each is the best of. */
import type { Elite } from '../../shared/niche.ts';
import { binLabel, nicheLabel } from '../../shared/words/niche-label.ts';
import { mutatorName } from '../origin-words.ts';
import type { WindowRun } from '../runs/runs.ts';
import { certainSpeedup } from '../words.ts';
import { type Arrangement, arrange, differingAxes } from './arrange.ts';
import { axisInFewWords, axisInWords, rangeTexts } from './ranges.ts';

interface EliteRow {
  readonly elite: Elite;
  /** All ranges of its niche. */
  readonly niche: string;
  /** The range that a group of niches shares, where the rows are grouped by niche. */
  readonly group?: string;
  /** The other ranges that tell its niche from those of the group. */
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
  // Niches are sorted by their first axis first, so that each group is together.
  const first = Math.min(...differing);
  const others = differing.filter((i) => i !== first);
  const rows = wanted.slice(0, shown).map((elite) => {
    const bins = elite.niche.split('/');
    const niche = nicheLabel(elite.niche, axes, texts);
    const rangesOf = (these: readonly number[]) =>
      these.flatMap((i) => (axes[i] === undefined ? [] : binLabel(Number(bins[i]), axisInFewWords(axes[i]), texts))).join(' · ');
    // A range that all niches share distinguishes none; it is in the tooltip.
    return bins.length === axes.length && differing.length > 0
      ? { elite, niche, group: rangesOf([first]), ranges: rangesOf(others) }
      : { elite, niche };
  });
  return { rows, hidden: wanted.length - rows.length };
}
