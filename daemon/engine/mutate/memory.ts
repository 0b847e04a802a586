/** What a run remembers for its mutators: programs made, failures, and those that a child is compared with. Pure. */
import type { Sha256 } from '../../../shared/ids.ts';
import { type Call, type Counterexample, type Outcome, showArguments } from '../../../shared/judging.ts';
import type { RunSpec } from '../../../shared/run.ts';
import { Seen } from '../../evolution/seen.ts';
import type { Population } from '../run/population.ts';

/** What the run knew when a slot was selected; in journal order, so that a replay gives the mutator the same. */
export interface MutationContext {
  /** Filter over the programs seen. */
  readonly seen: string;
  /** Outcomes worth telling a mutator, newest first. */
  readonly failures: readonly string[];
  /** Elites that the feature `diversity` measures the distance to; none without it. */
  readonly neighbours: readonly Sha256[];
  /** Programs made last, newest first, where near-duplicates are refused. */
  readonly recent: readonly Sha256[];
  /** Keys of the calls that a candidate was wrong on while it was right on those that the search sees. */
  readonly revealed: readonly string[];
}

/** What candidates are compared with, and the hash of its syntax tree, which older journals have not. */
interface Original {
  readonly original: Sha256;
  readonly normal?: Sha256 | undefined;
}

const RECENT_FAILURES = 3;
const RECENT_PROGRAMS = 32;
const RECENT_FAILED = 8;
/** Revealed calls that a mutator is shown, newest first. */
const SHOWN_CALLS = 3;

export class Memory {
  private readonly spec: RunSpec;
  private readonly seen = new Seen();
  private readonly twins = new Map<string, Sha256>();
  private failures: string[] = [];
  private recent: Sha256[] = [];
  private failing: Sha256[] = [];
  private readonly revealed = new Map<string, Counterexample>();
  /** What was known when the last generation closed. */
  private boundary = this.nothing();

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

  fail(text: string, sha256: Sha256): void {
    this.failing = [sha256, ...this.failing].slice(0, RECENT_FAILED);
    this.failures = [text, ...this.failures].slice(0, RECENT_FAILURES);
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
   * knows the programs that were accepted before it.
   */
  contextFor(attempt: number, population: Population): MutationContext {
    if (!this.spec.deterministic) return this.now(population);
    return attempt === 0 ? this.boundary : { ...this.boundary, seen: this.seen.encode() };
  }

  endGeneration(population: Population): void {
    this.boundary = this.now(population);
  }

  /** Candidates are compared with this original: what went wrong with another one, and what was made of it, is of no use. */
  begin({ original, normal }: Original): void {
    if (normal !== undefined) {
      this.seen.add(normal);
      this.twins.set(normal, original);
    }
    this.failures = [];
    this.recent = [];
    this.failing = [];
    this.revealed.clear();
    this.boundary = this.nothing();
  }

  private nothing(): MutationContext {
    return { seen: this.seen.encode(), failures: [], neighbours: [], recent: [], revealed: [] };
  }

  private now(population: Population): MutationContext {
    const diverse = this.spec.axes.some(({ name }) => name === 'diversity');
    return {
      seen: this.seen.encode(),
      failures: [...this.failures, ...this.mustHold()],
      neighbours: diverse ? population.neighbours() : [],
      recent: this.recent,
      revealed: this.revealedNow,
    };
  }

  private mustHold(): string[] {
    return [...this.revealed.values()]
      .slice(-SHOWN_CALLS)
      .reverse()
      .map(({ call, expected }) => `on ${showArguments(call)} the original ${expected}, and so must every program`);
  }
}

function keyOf({ args, kwargs, init, typed }: Call): string {
  return JSON.stringify([args, kwargs, init ?? null, typed ?? false]);
}

const OVERFIT = /^Right on the calls that were shown, wrong on others: /;

/** An outcome once the calls of these keys are known to the search: what is wrong on one of them is plainly wrong. */
export function knowing(revealed: readonly string[], outcome: Outcome): Outcome {
  const { kind, counterexample } = outcome;
  const isKnown = kind === 'overfit' && counterexample !== undefined && revealed.includes(keyOf(counterexample.call));
  return isKnown ? { ...outcome, kind: 'wrong', detail: outcome.detail.replace(OVERFIT, '') } : outcome;
}
