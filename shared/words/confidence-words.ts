/** The level of a confidence and its words. Pure, and apart from the schema: the extension loads it when it activates. */
import type { Confidence } from '../confidence.ts';

/**
 * The level from which a match is called "verified": calls derived and held out, calls of the counter-example search, and the
 * share of mutants. In addition, every line has to run: what none of the calls runs may be anything in a candidate.
 */
export const verifiedLevel = { derived: 40, attacked: 400, mutants: 0.8 } as const;

const shareOf = ({ hit, of }: Confidence['lines']): number => (of === 0 ? 1 : hit / of);

export function callsCompared({ given, derived, heldout, attacked }: Confidence): number {
  return given + derived + heldout + attacked;
}

/** What keeps a match on these calls from being called verified. */
export type Shortfall = 'calls' | 'lines' | 'rejections' | 'mutants';

/** Known before a run, whose end adds the calls of the attack. Lines count as missed where it is unknown which ran. */
export function shortfalls({ derived, heldout, lines, rejections, mutants }: Confidence): Shortfall[] {
  const found: Record<Shortfall, boolean> = {
    calls: derived + heldout < verifiedLevel.derived,
    lines: lines.of === 0 || lines.hit < lines.of,
    rejections: rejections.hit !== rejections.of,
    mutants: mutants.of === 0 || shareOf(mutants) < verifiedLevel.mutants,
  };
  return (['calls', 'lines', 'rejections', 'mutants'] as const).filter((each) => found[each]);
}

/** Whether a match on these calls may be called verified; not before the attack. */
export function isVerified(confidence: Confidence): boolean {
  return confidence.attacked >= verifiedLevel.attacked && shortfalls(confidence).length === 0;
}

/** How a best is described: `verified: matches …`, or below the level, what the user can do about it. */
export function verdictOf(confidence: Confidence): string {
  const matches = describeConfidence(confidence);
  return isVerified(confidence) ? `verified: ${matches}` : `matches on the calls we have; add inputs: ${matches}`;
}

/** `matches the original on 3 given and 412 derived calls; 96 % of its lines ran; 47 of 50 planted bugs caught`. */
export function describeConfidence(confidence: Confidence): string {
  return `matches the original on ${describeCalls(confidence)}`;
}

/** The same without the match, for a run that has not begun. */
export function describeCalls(confidence: Confidence): string {
  const { given, lines, mutants, ignored } = confidence;
  const made = callsCompared(confidence) - given;
  return [
    given === 0 ? `${made} derived calls` : `${given} given and ${made} derived calls`,
    ...(lines.of === 0 ? [] : [`${Math.floor(shareOf(lines) * 100)} % of its lines ran`]),
    ...plantedText(mutants),
    ...(ignored.length === 0 ? [] : [`not compared: ${ignored.join(', ')}`]),
  ].join('; ');
}

/** What mutants show: whether the calls would catch a mistake. Nothing where none was made. */
export function plantedText({ hit, of }: Confidence['mutants']): string[] {
  return of === 0 ? [] : [`${hit} of ${of} planted bugs caught`];
}
