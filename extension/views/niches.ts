/** The niches of a run that the Evolution view shows, with names that tell them apart. */
import type { Elite } from '../../shared/niche.ts';
import { nicheLabel } from '../../shared/niche-label.ts';
import { mutatorName, summaryText } from '../origin-words.ts';
import type { WindowRun } from '../runs/runs.ts';
import { certainSpeedup } from '../words.ts';
import { type Arrangement, arrange, differingAxes } from './arrange.ts';
import { axisInFewWords, axisInWords, rangeTexts } from './ranges.ts';

export interface NicheRow {
  readonly niche: string;
  readonly label: string;
  readonly full: string;
  /** The champion, as far as the filter lets it through, and pinned ones. */
  readonly elites: readonly [Elite, ...Elite[]];
}

/** The first `shown` of them in the order asked for, and how many more there are. */
export function nichesOf(
  run: WindowRun,
  elites: readonly Elite[],
  arrangement: Arrangement,
  shown: number,
): { niches: NicheRow[]; hidden: number } {
  const axes = run.info.axes.map(axisInWords);
  const texts = rangeTexts();
  const result = run.info.ending?.best?.sha256;
  const isScore = run.info.baseline?.is_speedup === false;
  const wanted = arrange(elites, arrangement, {
    rank: ({ sha256, fitness, metrics }) =>
      sha256 === result ? Number.POSITIVE_INFINITY : isScore ? fitness : (certainSpeedup(metrics) ?? fitness),
    label: (elite) => [nicheLabel(elite.niche, axes, texts), mutatorName(elite.mutator), summaryText(elite.summary)].join(' '),
    pinned: (elite) => elite.pinned === true,
    fresh: (elite) => run.fresh.has(elite.sha256),
  });
  const differing = differingAxes(elites.map(({ niche }) => niche));
  const shownAxes = differing.flatMap((i) => run.info.axes[i] ?? []).map(axisInFewWords);
  const byNiche = new Map<string, [Elite, ...Elite[]]>();
  for (const elite of wanted) {
    const others = byNiche.get(elite.niche);
    if (others === undefined) byNiche.set(elite.niche, [elite]);
    else others.push(elite);
  }
  const niches = [...byNiche.values()].slice(0, shown).map((here) => {
    const [{ niche }] = here;
    const bins = niche.split('/');
    const full = nicheLabel(niche, axes, texts);
    // A range that all niches share distinguishes none; it is in the tooltip.
    const told = bins.length === axes.length && differing.length > 0;
    const label = told ? nicheLabel(differing.map((i) => bins[i]).join('/'), shownAxes, texts) : full;
    return { niche, label, full, elites: here };
  });
  return { niches, hidden: byNiche.size - niches.length };
}
