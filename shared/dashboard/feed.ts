/** What a page is sent of one run: all of it once, then what has changed since. Pure. */
import type { FollowedState } from '../follow.ts';
import type { HistoryPoint } from '../history.ts';
import type { Sha256 } from '../ids.ts';
import type { Elite, FeatureAxis } from '../niche.ts';
import { isOriginal } from '../original.ts';
import type { RunInfo } from '../run.ts';
import type { EliteView, RunCourse, RunPatch, RunView } from './views.ts';

/** How a run, its state, its features, what an elite is worth and how it was made are called is the host's to say. */
interface Words {
  targetName(info: RunInfo): string;
  stateOf(info: RunInfo): string;
  axisInWords(axis: FeatureAxis): FeatureAxis;
  speedIn(info: RunInfo, elite: Elite): string;
  mutatorName(mutator: string): string;
  /** What a fitness of a run with a goal is, in words. */
  worthText(info: RunInfo, fitness: number): string;
  metricName(metric: string): string;
  /** How much is gained for certain while a run goes on; empty without a gain. */
  certainText(info: RunInfo): string;
  /** What came of a run that has ended; null before that. */
  resultOf(info: RunInfo): string | null;
}

export class RunFeed {
  private readonly words: Words;
  private sent = new Map<Sha256, Elite>();
  private lastPoint: HistoryPoint | undefined;
  /** What the run has announced, as far as it was sent. */
  private announced: Sha256 | undefined;

  constructor(words: Words) {
    this.words = words;
  }

  whole({ info, elites, history }: FollowedState): RunCourse {
    this.sent = bySha(elites);
    this.announced = info.ending?.best?.sha256;
    const points = history?.points ?? [];
    this.lastPoint = points.at(-1);
    return {
      view: viewOf(info, this.words),
      axes: info.axes.map(this.words.axisInWords),
      elites: [...this.sent.values()].map((elite) => this.eliteView(elite, info)),
      history: points,
    };
  }

  /** O(elites), and cheap: 10,000 of them are compared in less than a millisecond. */
  patch({ info, elites, history }: FollowedState): RunPatch {
    const now = elites === undefined ? this.sent : bySha(elites);
    const announced = info.ending?.best?.sha256;
    const news = announced === this.announced ? undefined : announced;
    this.announced = announced;
    const changed = [...now.values()].filter((elite) => elite.sha256 === news || !same(elite, this.sent.get(elite.sha256)));
    const gone = [...this.sent.keys()].filter((sha256) => !now.has(sha256));
    this.sent = now;
    const points = history?.points ?? [];
    // After long runs were thinned out, the last point may be gone.
    const at = this.lastPoint === undefined ? -1 : points.lastIndexOf(this.lastPoint);
    this.lastPoint = points.at(-1);
    return {
      view: viewOf(info, this.words),
      elites: changed.map((elite) => this.eliteView(elite, info)),
      gone,
      history: points.slice(at + 1),
      anew: at < 0,
    };
  }

  private eliteView(elite: Elite, info: RunInfo): EliteView {
    const { sha256, niche, fitness, features, generation, mutator, summary, gained = summary } = elite;
    return {
      sha256,
      niche,
      fitness,
      worth: this.words.speedIn(info, elite),
      features,
      generation,
      mutator: this.words.mutatorName(mutator),
      summary: gained,
      original: isOriginal(elite),
      pinned: elite.pinned === true,
    };
  }
}

export function viewOf(info: RunInfo, words: Words): RunView {
  return {
    run: info.run,
    name: words.targetName(info),
    path: info.target.path,
    state: info.state,
    status: words.stateOf(info),
    started: info.started_at,
    generation: info.generation,
    generations: info.max_generations,
    candidates: info.candidates,
    evaluated: info.evaluated,
    correct: info.correct,
    best: info.best,
    goal: goalOf(info, words),
    result: words.resultOf(info),
    coverage: info.stats.coverage,
    tokens: info.tokens.prompt + info.tokens.completion,
    budget: info.budget_tokens ?? null,
  };
}

function goalOf(info: RunInfo, words: Words): RunView['goal'] {
  if (info.goal === undefined) {
    if (info.baseline?.is_speedup !== true) return null;
    const certain = words.certainText(info);
    return { name: words.metricName('speedup'), sign: 1, best: certain === '' ? null : certain };
  }
  return {
    name: words.metricName(info.goal.metric),
    sign: info.goal.direction === 'min' ? -1 : 1,
    best: info.best === null ? null : words.worthText(info, info.best),
  };
}

/** A list that was fetched again has the same elites in new objects. */
function same(a: Elite, b: Elite | undefined): boolean {
  return a === b || (b !== undefined && a.niche === b.niche && a.fitness === b.fitness && a.pinned === b.pinned);
}

function bySha(elites: FollowedState['elites']): Map<Sha256, Elite> {
  return new Map([...(elites?.values() ?? [])].map((elite) => [elite.sha256, elite]));
}
