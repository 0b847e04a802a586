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

/** The level from which a match is called "verified". */
export const verifiedLevel = { calls: 50, lines: 0.9, mutants: 0.75 } as const;

const shareOf = ({ hit, of }: z.infer<typeof Share>): number => (of === 0 ? 1 : hit / of);

export function callsCompared({ given, derived, heldout, attacked }: Confidence): number {
  return given + derived + heldout + attacked;
}

/** Whether a match on these calls may be called verified; not where nobody looked which lines ran. */
export function isVerified(confidence: Confidence): boolean {
  return (
    confidence.lines.of > 0 &&
    callsCompared(confidence) >= verifiedLevel.calls &&
    shareOf(confidence.lines) >= verifiedLevel.lines &&
    shareOf(confidence.mutants) >= verifiedLevel.mutants
  );
}

/** What is said of a best: `verified: matches …`, or below the level, what the user can do about it. */
export function verdictOf(confidence: Confidence): string {
  const matches = describeConfidence(confidence);
  return isVerified(confidence) ? `verified: ${matches}` : `matches on the calls we have; add inputs: ${matches}`;
}

/** `matches the original on 3 given and 412 derived calls; 96 % of its lines ran; 47 of 50 mutants noticed`. */
export function describeConfidence(confidence: Confidence): string {
  const { given, lines, mutants, ignored } = confidence;
  const made = callsCompared(confidence) - given;
  return [
    `matches the original on ${given} given and ${made} derived calls`,
    ...(lines.of === 0 ? [] : [`${Math.floor(shareOf(lines) * 100)} % of its lines ran`]),
    ...(mutants.of === 0 ? [] : [`${mutants.hit} of ${mutants.of} mutants noticed`]),
    ...(ignored.length === 0 ? [] : [`not compared: ${ignored.join(', ')}`]),
  ].join('; ');
}
