/** What a run remembers for its mutators: programs made, failures, and those that a child is compared with. Pure. */
import type { Lessons } from '../../../shared/asking.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { type Call, type Counterexample, type Outcome, showArguments, showBefore } from '../../../shared/judging.ts';
import type { Slot } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { Seen } from '../../evolution/seen.ts';
import type { Population } from '../run/state/population.ts';

/** What the run knew when a slot was selected; in journal order, so that a replay gives the mutator the same. */
export interface MutationContext {
  /** Filter over the programs seen. */
  readonly seen: string;
  /** Outcomes that a mutator should know of, newest first. */
  readonly failures: readonly string[];
  /** What the latest candidates that failed had changed, newest first. */
  readonly failedChanges: readonly string[];
  /** Elites that the feature `diversity` measures the distance to; none without it. */
  readonly neighbours: readonly Sha256[];
  /** The latest programs, newest first, where near-duplicates are refused. */
  readonly recent: readonly Sha256[];
  /** Keys of the calls that a candidate was wrong on while it was right on those that the search sees. */
  readonly revealed: readonly string[];
  /** What was tried from the slot's parent, newest first. */
  readonly tried: readonly TriedChange[];
  /** The lessons of the latest reflection. */
  readonly lessons?: Lessons | undefined;
}

/** One attempt to improve a program. */
export interface TriedChange {
  /** The program that was made, or that had been made before; absent when the answer gave none. */
  readonly sha256?: Sha256 | undefined;
  /** Why no new program came of it; absent when one did. */
  readonly reason?: string | undefined;
  readonly slot: Pick<Slot, 'index' | 'attempt'>;
}

/** What candidates are compared with, and the hash of its syntax tree, which older journals have not. */
interface Original {
  readonly original: Sha256;
  readonly normal?: Sha256 | undefined;
}

const RECENT_FAILURES = 3;
const RECENT_PROGRAMS = 32;
const RECENT_FAILED = 8;
/** They go along with every task. What is longer describes several edits. */
const FAILED_CHANGES = 200;
const CHANGE_CHARS = 160;
/** Attempts that are remembered of each parent. */
const TRIED = 24;
/** Revealed calls that a mutator is shown, newest first. */
const SHOWN_CALLS = 3;

export class Memory {
  private readonly spec: RunSpec;
  /** The lessons of the latest reflection that had any. A deterministic run learns them between two generations. */
  lessons: Lessons | undefined;
  /** The generation after which a model was last asked to reflect. */
  reflectedAt = 0;
  private readonly seen = new Seen();
  private readonly twins = new Map<string, Sha256>();
  private failures: string[] = [];
  private recent: Sha256[] = [];
  private failing: Sha256[] = [];
  private failedChanges: readonly string[] = [];
  private readonly revealed = new Map<string, Counterexample>();
  /** Attempts by parent, newest first; lists are replaced, never changed, since contexts hold them. */
  private attempts = new Map<Sha256, readonly TriedChange[]>();
  /** Attempts of the slots that have no program yet. */
  private readonly ownAttempts = new Map<number, readonly TriedChange[]>();
  /** What was known when the last generation closed. */
  private boundary = this.nothing();
  private boundaryAttempts = new Map<Sha256, readonly TriedChange[]>();
  /** Parents whose attempts have changed since. */
  private readonly touched = new Set<Sha256>();

  constructor(started: { readonly spec: RunSpec } & Original) {
    this.spec = started.spec;
    this.begin(started);
  }

  see(normal: Sha256, sha256: Sha256): void {
    this.seen.add(normal);
    this.twins.set(normal, sha256);
    if (this.spec.near_duplicate !== undefined) this.recent = [sha256, ...this.recent].slice(0, RECENT_PROGRAMS);
  }

  /** The program that was made with this hash of its syntax tree. */
  twinOf(normal: Sha256): Sha256 | undefined {
    return this.twins.get(normal);
  }

  /** Candidates that failed last, newest first. */
  get failed(): readonly Sha256[] {
    return this.failing;
  }

  /** `summary`: what was changed; `text`: that, and what went wrong. */
  fail(summary: string, text: string, sha256: Sha256): void {
    if (summary.length <= CHANGE_CHARS && !this.failedChanges.includes(summary)) {
      this.failedChanges = [summary, ...this.failedChanges].slice(0, FAILED_CHANGES);
    }
    this.failing = [sha256, ...this.failing].slice(0, RECENT_FAILED);
    this.failures = [text, ...this.failures].slice(0, RECENT_FAILURES);
  }

