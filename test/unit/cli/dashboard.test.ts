import assert from 'node:assert/strict';
import { dashboardLines } from '../../../daemon/cli/dashboard.ts';
import { RunInfo } from '../../../shared/run.ts';
import { graph, type TrendStep } from '../../../shared/trend.ts';

const info = RunInfo.parse({
  run: 'r',
  state: 'running',
  target: { root: '/', path: 'sort.py', entry_fn: 'sort' },
  started_at: '2026-01-31T14:25:01.000Z',
  generation: 4,
  max_generations: 8,
  candidates: 32,
  evaluated: 30,
  correct: 20,
  best: 4,
  baseline: { fitness: 1, is_speedup: true },
  stats: { coverage: 7, qd_score: 9, best: 4 },
  axes: [{ name: 'speed', bin: 5, unit: 'ms' }],
  tokens: { prompt: 900, completion: 100 },
  budget_tokens: 200000,
  trend: [
    [0, 1],
    [2, 2],
    [4, 4],
  ],
});
const elite = {
  sha256: info.run as never,
  niche: '0',
  fitness: 4,
  features: [1],
  metrics: {},
  generation: 4,
  index: 3,
  parents: [],
  mutator: 'patch',
  summary: 'sort\nwith \u001b[2Jcare',
};
const fabric = {
  at: info.started_at,
  tokens_per_second: 12,
  tokens: 1000,
  pending: { execute: 3, mutate: 0 },
  workers: { live: 4, idle: 1 },
  alerts: [],
};
const now = Date.parse(info.started_at) + 9000;

describe('the dashboard on a terminal', () => {
  it('shows the run, its best over the generations, its elites and what the fabric does', () => {
    const lines = dashboardLines({ info, elites: [elite], fabric, now }, 100, 30);
    assert.equal(lines[0], 'sort.py · sort   running, 9 s');
    assert.match(lines[1] ?? '', /generation 4\/8 .*best 4\.00× {2}9 s left {2}30 evaluated.*20 correct.*7 niches/);
    assert.match(lines[2] ?? '', /^tokens 1,000 of 200,000, 12\/s {3}waiting: 3 execute {3}workers: 4 alive, 1 idle$/);
    assert.ok(
      lines.some((line) => /4\.000 │ +█+$/.test(line)),
      lines.join('\n'),
    );
    assert.match(lines.at(-1) ?? '', /4\.00× +sort with \\u001b\[2Jcare · patch, generation 4, speed 0–5 ms$/);
  });

  it('never has more lines, or longer ones, than the terminal', () => {
    for (const [width, height] of [
      [40, 5],
      [200, 50],
    ] as const) {
      const lines = dashboardLines({ info, elites: [elite], fabric, now }, width, height);
      assert.ok(lines.length <= height && lines.every((line) => line.length < width));
    }
  });
});

describe('the graph of a best', () => {
  it('rises with each better best, from the lowest block to the top of the highest row', () => {
    const steps: TrendStep[] = [
      [0, 1],
      [2, 2],
      [4, 3],
    ];
    assert.deepEqual(graph(steps, 4, 4, 2), [' ▁▁█', '▁███']);
    assert.deepEqual(graph([[0, 1]], 4, 4, 2), []);
  });
});
