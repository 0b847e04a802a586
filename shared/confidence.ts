/** How much a verdict of "matches the original" is worth: on how many calls it rests, and what they exercise. */
import * as z from 'zod';
import { EffectKind } from './judging.ts';

const Share = z.object({ hit: z.number().int().min(0), of: z.number().int().min(0) });

export const Confidence = z.object({
  /** Calls that the user gave. */
  given: z.number().int().min(0),
  /** Calls made from those and from the source, visible to the search and held out. */
  derived: z.number().int().min(0),
  heldout: z.number().int().min(0),
  /** Fresh calls of the counter-example search on which the announced program was compared; 0 before it. */
  attacked: z.number().int().min(0).default(0),
  /** Lines of the entry function that ran on these calls. */
  lines: Share,
  /** Those that did not, as numbers in its file from 1; lines that reject something on purpose are not among them. */
  missed: z.array(z.number().int()).optional(),
  /** Counts those of the lines that reject something on purpose, by raise, throw or assert. */
  rejections: Share.default({ hit: 0, of: 0 }),
  /** Small mutants of the original that these calls tell apart from it. */
  mutants: Share,
  /** Derived calls that were left out: too slow, or with a different result each time. */
  dropped: z.object({ slow: z.number().int().min(0), unstable: z.number().int().min(0) }).default({ slow: 0, unstable: 0 }),
  /** Effects that are not compared because a setting says so. */
  ignored: z.array(EffectKind).default([]),
  /** What the verdict cannot promise, one sentence each: shown before a run starts. */
  limits: z.array(z.string()).default([]),
});
export type Confidence = z.infer<typeof Confidence>;

export * from './words/confidence-words.ts';
