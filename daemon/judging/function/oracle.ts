/** What candidates are compared with, as the basis keeps it, and the limits that follow from it for them. */
import * as z from 'zod';
import { EffectKind, effectKinds } from '../../../shared/judging.ts';
import { Entry, ProgramFile } from '../../../shared/program.ts';
import { FinalState } from '../effects/effects.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import type { Bounds } from './correctness.ts';
import { CallResult } from './result.ts';

export const Oracle = z.object({
  results: z.array(CallResult),
  /** The names and the large values of its state after all calls. Journals of version 0.1 have none and compare no effects. */
  state: FinalState.default({ names: { globals: [], instance: [] }, large: {} }),
  /** Effects that differ between two runs of the original, and that are therefore not compared. */
  unstable_effects: z.array(EffectKind).default([...effectKinds]),
  /** Wall clock of one correctness run of the original, and of its part that is timed later. */
  callsMs: z.number(),
  timedMs: z.number(),
  loadMs: z.number(),
  /** The operations of one pass; 0 when judging by time. */
  cost: z.number(),
  /** Operations of all calls; what a candidate may use at most follows from them. */
  wholeCost: z.number().default(0),
  /** Passes of one process differ, because the module remembers earlier calls. */
  stateful: z.boolean(),
  /** How often a timed pass makes the given calls. */
  repeats: z.number().int().positive().default(1),
  /** The original as runners load it. */
  source: z.object({ files: z.array(ProgramFile), entry: Entry }),
});
export type Oracle = z.infer<typeof Oracle>;

/** A candidate that needs more operations than this many originals is given up. */
const MOST_ORIGINALS = 3;

/**
 * Endless loops are common among candidates: one costs a fifth of a second of processor time where that can be found out, a
 * few of the clock elsewhere, but not the whole time-out. A busy machine keeps an honest one waiting for more than one.
 */
export function candidateBounds(oracle: Oracle, context: EvaluatorContext): Bounds {
  if (!context.deterministic) {
    return {
      loadMs: Math.max(2000, oracle.loadMs * 10),
      callsMs: Math.max(3000, oracle.callsMs * 10),
      cpuMs: patienceMs(oracle),
      operations: undefined,
    };
  }
  return countedBounds(oracle);
}

/** The count ends it; the clock only ends what executes no operations, and must not depend on the machine's load. */
export function countedBounds({ callsMs, wholeCost }: Oracle): Bounds {
  return {
    ...{ loadMs: 20_000, callsMs: Math.max(20_000, callsMs * MOST_ORIGINALS * 10), cpuMs: undefined },
    operations: Math.ceil(wholeCost * MOST_ORIGINALS) + 10_000,
  };
}

/** Processor time of a call, in milliseconds, that only an endless one is likely to take. */
export const patienceMs = ({ callsMs }: Oracle): number => Math.max(200, callsMs * 20);

/** The limit of all work of one runner. */
export const limitOf = (oracle: Oracle, { deterministic }: EvaluatorContext): number =>
  deterministic ? 120_000 : Math.max(5000, oracle.timedMs * 30);
