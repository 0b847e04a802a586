/**
 * What a search does while its best does not improve: parents are drawn more widely, more other programs are shown, answers are
 * asked for with a higher temperature, and the worst island begins again (B. Romera-Paredes et al., "Mathematical discoveries
 * from program search with large language models", 2024). Pure.
 */
import { HIGHEST_LEVEL } from '../../shared/run-spec.ts';
import type { Random } from '../random.ts';

/** Share of parents that are drawn evenly from all champions, for each level. */
const STRAYS = 0.15;
/** What each level adds to the temperature, which it never takes above 1: some providers accept no more. */
const WARMER = 0.1;
const WARMEST = 1;

/** 0 while the best improves; one more for each `length` generations without a better best. */
export function plateauLevel(generation: number, improvedAt: number, length: number | undefined): number {
  return length === undefined ? 0 : Math.min(HIGHEST_LEVEL, Math.floor(Math.max(0, generation - improvedAt) / length));
}

/** Whether a level is reached with the end of this generation, also one above the highest. */
export function reachesLevel(generation: number, improvedAt: number, length: number | undefined): boolean {
  return length !== undefined && generation > improvedAt && (generation - improvedAt) % length === 0;
}

/** Whether a parent is drawn from all champions, whatever the selector would choose. Draws nothing at level 0. */
export function straysAt(level: number, random: Random): boolean {
  return level > 0 && random.next() < STRAYS * level;
}

export function temperatureAt(level: number, usual: number): number {
  return Math.max(usual, Math.min(WARMEST, usual + WARMER * level));
}
