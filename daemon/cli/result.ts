/** What a run that has ended has come to, on the command line: the gain, how sure that is, and what can be tried next. */
import { join, relative } from 'node:path';
import { isVerified, verdictOf } from '../../shared/confidence.ts';
import { digitsFor, inGoal, skippedText, unverifiedText } from '../../shared/gain.ts';
import type { Metrics } from '../../shared/judging.ts';
import { ReportRun } from '../../shared/protocol/report.ts';
import { GetElite, ListRuns } from '../../shared/protocol/runs.ts';
import type { Best, RunInfo, RunSummary } from '../../shared/run.ts';
import { unpaidText } from '../../shared/words/cost-text.ts';
import { ratioFigure, times } from '../../shared/words/ratio.ts';
import { isSlowerOnShort, shortCallsText } from '../../shared/words/short-calls.ts';
import { overfittedText, rejectionsText, unconfirmedText } from './commands/report.ts';
import type { CommandSession, SessionOptions } from './session.ts';
import { candidatesText, countOf, stopText } from './words.ts';

export async function resultText(session: CommandSession, summary: RunSummary, options: SessionOptions): Promise<string> {
  const { best, mended, confidence } = summary;
  const info = (await session.client.request(ListRuns, {})).find(({ run }) => run === summary.run);
  const dropped = [...overfittedText(summary, info?.target.entry_fn), ...unconfirmedText(summary.unconfirmed)];
  if (best === null) {
    const { rejections } =
      summary.candidates === 0 ? await session.client.request(ReportRun, { run: summary.run }) : { rejections: {} };
    const why = Object.keys(rejections).length === 0 ? [] : [`answers without use: ${rejectionsText({ rejections })}`];
    return [noGainText(summary), ...why, countsText(summary), ...dropped, ...nextSteps(summary, info, options)].join('\n');
  }
  const { elite, origin, changes } = await session.client.request(GetElite, { run: summary.run, sha256: best.sha256 });
  const isSure = confidence === undefined || isVerified(confidence);
  return [
    ...(best.sha256 === mended ? [`The original fails; this candidate does not. Found in generation ${best.generation}.`] : []),
    ...(best.sha256 === mended ? [] : [gainText(best, elite.metrics, { mended: mended !== undefined, goal: info?.goal })]),
    ...(best.given === undefined
      ? []
      : [`${isSlowerOnShort(best.given) ? 'warning: ' : ''}on the short calls alone ${shortCallsText(best.given)}`]),
    ...(confidence === undefined ? [] : [`${isSure ? '' : 'warning: '}${verdictOf(confidence)}`]),
    ...(isSure ? [] : confidence.limits.map((limit) => `warning: ${limit}`)),
    ...(best.unverified === true ? [`warning: ${unverifiedText}`] : []),
    ...[skippedText(best)].filter((text) => text !== undefined),
    ...(elite.gained === undefined ? [] : [`gained most by: ${elite.gained}`]),
    origin.summary,
    countsText(summary),
    ...dropped,
    ...changes.map((change) => `saved ${relative('.', join(summary.output ?? '', change.path))}`),
    isSure
      ? `next: apply it with "peagen runs diff ${summary.run} | ${gitIn(info)} apply"`
      : `next: ${moreInputs(summary.confidence)}, or read every line of the change before you use it`,
  ].join('\n');
}

/** The paths of a diff are those of the run's folder. */
function gitIn(info: RunInfo | undefined): string {
  const folder = info === undefined ? '' : relative('.', info.target.root);
  return folder === '' ? 'git' : `git -C ${folder}`;
}

function noGainText(summary: RunSummary): string {
  const { candidates, mended, unconfirmed } = summary;
  const untested = unconfirmed.find((one) => one.untested);
  if (untested !== undefined) return `No result that can be trusted: ${untested.why}.`;
  const unpaid = unpaidText(summary);
  if (unpaid !== undefined) return unpaid;
  if (candidates === 0) return 'No candidate was made.';
  if (mended === null) return 'The original fails, and so does every candidate.';
  return candidates === 1
    ? 'Its one candidate does not beat the original.'
    : `None of ${candidates} candidates beats the original.`;
}

