import assert from 'node:assert/strict';
import fc from 'fast-check';
import { History, type HistoryPoint } from '../../../shared/history.ts';
import { addStep, sparkline, type TrendStep } from '../../../shared/trend.ts';

const point = (generation: number, best: number | null): HistoryPoint => ({
  ms: generation * 10,
  generation,
  candidates: generation,
  best,
  coverage: 1,
  tokens: 0,
});

describe('the course of a run', () => {
  it('has a point for each generation and each better best, and none that says nothing new', () => {
    const history = new History();
    assert.deepEqual(
      [point(0, 1), point(0, 1), point(0, 2), point(1, 2)].map((at) => history.note(at)),
      [true, false, true, true],
    );
    assert.deepEqual(history.steps, [
      [0, 1],
      [0, 2],
    ]);
  });

  it('stays small over a long run, and keeps its first point, its last and its best', () => {
    const history = new History();
    for (let i = 0; i < 20_000; i++) history.note(point(i, i < 9_999 ? 1 : 5));
    assert.ok(history.points.length <= 4000);
    assert.equal(history.points[0]?.generation, 0);
    assert.equal(history.points.at(-1)?.generation, 19_999);
    assert.ok(history.points.some(({ generation, best }) => generation === 9_999 && best === 5));
  });

  it('can be taken up from its points', () => {
    const history = new History([point(0, 1), point(1, 3)]);
    assert.equal(history.note(point(1, 3)), false);
    assert.equal(history.note(point(2, 3)), true);
    assert.equal(history.points.length, 3);
  });
});

describe('a sparkline', () => {
  it('rises where the best got better', () => {
    const steps: TrendStep[] = [
      [0, 1],
      [4, 2],
      [8, 3],
    ];
    assert.equal(sparkline(steps, 8), '▁▁▁▅▅▅▅█');
    assert.equal(sparkline([[0, 1]], 8), '', 'nothing got better');
    const atOnce: TrendStep[] = [
      [0, 1],
      [1, 3],
    ];
    assert.equal(sparkline(atOnce, 8), '', 'it got better before the first column');
  });

  it('never falls, is as wide as asked, and ends at the best', () => {
    const runs = fc.array(fc.tuple(fc.nat(50), fc.double({ min: -1e6, max: 1e6, noNaN: true })), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 20 }), (given, width) => {
        let steps: readonly TrendStep[] = [];
        for (const [generation, best] of given.sort((a, b) => a[0] - b[0])) steps = addStep(steps, generation, best);
        assert.ok(steps.length <= 64);
        const line = [...sparkline(steps, 50, width)];
        if (steps.length < 2) return assert.deepEqual(line, []);
        // All of the gain may lie before the first column.
        if (line.length === 0) return;
        assert.equal(line.length, width);
        assert.deepEqual(line, [...line].sort());
        assert.equal(line.at(-1), '█');
      }),
    );
  });
});
