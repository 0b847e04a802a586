/** The archive's geometry: features, their bins, and the elites in them. */
import * as z from 'zod';
import { Sha256 } from './ids.ts';
import { Metrics } from './judging.ts';

/** One axis of the archive. `name` is a registered feature (`speed`, `memory`, `size`, `age`) or a metric's name. */
export const FeatureAxis = z.object({
  name: z.string().min(1),
  /** Width of a bin in the feature's own unit. */
  bin: z.number().positive(),
  unit: z.string().default(''),
});
export type FeatureAxis = z.infer<typeof FeatureAxis>;

/** Bin indices joined by `/`, in the order of the axes: `3/1/12/0`. */
export const NicheId = z.string().regex(/^-?\d+(\/-?\d+)*$/);
export type NicheId = z.infer<typeof NicheId>;

export const Elite = z.object({
  sha256: Sha256,
  niche: NicheId,
  fitness: z.number(),
  features: z.array(z.number()),
  metrics: Metrics,
  generation: z.number().int().min(0),
  /** Index of the candidate in the run; −1 is the original. */
  index: z.number().int().min(-1),
  parents: z.array(Sha256),
  mutator: z.string(),
  summary: z.string(),
});
export type Elite = z.infer<typeof Elite>;

/** A niche's ranges in words: `speed 10–15 ms · memory 0–32 KB`. */
export function nicheLabel(niche: NicheId, axes: readonly FeatureAxis[]): string {
  return niche
    .split('/')
    .map((bin, i) => {
      const axis = axes[i];
      if (axis === undefined) return bin;
      const low = Number(bin) * axis.bin;
      const range = axis.bin === 1 ? `${low}` : `${round(low)}–${round(low + axis.bin)}`;
      return `${axis.name} ${range}${axis.unit === '' ? '' : ` ${axis.unit}`}`;
    })
    .join(' · ');
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}

export const ArchiveStats = z.object({
  /** Niches that hold an elite. */
  coverage: z.number().int().min(0),
  /** Sum of the champions' fitness (QD score, offset 0). */
  qd_score: z.number(),
  best: z.number().nullable(),
});
export type ArchiveStats = z.infer<typeof ArchiveStats>;