/** Ends in why it ended. */
function countsText(summary: RunSummary): string {
  const { generations, coverage, wall_s, stopped, overfit = 0 } = summary;
  return [
    candidatesText(summary),
    ...(overfit === 0 ? [] : [`${overfit} right only on the calls that the search sees`]),
    `${countOf(coverage, 'niche')}, ${countOf(generations, 'generation')} complete, ${wall_s.toFixed(1)} s; ${stopText(stopped)}`,
  ].join(', ');
}

const moreInputs = (confidence: RunSummary['confidence']): string =>
  (confidence?.given ?? 0) > 0 ? 'add calls to the inputs' : 'add inputs with --inputs FILE';

/** What the editor offers where nothing was found: a model where there was none, more time where that was short, other inputs. */
function nextSteps(
  { run, candidates, stopped, confidence, unconfirmed }: RunSummary,
  info: RunInfo | undefined,
  { sync }: SessionOptions,
): string[] {
  const wasCut = candidates > 0 && stopped !== 'exhausted' && stopped !== 'no_improve' && stopped !== 'failed';
  const misses = (confidence?.limits.length ?? 0) > 0 || unconfirmed.some(({ untested }) => untested);
  const ways = [
    ...(misses ? [moreInputs(confidence)] : []),
    ...(info === undefined || info.dollars !== undefined || stopped === 'budget_tokens' || stopped === 'budget_usd'
      ? []
      : ['ask a model, named under [[llm.backends]] in .peagen.toml ("peagen llm check" looks for one)']),
    ...(wasCut ? [`search longer with "peagen evolve run${sync === true ? ' --sync' : ''} --extend ${run}"`] : []),
    ...(confidence === undefined || misses || candidates === 0 ? [] : [moreInputs(confidence)]),
  ];
  return ways.map((way) => `next: ${way}`);
}

/** `mended`: the original fails, so that there is nothing to compare it with. */
function gainText(
  { speedup, speedup_low: low, speedup_high: high, ...best }: Best,
  metrics: Metrics,
  { mended, goal }: { readonly mended: boolean; readonly goal: RunInfo['goal'] },
): string {
  const combined = metrics['combined_score'];
  const score: (Partial<NonNullable<Best['score']>> & { fitness: number }) | undefined =
    best.score ?? (combined === undefined ? undefined : { fitness: combined });
  if (score !== undefined) {
    // An evaluator's own score: the time of an evaluation says nothing about the program.
    const whose = mended ? 'that of the first candidate that does not fail' : 'that of the original';
    const { original, low: least = score.fitness, high: most = score.fitness } = score;
    const text = (fitness: number) => inGoal({ goal }, fitness).toPrecision(digitsFor(score.fitness, original));
    const than = original === undefined ? '' : ` (${text(original)})`;
    const [from, to] = goal?.direction === 'min' ? [most, least] : [least, most];
    const range = least < most ? ` (95 % interval ${text(from)} to ${text(to)})` : '';
    return `${goal?.metric ?? 'Score'} ${text(score.fitness)}${range}, better than ${whose}${than}, found in generation ${best.generation}`;
  }
  const interval = `95 % interval ${ratioFigure(low)} to ${ratioFigure(high)}`;
  const took = `${shownMs(best.baseline_ms)} → ${shownMs(best.speed_ms)}`;
  const than = mended ? ' than the first candidate that does not fail' : '';
  const { cost, baseline_cost: before } = best;
  const operations = cost === undefined || before === undefined ? '' : `, ${before} → ${cost} operations`;
  return `${times(speedup)} faster${than} (${interval}): ${took}${operations}, found in generation ${best.generation}`;
}

/** Three digits, however short it is. */
function shownMs(ms: number): string {
  return `${Number(ms.toPrecision(3))} ms`;
}
