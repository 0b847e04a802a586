import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import { scoreInterval } from '../../../daemon/judging/timing/statistics/scores.ts';
import type { Program } from '../../../shared/program.ts';
import { openScene, recordsOf, registry, request, summaryOf } from './scene.ts';

/** The score is what the program is worth and up to 3 more or less, by the seed. */
let spread = 3;
const scored = (program: Program, seed = 0) => {
  const [, digits = '0'] = /unused = \[\d{4}(\d{3})\]/.exec(program.files[0]?.text ?? '') ?? [];
  const score = Number(digits) / 100 + spread * Math.sin(Number(digits) + 12 * seed);
  return { outcome: { kind: 'correct' as const, detail: '' }, metrics: { combined_score: score }, artifacts: {} };
};
const varying: Evaluator = {
  name: 'varying',
  metric: 'combined_score',
  parse: () => undefined,
  requires: () => [],
  prepare: async (original, spec, { seed }) => {
    return { basis: { evaluator: spec, original, data: null }, execution: scored(original, seed) };
  },
  judge: async (candidate, _, { seed }) => scored(candidate, seed),
};
registry.register('evaluator', 'varying', async () => () => varying, 'test');

const axes = [{ name: 'size', bin: 40, unit: 'characters' }];
const asked = () => {
  const evaluator = { name: 'varying', options: {} };
  return request({ mutator: 'scripted', population: 4, deterministic: false, stop: { max_generations: 4 }, evaluator, axes });
};

describe('scores that vary', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-repeats-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const search = async (settings: string) => {
    const scene = await openScene(folder, asked(), 1, { evaluator: varying, settings });
    return { scene, summary: await summaryOf(scene) };
  };

  it('are evaluated once unless the user asks for more', async () => {
    const { scene } = await search('');
    assert.deepEqual(
      scene.events.filter(({ type }) => type === 'measured'),
      [],
    );
  });

  it('are repeated for who would win and for who holds the title, with the seeds that are given, and announced with an interval', async () => {
    const { scene, summary } = await search('[evaluate]\nrepeats = 4\nseeds = [7, 8, 9, 10]\n');
    const { archive, readings } = scene.run.state;
    const best = archive.best();
    assert.ok(best !== undefined && summary.best?.score !== undefined);
    const scores = readings.scores(best.sha256).map((metrics) => metrics['combined_score'] ?? 0);
    assert.ok(scores.length >= 2 && scores.length <= 4);
    assert.ok(Math.abs(best.fitness - scoreInterval(scores).mean) < 1e-9, 'fitness is the mean of all evaluations');
    const program = await recordsOf(folder).readProgram(scene.run.state.objectOf(best.sha256) ?? best.sha256);
    assert.deepEqual(
      scores,
      [7, 8, 9, 10].slice(0, scores.length).map((seed) => scored(program, seed).metrics.combined_score),
    );
    const { low, high } = summary.best.score;
    assert.ok(low !== undefined && high !== undefined && low < high);
    assert.deepEqual((await recordsOf(folder).load(summary.run)).archive.champions(), archive.champions());
  });

  it('are announced by one evaluation where the run stops before the second, and nothing else beats the original', async () => {
    const stopped = Promise.withResolvers<void>();
    const slow: Evaluator = {
      ...varying,
      judge: async (candidate, _, { seed = 0 }) => {
        if (seed > 0) await stopped.promise;
        return scored(candidate, seed);
      },
    };
    const scene = await openScene(folder, asked(), 2, {
      evaluator: slow,
      settings: '[evaluate]\nrepeats = 4\n',
      hear: (event, run) => {
        if (event.type === 'evaluated' && (event.fitness ?? 0) > 0) run?.stop();
        if (event.type === 'confirming') stopped.resolve();
      },
    });
    const summary = await summaryOf(scene);
    const evaluated = scene.events.flatMap((event) => (event.type === 'evaluated' ? [event.sha256] : []));
    assert.ok(summary.best !== null && evaluated.includes(summary.best.sha256));
    assert.ok(!scene.events.some((event) => event.type === 'measured'));
  });

  it('end early where the intervals lie apart', async () => {
    spread = 0.001;
    try {
      const { scene } = await search('[evaluate]\nrepeats = 50\n');
      const { archive, readings } = scene.run.state;
      assert.ok(archive.champions().every(({ sha256 }) => readings.scores(sha256).length < 10));
    } finally {
      spread = 3;
    }
  });
});

describe('the interval of scores', () => {
  it('is that of Student for few of them, and nothing for one', () => {
    const { mean, low, high } = scoreInterval([1, 2, 3]);
    assert.equal(mean, 2);
    assert.ok(Math.abs(high - mean - 4.303 / Math.sqrt(3)) < 1e-9 && Math.abs(mean - low - (high - mean)) < 1e-9);
    assert.deepEqual(scoreInterval([5]), { mean: 5, low: 5, high: 5 });
    assert.throws(() => scoreInterval([]), RangeError);
  });
});
