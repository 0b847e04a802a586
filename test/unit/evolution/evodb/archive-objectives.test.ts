import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ParetoFront } from '../../../../daemon/evolution/evodb/pareto.ts';
import { combinedFitness } from '../../../../daemon/evolution/objectives.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import type { Objective } from '../../../../shared/judging.ts';
import { shaOf } from '../../../conformance/selector.ts';

const objectives: Objective[] = [
  { metric: 'speedup', direction: 'max', weight: 2, step: 0.1 },
  { metric: 'peak_kb', direction: 'min', weight: 1, step: 64 },
];

describe('objectives', () => {
  it('add up, by weight, in steps, each in its direction', () => {
    const fitness = combinedFitness({ combine: 'weighted', of: objectives }, { speedup: 1.5, peak_kb: 640 });
    assert.ok(Math.abs(fitness - (2 * 15 - 10)) < 1e-9);
  });

  it('decide in their order: the next only among equals', () => {
    const metric = fc.record({
      a: fc.integer({ min: -20, max: 20 }),
      b: fc.integer({ min: -20, max: 20 }),
      c: fc.integer({ min: -20, max: 20 }),
    });
    const of: Objective[] = [
      { metric: 'a', direction: 'max', step: 5 },
      { metric: 'b', direction: 'min' },
      { metric: 'c', direction: 'max', step: 2 },
    ];
    const ranks = (m: { a: number; b: number; c: number }) => [Math.floor(m.a / 5), -m.b, Math.floor(m.c / 2)];
    fc.assert(
      fc.property(metric, metric, (one, other) => {
        const [left, right] = [one, other].map((m) => combinedFitness({ combine: 'lexicographic', of }, m));
        const first =
          ranks(one)
            .map((value, i) => value - (ranks(other)[i] ?? 0))
            .find((difference) => difference !== 0) ?? 0;
        assert.equal(Math.sign((left ?? Number.NaN) - (right ?? Number.NaN)), Math.sign(first));
      }),
      { numRuns: 1000 },
    );
  });

  it('name the metric that was not measured', () => {
    assert.throws(
      () => combinedFitness({ combine: 'weighted', of: objectives }, { speedup: 1 }),
      (error) => error instanceof PeagenError && /"peak_kb"/.test(error.message) && !/"speedup"/.test(error.message),
    );
  });
});

describe('Pareto front', () => {
  const entryOf = (id: number, speedup: number, peak_kb: number) => ({
    sha256: shaOf(id),
    fitness: speedup,
    features: [],
    metrics: { speedup, peak_kb },
    generation: 0,
    index: id,
    parents: [],
    mutator: '',
    summary: '',
  });
  const points = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 80 });

  it('holds exactly what no other covers, the first of equals', () => {
    fc.assert(
      fc.property(points, (given) => {
        const front = new ParetoFront(objectives, 1000);
        given.forEach(([speedup, kb], i) => {
          front.add(entryOf(i, speedup, kb));
        });
        const expected = given.flatMap(([speedup, kb], i) => {
          const beaten = given.some(([s, k], j) => s >= speedup && k <= kb && (s > speedup || k < kb || j < i));
          return beaten ? [] : [i];
        });
        assert.deepEqual(new Set(front.members().map(({ entry }) => entry.index)), new Set(expected));
      }),
    );
  });

  it('stays within its bound, keeps the best of each objective, and spreads over the rest', () => {
    const front = new ParetoFront(objectives, 12);
    const order = Array.from({ length: 200 }, (_, i) => (i * 73) % 200);
    for (const i of order) front.add(entryOf(i, i, i * 10));
    assert.equal(front.members().length, 12);
    const held = front
      .members()
      .map(({ entry }) => entry.index)
      .sort((a, b) => a - b);
    assert.equal(held[0], 0);
    assert.equal(held.at(-1), 199);
    const gaps = held.slice(1).map((value, i) => value - (held[i] ?? 0));
    assert.ok(Math.max(...gaps) < 60, `${held}`);
  });

  it('leaves out what lacks an objective', () => {
    const front = new ParetoFront(objectives);
    assert.equal(front.add({ ...entryOf(1, 1, 1), metrics: { speedup: 1 } }), false);
    assert.equal(front.add(entryOf(1, 1, 1)), true);
    assert.equal(front.add(entryOf(2, 1, 1)), false);
  });
});
