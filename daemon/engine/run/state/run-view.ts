/** A run's state as clients see it, and as the stop conditions do. Pure. */
import { createHash } from 'node:crypto';
import { baselineOf, endingOf, ownMetric } from '../../../../shared/gain.ts';
import { Sha256 } from '../../../../shared/ids.ts';
import type { RunInfo, RunSummary, StopReason } from '../../../../shared/run.ts';
import type { RunProgress } from '../stop.ts';
import type { RunState } from './run-state.ts';

export function progressOf({ archive, generations, improvedAt, clockFrom, spending }: RunState, now: number): RunProgress {
  return {
    generationsDone: generations.done,
    improvedAt,
    bestSpeedMs: archive.best()?.metrics['speed_ms'],
    tokens: spending.sum,
    dollars: spending.dollars,
    elapsedMs: now - Date.parse(clockFrom),
    barrenGenerations: generations.barren,
  };
}

/** Milliseconds until the run's time-out; undefined when it has none. */
export function timeLeft({ spec, clockFrom }: RunState, now: number): number | undefined {
  const { run_timeout: limit } = spec.stop;
  return limit === undefined ? undefined : limit * 1000 - (now - Date.parse(clockFrom));
}

/** Its cost does not grow with the archive: clients ask after every event. */
export function infoOf(run: RunState, live: boolean): RunInfo {
  const { text: _, ...target } = run.spec.target;
  const state =
    run.stopped !== undefined ? 'finished' : !live ? 'interrupted' : run.paused || run.held !== undefined ? 'paused' : 'running';
  const islands = run.population.each();
  const front = run.population.frontSize;
  const fitness = run.known.get(run.mended ?? run.original.sha256)?.fitness ?? null;
  const how = { mended: run.mended !== undefined, rule: run.spec };
  const baseline = run.basis === undefined || fitness === null ? {} : { baseline: baselineOf(fitness, run.baseline, how) };
  return {
    run: run.run,
    state,
    target,
    started_at: run.startedAt,
    generation: run.generations.done,
    max_generations: run.spec.stop.max_generations,
    candidates: run.counts.made,
    evaluated: run.counts.evaluated,
    correct: run.counts.correct,
    ...(run.counts.overfit === 0 ? {} : { overfit: run.counts.overfit }),
    best: run.archive.best()?.fitness ?? null,
    ...baseline,
    ...goalOf(run),
    stats: run.archive.stats(),
    axes: run.spec.axes,
    ...(islands.length === 0 ? {} : { islands: islands.map((island) => island.stats()) }),
    ...(front === undefined ? {} : { front }),
    tokens: run.spending.tokens,
    ...moneyOf(run),
    ...confidenceOf(run),
    ...(run.spec.stop.budget_tokens === undefined ? {} : { budget_tokens: run.spec.stop.budget_tokens }),
    ...(run.spec.stop.run_timeout === undefined ? {} : { run_timeout: run.spec.stop.run_timeout }),
    ...(run.confirming === undefined || run.stopped !== undefined ? {} : { confirming: run.confirming }),
    trend: [...run.history.steps],
    ...(run.stopped === undefined ? {} : { stopped: run.stopped.reason }),
    ...(run.stopped?.summary === undefined ? {} : { ending: endingOf(run.stopped.summary) }),
    ...(run.stopped?.detail === undefined ? {} : { failure: run.stopped.detail }),
  };
}

/** Several objectives are one score, and an evaluator's own score needs no name. */
function goalOf({ spec: { objectives, metric } }: RunState): Pick<RunInfo, 'goal'> {
  const own = ownMetric({ metric });
  const alone = own === undefined || own === 'combined_score' ? [] : [{ metric: own, direction: 'max' as const }];
  const [goal, ...others] = objectives?.of ?? alone;
  return goal === undefined || others.length > 0 ? {} : { goal: { metric: goal.metric, direction: goal.direction } };
}

/** What a run that asks models has spent and is likely to spend. */
function moneyOf({ spec, spending, expected }: RunState): Pick<RunInfo, 'dollars' | 'expected' | 'budget_usd'> {
  const { budget_usd } = spec.stop;
  return {
    ...(spending.sum === 0 ? {} : { dollars: spending.knownDollars }),
    ...(expected === undefined ? {} : { expected }),
    ...(budget_usd === undefined ? {} : { budget_usd }),
  };
}

/** What a match with the original rests on; none where no calls are compared. */
function confidenceOf({ best, spec }: RunState): Pick<RunInfo, 'confidence'> {
  const confidence = best?.confidence ?? spec.confidence;
  return confidence === undefined ? {} : { confidence };
}

export function summaryOf(run: RunState, now: number, stopped: StopReason, output: string | null): RunSummary {
  const stats = run.archive.stats();
  const digest = createHash('sha256');
  for (const sha of run.shas) if (sha !== undefined) digest.update(`${sha}\n`);
  return {
    run: run.run,
    seed: run.spec.seed,
    generations: run.generations.done,
    candidates: run.counts.made,
    evaluated: run.counts.evaluated,
    correct: run.counts.correct,
    overfit: run.counts.overfit,
    best: run.best,
    ...(run.failing === undefined && run.mended === undefined ? {} : { mended: run.mended ?? null }),
    overfitted: run.confirmed?.overfitted ?? [],
    ...(run.refuted.size === 0 ? {} : { refuted: [...run.refuted.values()] }),
    ...confidenceOf(run),
    unconfirmed: run.confirmed?.unconfirmed ?? [],
    coverage: stats.coverage,
    qd_score: stats.qd_score,
    candidates_digest: Sha256.parse(digest.digest('hex')),
    tokens: run.spending.tokens,
    stopped,
    wall_s: (now - Date.parse(run.startedAt) - run.idleMs) / 1000,
    output,
  };
}
