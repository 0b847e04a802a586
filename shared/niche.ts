/** The archive's geometry: features, their bins, and the elites in them. */
import * as z from 'zod';
import { Sha256 } from './ids.ts';
import { Metrics } from './judging.ts';

/** One axis of the archive. `name` is a registered feature (`speed`, `memory`, `size`, `age`, …) or a metric's name. */
export const FeatureAxis = z
  .object({
    name: z.string().min(1),
    /** What a bin is: its width (`fixed`), the ratio of its ends (`log`), or how many bins there are (`quantile`). */
    bin: z.number().positive(),
    unit: z.string().default(''),
    /** `fixed` unless given. `quantile`: borders follow the values seen, so that bins are about equally full. */
    scale: z.enum(['fixed', 'log', 'quantile']).optional(),
    /** What the bins 0, 1, 2, … of width 1 are called, for a feature that is a kind and no quantity. */
    labels: z.array(z.string().min(1).max(60)).max(64).optional(),
  })
  .refine(({ bin, scale }) => scale !== 'log' || bin > 1, { path: ['bin'], error: 'expected a ratio above 1 for scale "log"' })
  .refine(({ bin, scale }) => scale !== 'quantile' || (Number.isInteger(bin) && bin >= 2 && bin <= 256), {
    path: ['bin'],
    error: 'expected a number of bins from 2 to 256 for scale "quantile"',
  });
export type FeatureAxis = z.infer<typeof FeatureAxis>;

/** Niches of a CVT archive; spreading more of them takes seconds. */
export const CvtNiches = z.number().int().min(2).max(1024);

/** A CVT archive's niche is one number. In a grid: bin indices joined by `/`, in the order of the axes: `3/1/12/0`. */
export const NicheId = z.string().regex(/^-?\d+(\/-?\d+)*$/);
export type NicheId = z.infer<typeof NicheId>;

export const Elite = z.object({
  sha256: Sha256,
  niche: NicheId,
  fitness: z.number(),
  features: z.array(z.number()),
  metrics: Metrics,
  generation: z.number().int().min(0),
  /** Index of the candidate in the run; −1 when no slot made it: the original, a user's own, the smaller part of a winner. */
  index: z.number().int().min(-1),
  parents: z.array(Sha256),
  mutator: z.string(),
  summary: z.string(),
  /** The summary of the step that gained most on the way to it, where that is not its own. */
  gained: z.string().optional(),
  /** A user keeps it. */
  pinned: z.boolean().optional(),
});
export type Elite = z.infer<typeof Elite>;

/** What became of a program in the archive. It follows from the events, so that clients receive it and the journal omits it. */
export const placement = {
  status: z.enum(['new', 'improved', 'rejected']).optional(),
  niche: NicheId.optional(),
  gained: Elite.shape.gained,
};

export const ArchiveStats = z.object({
  /** Niches that hold an elite. */
  coverage: z.number().int().min(0),
  /** Sum of the champions' fitness (QD score, offset 0). */
  qd_score: z.number(),
  best: z.number().nullable(),
});
export type ArchiveStats = z.infer<typeof ArchiveStats>;
