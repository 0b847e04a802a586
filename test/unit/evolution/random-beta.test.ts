import assert from 'node:assert/strict';
import { drawBeta, drawGamma, drawNormal } from '../../../daemon/evolution/beta.ts';
import { createRandom } from '../../../daemon/random.ts';

const draws = 40_000;

function moments(draw: () => number): { mean: number; variance: number; values: number[] } {
  const values = Array.from({ length: draws }, draw);
  const mean = values.reduce((a, b) => a + b) / draws;
  return { mean, variance: values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws, values };
}

/** Within five standard errors of the mean. */
function near(actual: number, expected: number, deviation: number): void {
  assert.ok(Math.abs(actual - expected) < (5 * deviation) / Math.sqrt(draws), `${actual} is not ${expected}`);
}

describe('random distributions', () => {
  it('has the mean and variance of the Beta distribution, also for small and large shapes', () => {
    for (const [a, b] of [
      [1, 1],
      [0.3, 0.6],
      [2, 5],
      [80, 20],
    ] as const) {
      const random = createRandom('beta', a, b);
      const { mean, variance, values } = moments(() => drawBeta(a, b, random));
      const expected = (a * b) / ((a + b) ** 2 * (a + b + 1));
      near(mean, a / (a + b), Math.sqrt(expected));
      assert.ok(Math.abs(variance / expected - 1) < 0.06, `variance ${variance}, expected ${expected}`);
      assert.ok(values.every((x) => x >= 0 && x <= 1));
    }
  });

  it('is a number for the tiniest shapes', () => {
    const random = createRandom('tiny');
    for (let i = 0; i < 1000; i++) assert.ok(Number.isFinite(drawBeta(1e-9, 1e-9, random)));
  });

  it('has the mean and variance of the Gamma distribution', () => {
    for (const shape of [0.4, 1, 3.5]) {
      const random = createRandom('gamma', shape);
      const { mean, variance } = moments(() => drawGamma(shape, random));
      near(mean, shape, Math.sqrt(shape));
      assert.ok(Math.abs(variance / shape - 1) < 0.08, `variance ${variance}`);
    }
  });

  it('has the mean and variance of the normal distribution', () => {
    const random = createRandom('normal');
    const { mean, variance } = moments(() => drawNormal(random));
    near(mean, 0, 1);
    assert.ok(Math.abs(variance - 1) < 0.04, `variance ${variance}`);
  });
});
