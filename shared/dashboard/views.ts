/** What a dashboard shows of a run, of an elite and of its ancestors, as small as it can be sent. Types only. */
import type { HistoryPoint } from '../history.ts';
import type { RunId, Sha256 } from '../ids.ts';
import type { FeatureAxis } from '../niche.ts';
import type { Ancestor } from '../protocol/watch.ts';
import type { RunInfo } from '../run.ts';

/** A run in the list of runs, and the text at the head of the page. */
export interface RunView {
  readonly run: RunId;
  readonly name: string;
  readonly path: string;
  readonly state: RunInfo['state'];
  /** The state in words. */
  readonly status: string;
  readonly started: string;
  readonly generation: number;
  readonly generations: number;
  readonly candidates: number;
  readonly evaluated: number;
  readonly correct: number;
  readonly best: number | null;
  /** The metric that the run is about, in words, unless that is a score. `sign` turns a fitness into its value. */
  readonly goal: { readonly name: string; readonly sign: 1 | -1; readonly best: string | null } | null;
  /** In words, once it has ended: as measured with care. */
  readonly result: string | null;
  readonly coverage: number;
  readonly tokens: number;
  /** Null: without a limit. */
  readonly budget: number | null;
}

/** An elite in the heat map. */
export interface EliteView {
  readonly sha256: Sha256;
  readonly niche: string;
  readonly fitness: number;
  /** What it is worth, in words: `2.17× faster`. */
  readonly worth: string;
  readonly features: readonly number[];
  readonly generation: number;
  readonly mutator: string;
  readonly summary: string;
  readonly original: boolean;
  readonly pinned: boolean;
}

export interface RunCourse {
  readonly view: RunView;
  readonly axes: readonly FeatureAxis[];
  readonly elites: readonly EliteView[];
  readonly history: readonly HistoryPoint[];
}

export interface RunPatch {
  readonly view: RunView;
  /** New, or changed. */
  readonly elites: readonly EliteView[];
  /** No elites any more. */
  readonly gone: readonly Sha256[];
  /** To be added; instead of all points when `anew`. */
  readonly history: readonly HistoryPoint[];
  readonly anew: boolean;
}

export interface AncestorView extends Ancestor {
  /** As of an elite; null when it was not correct. */
  readonly worth: string | null;
}

export interface LineageView {
  readonly run: RunId;
  readonly of: Sha256;
  readonly ancestors: readonly AncestorView[];
}
