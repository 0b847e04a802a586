/**
 * Draws from the Beta and Gamma distributions (G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables",
 * 2000).
 */
import type { Random } from '../random.ts';

/** In [0, 1]; `a` and `b` above 0. */
export function drawBeta(a: number, b: number, random: Random): number {
  const x = drawGamma(a, random);
  const y = drawGamma(b, random);
  // Both are 0 when the shapes are so small that the powers below underflow.
  return x + y === 0 ? 0.5 : x / (x + y);
}

/** Draws from a gamma distribution of scale 1; `shape` is above 0. */
export function drawGamma(shape: number, random: Random): number {
  if (shape < 1) return drawGamma(shape + 1, random) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Standard normal (G. Box, M. Muller, 1958); the second of each pair is dropped, so that no state is kept. */
export function drawNormal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
