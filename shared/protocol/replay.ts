/** Making a recorded run again. */
import * as z from 'zod';
import { RunId, Sha256 } from '../ids.ts';
import { request } from './message.ts';

const Pair = z.object({ recorded: z.number(), measured: z.number() });

export const ReplayedBest = Pair.extend({
  sha256: Sha256,
  /** One speed-up by the clock through the other; no two hours of a machine agree on it to the last digit. */
  ratio: z.number(),
  /** Operations of a pass, which are the same everywhere; of a best that they were recorded of. */
  cost: Pair.optional(),
});
export type ReplayedBest = z.infer<typeof ReplayedBest>;

export const ReplayReport = z.object({
  run: RunId,
  /** Candidates made again. */
  candidates: z.number().int(),
  identical: z.number().int(),
  differing: z.array(z.object({ index: z.number().int(), expected: Sha256, actual: z.string() })),
  /** The announced best, measured again; null when the run announced none, or its generation was not asked for. */
  best: ReplayedBest.nullable(),
});
export type ReplayReport = z.infer<typeof ReplayReport>;

/**
 * Client → daemon: makes every candidate of a run again from its seeds and recorded answers, compares hashes, and measures its
 * best again. `generation`: only this one. Throws `not_found`, or `storage_failed` when the records lack something.
 */
export const ReplayRun = request(
  'peagen/run/replay',
  z.object({ run: RunId, generation: z.number().int().positive().optional() }),
  ReplayReport,
);
