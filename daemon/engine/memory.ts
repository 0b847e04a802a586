/** What a run remembers for its mutators: programs made, failures, and those that a child is compared with. Pure. */
import type { Sha256 } from '../../shared/ids.ts';
import type { RunSpec } from '../../shared/run.ts';
import { Seen } from '../evolution/seen.ts';
import type { Population } from './population.ts';

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
}

/** What candidates are compared with, and the hash of its syntax tree, which older journals have not. */
interface Original {
  readonly original: Sha256;
  readonly normal?: Sha256 | undefined;
}

const RECENT_FAILURES = 3;
const RECENT_PROGRAMS = 32;
const RECENT_FAILED = 8;

export class Memory {
  private readonly spec: RunSpec;
  private readonly seen = new Seen();
  private readonly twins = new Map<string, Sha256>();
  private failures: string[] = [];
  private recent: Sha256[] = [];
  private failing: Sha256[] = [];
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
    this.boundary = this.nothing();
  }

  private nothing(): MutationContext {
    return { seen: this.seen.encode(), failures: [], neighbours: [], recent: [] };
  }

  private now(population: Population): MutationContext {
    const diverse = this.spec.axes.some(({ name }) => name === 'diversity');
    return {
      seen: this.seen.encode(),
      failures: this.failures,
      neighbours: diverse ? population.neighbours() : [],
      recent: this.recent,
    };
  }
}
