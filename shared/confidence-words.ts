/** The level of a confidence and its words. Pure, and apart from the schema: the extension loads it when it activates. */
import type { Confidence } from './confidence.ts';

/** The level from which a match is called "verified". */
export const verifiedLevel = { calls: 50, lines: 0.9, mutants: 0.75 } as const;

const shareOf = ({ hit, of }: Confidence['lines']): number => (of === 0 ? 1 : hit / of);

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