  /** An attempt from this parent has ended. A slot whose attempt gave no program tries again and knows of it. */
  note(parent: Sha256, tried: TriedChange): void {
    const list = this.attempts.get(parent) ?? [];
    if (tried.sha256 !== undefined && list.some(({ sha256 }) => sha256 === tried.sha256)) return;
    this.attempts.set(parent, [tried, ...list].slice(0, TRIED + this.spec.population));
    this.touched.add(parent);
    const { index } = tried.slot;
    if (tried.reason !== undefined) this.ownAttempts.set(index, [tried, ...(this.ownAttempts.get(index) ?? [])]);
  }

  /** The slot does not need its own attempts any more. */
  settle(slot: number): void {
    this.ownAttempts.delete(slot);
  }

  /** A reflection that came to no lessons leaves those of the one before. */
  reflect({ generation, lessons }: { readonly generation: number; readonly lessons?: Lessons | undefined }): void {
    this.reflectedAt = generation;
    this.lessons = lessons ?? this.lessons;
  }

  /** From here on the call is one of those that the search sees. */
  reveal(counterexample: Counterexample): void {
    this.revealed.set(keyOf(counterexample.call), counterexample);
  }

  /** What is known at this moment, for a program that no slot made. */
  get revealedNow(): readonly string[] {
    return [...this.revealed.keys()];
  }

  /**
   * In a deterministic run, what the generation before had made known; a later attempt, which waited its turn, also
   * knows the programs that were accepted before it, and what its own slot has tried.
   */
  contextFor({ index, attempt }: Pick<Slot, 'index' | 'attempt'>, parent: Sha256, population: Population): MutationContext {
    const { lessons } = this;
    if (!this.spec.deterministic)
      return { ...this.now(population), lessons, tried: (this.attempts.get(parent) ?? []).slice(0, TRIED) };
    const tried = this.boundaryAttempts.get(parent) ?? [];
    if (attempt === 0) return { ...this.boundary, lessons, tried };
    const own = this.ownAttempts.get(index) ?? [];
    return { ...this.boundary, lessons, seen: this.seen.encode(), tried: [...own, ...tried].slice(0, TRIED) };
  }

  endGeneration(population: Population): void {
    this.boundary = this.now(population);
    // The speed of the tasks within a generation must not decide the order.
    for (const parent of this.touched) {
      const list = (this.attempts.get(parent) ?? []).toSorted(latestFirst).slice(0, TRIED);
      this.attempts.set(parent, list);
      this.boundaryAttempts.set(parent, list);
    }
    this.touched.clear();
  }

  /** Candidates are compared with this original: what went wrong with another one, and what was made of it, does not help. */
  begin({ original, normal }: Original): void {
    if (normal !== undefined) {
      this.seen.add(normal);
      this.twins.set(normal, original);
    }
    this.lessons = undefined;
    this.failures = [];
    this.failedChanges = [];
    this.recent = [];
    this.failing = [];
    this.revealed.clear();
    this.attempts = new Map();
    this.ownAttempts.clear();
    this.boundary = this.nothing();
    this.boundaryAttempts = new Map();
    this.touched.clear();
  }

  private nothing(): MutationContext {
    return { seen: this.seen.encode(), failures: [], failedChanges: [], neighbours: [], recent: [], revealed: [], tried: [] };
  }

  private now(population: Population): MutationContext {
    const diverse = this.spec.axes.some(({ name }) => name === 'diversity');
    return {
      seen: this.seen.encode(),
      failures: [...this.failures, ...this.mustHold()],
      failedChanges: this.failedChanges,
      neighbours: diverse ? population.neighbours() : [],
      recent: this.recent,
      revealed: this.revealedNow,
      tried: [],
    };
  }

  private mustHold(): string[] {
    return [...this.revealed.values()]
      .slice(-SHOWN_CALLS)
      .reverse()
      .map(
        ({ call, expected }) =>
          `on ${showArguments(call)}${showBefore(call)} the original ${expected}, and so must every program`,
      );
  }
}

const latestFirst = (a: TriedChange, b: TriedChange): number => b.slot.index - a.slot.index || b.slot.attempt - a.slot.attempt;

function keyOf({ args, kwargs, init, before, typed }: Call): string {
  return JSON.stringify([args, kwargs, init ?? null, before ?? null, typed ?? false]);
}

const OVERFIT = /^Right on the calls that were shown, wrong on others: /;

/** An outcome once the calls of these keys are known to the search: what is wrong on one of them is plainly wrong. */
export function knowing(revealed: readonly string[], outcome: Outcome): Outcome {
  const { kind, counterexample } = outcome;
  const isKnown = kind === 'overfit' && counterexample !== undefined && revealed.includes(keyOf(counterexample.call));
  return isKnown ? { ...outcome, kind: 'wrong', detail: outcome.detail.replace(OVERFIT, '') } : outcome;
}
