/** As few points of a line as look the same when it is drawn. Pure. */

export type Point = [x: number, y: number];

/**
 * A line that keeps its value until the next point: points that repeat the value before say nothing, and of those that
 * fall on the same place along x the last one shows. The first and the last stay. At most `most` and two more.
 */
export function thinSteps(points: readonly Point[], most: number): Point[] {
  const last = points.length - 1;
  const turns = points.filter(([, y], i) => i === 0 || i === last || y !== points[i - 1]?.[1]);
  if (turns.length <= most) return turns;
  const [from, to] = [turns[0]?.[0] ?? 0, turns.at(-1)?.[0] ?? 0];
  const place = ([x]: Point) => Math.floor(((x - from) / (to - from || 1)) * most);
  return turns.filter((point, i) => {
    const next = turns[i + 1];
    return i === 0 || next === undefined || place(next) !== place(point);
  });
}

/** The first, the last, and evenly spread ones between. */
export function thinEvenly(points: readonly Point[], most: number): Point[] {
  if (points.length <= most) return [...points];
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => points[Math.round(i * step)] ?? [0, 0]);
}
