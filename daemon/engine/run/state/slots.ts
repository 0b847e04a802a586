/** What a run keeps of its events: slots that have begun, programs that were judged, programs that wait for it. */
import type { Sha256 } from '../../../../shared/ids.ts';
import { isCorrect, type Metrics, type Outcome } from '../../../../shared/judging.ts';
import type { Origin } from '../../../../shared/program.ts';
import type { RunEvent } from '../../../../shared/run.ts';
import type { MutationContext } from '../../mutate/memory.ts';

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** What came out for a program from outside of the slots. */
export type Judgement = Pick<EventOf<'judged'>, 'sha256' | 'outcome' | 'metrics' | 'fitness' | 'features' | 'readings'> & {
  artifacts?: Sha256 | undefined;
};

/** Where a slot stands. A settled slot (inserted, or rejected for good) is forgotten. */
export interface OpenSlot {
  readonly selected: EventOf<'selected'>;
  readonly context: MutationContext;
  readonly mutated?: EventOf<'mutated'>;
  readonly evaluated?: EventOf<'evaluated'>;
  /** Programs that were measured again because of its challenge. */
  readonly matched?: readonly Sha256[];
  /** The attempt failed and the next one has not been selected yet. */
  readonly rejected: boolean;
}

export class OpenSlots extends Map<number, OpenSlot> {
  /** Slots that a change of what programs are compared with left without anything: they begin again. */
  readonly reopened = new Set<number>();

  /** Slots that have begun and have no end yet, in order. */
  unsettled(): number[] {
    return [...this.keys(), ...this.reopened].sort((a, b) => a - b);
  }

  /** Slots that have a program keep it. Takes what it was judged before out of the counts. */
  judgeAgain(counts: { evaluated: number; correct: number; overfit: number }): void {
    for (const [index, { selected, context, mutated, evaluated }] of this) {
      if (evaluated !== undefined) counts.evaluated--;
      if (evaluated !== undefined && isCorrect(evaluated.outcome)) counts.correct--;
      if (evaluated?.outcome.kind === 'overfit') counts.overfit--;
      if (mutated === undefined) this.reopen(index);
      else this.set(index, { selected, context, mutated, rejected: false });
    }
  }

  beginAgain(): void {
    for (const index of this.keys()) this.reopen(index);
  }

  private reopen(index: number): void {
    this.delete(index);
    this.reopened.add(index);
  }
}

/** What is kept of every program that was judged. */
export interface KnownProgram {
  readonly object: Sha256;
  readonly outcome: Outcome;
  readonly metrics: Metrics;
  readonly fitness: number | null;
  readonly origin: Origin;
  readonly generation: number;
  /** The object that holds what its evaluation wrote. */
  readonly artifacts?: Sha256 | undefined;
}

/** A program from outside of the slots that waits for its judgement. */
export interface Pending {
  readonly object: Sha256;
  readonly normal: Sha256;
  readonly origin: Origin;
  readonly generation: number;
}

/** An event before it gets its time. */
export type NewEvent = RunEvent extends infer E ? (E extends RunEvent ? Omit<E, 'at'> : never) : never;
