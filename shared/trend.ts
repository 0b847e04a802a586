/** The better bests of a run, one step each: kept short, and shown as a line of text. Needs nothing, so that a view loads at once. */

import type { RunEvent } from './run.ts';

/** The events after which the best may be another, or a generation is complete; after `minimised` it is measured with care. */
export function movesBest({ type }: Pick<RunEvent, 'type'>): boolean {
  return ['baseline', 'inserted', 'judged', 'discarded', 'refuted', 'minimised', 'generation'].includes(type);
}

/** The generation that a better best came in, and its fitness. */
export type TrendStep = [generation: number, best: number];

/** Beyond this, every second step between the first and the last is left out. */
const MAX_STEPS = 64;

/** The steps with one more, when `best` is better than the last; the same array when it is not. */
export function addStep(steps: readonly TrendStep[], generation: number, best: number | null): readonly TrendStep[] {
  const last = steps.at(-1);
  if (best === null || (last !== undefined && best <= last[1])) return steps;
  const longer: TrendStep[] = [...steps, [generation, best]];
  // The first and the last always stay.
  return longer.length <= MAX_STEPS ? longer : longer.filter((_, i) => i === 0 || i === longer.length - 1 || i % 2 === 0);
}

const blocks = '▁▂▃▄▅▆▇█';

/** The best score over the generations as a line of text: `▁▁▃▃▅█`. Empty when nothing got better, or all of it at once. */
export function sparkline(steps: readonly TrendStep[], generations: number, width = 8): string {
  const drawn = heights(steps, generations, width).map((share) => blocks[Math.round(share * (blocks.length - 1))] ?? '');
  return new Set(drawn).size < 2 ? '' : drawn.join('');
}

/** The same as lines of text, from the top; the first best has a height too. */
export function graph(steps: readonly TrendStep[], generations: number, width: number, rows: number): string[] {
  const levels = rows * blocks.length;
  const columns = heights(steps, generations, width).map((share) => 1 + Math.round(share * (levels - 1)));
  return Array.from({ length: columns.length === 0 ? 0 : rows }, (_, row) => {
    const below = levels - (row + 1) * blocks.length;
    return columns.map((level) => (level <= below ? ' ' : (blocks[Math.min(level - below, blocks.length) - 1] ?? ' '))).join('');
  });
}

/** For each column how good the best was by then, from 0, the first best, to 1, the last. Empty when nothing got better. */
function heights(steps: readonly TrendStep[], generations: number, width: number): number[] {
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined || steps.length < 2) return [];
  const [low, high] = [first[1], last[1]];
  const end = Math.max(generations, last[0], 1);
  let at = 0;
  return Array.from({ length: width }, (_, i) => {
    const generation = ((i + 1) / width) * end;
    for (let next = steps[at + 1]; next !== undefined && next[0] <= generation; next = steps[at + 1]) at++;
    return ((steps[at]?.[1] ?? low) - low) / (high - low);
  });
}
