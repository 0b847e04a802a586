/** What the user's change is worth, in words: one line, and a document with all that was measured. */
import * as vscode from 'vscode';
import { isCorrect } from '../../shared/judging.ts';
import type { Verdict } from '../../shared/protocol/targets.ts';
import { describeConfidence } from '../../shared/words/confidence-words.ts';
import { confidenceWord } from '../confidence.ts';
import { metricsInWords } from '../metric-words.ts';
import { outcomeName } from '../origin-words.ts';
import { outcomeLine } from '../outcome.ts';
import { literal } from '../pages.ts';
import { figure, slowerOnShort, times, withInterval } from '../words.ts';

/** `1.32× faster (1.20 to 1.45); verified`; `wrong: expected 3, got 4`. "correct" is for a command or a folder that judges. */
export function verdictLine({ outcome, heldout, confidence, doubt, speedup, given }: Verdict): string {
  if (!isCorrect(outcome)) return outcomeLine(outcome);
  // Right on the calls that a search may see, and not on those that it never sees.
  if (heldout !== undefined && !isCorrect(heldout)) return outcomeLine({ ...heldout, kind: 'overfit' });
  const right = confidence === undefined ? vscode.l10n.t('correct') : confidenceWord(confidence);
  const sure = doubt === undefined ? right : vscode.l10n.t('{0}, but {1}', right, doubt);
  return [...(speedup === null ? [] : [speedWords(speedup)]), ...slowerOnShort(given), sure].join('; ');
}

/** A change whose interval spans 1 is reported as no clear gain. */
function speedWords({ ratio, low, high }: NonNullable<Verdict['speedup']>): string {
  const text =
    low <= 1 && high >= 1
      ? vscode.l10n.t('as fast as before, as far as can be measured')
      : ratio >= 1
        ? vscode.l10n.t('{0} faster', times(ratio))
        : vscode.l10n.t('{0} slower', times(1 / ratio));
  return withInterval(text, ratio, { low, high });
}

/** Markdown; program text appears only in fences longer than any in it. */
export function verdictDocument(name: string, against: string, judged: string, verdict: Verdict): string {
  const { outcome, before, after, confidence, metrics, diff } = verdict;
  const cell = (value: number | null, unit: string) => (value === null ? '–' : `${figure(value, { digits: 4 })}${unit}`);
  const fence = '`'.repeat(Math.max(3, ...[...`${diff}${outcome.detail}`.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [
    `# ${name}: ${outcomeName(outcome.kind)}`,
    '',
    literal(verdictLine(verdict)),
    '',
    vscode.l10n.t('- Against: {0}', against),
    vscode.l10n.t('- Judged by: {0}', literal(judged)),
    ...(confidence === undefined
      ? []
      : [vscode.l10n.t('- Confidence: {0}', describeConfidence(confidence)), ...confidence.limits.map((limit) => `- ${limit}`)]),
    '',
    vscode.l10n.t('| | before | after |'),
    '| --- | ---: | ---: |',
    vscode.l10n.t('| time | {0} | {1} |', cell(before.speed_ms, ' ms'), cell(after.speed_ms, ' ms')),
    vscode.l10n.t('| peak memory | {0} | {1} |', cell(before.peak_kb, ' KB'), cell(after.peak_kb, ' KB')),
    vscode.l10n.t('| size | {0} characters | {1} characters |', before.size, after.size),
    '',
    ...(outcome.detail === '' ? [] : [fence, outcome.detail, fence, '']),
    ...metricsInWords(metrics).map(([metric, value]) => `- ${literal(metric)}: ${value}`),
    '',
    `${fence}diff`,
    diff,
    fence,
    '',
  ].join('\n');
}
