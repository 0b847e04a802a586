/** Luck: a search whose readings have the noise that was recorded on real machines. Each program has one sequence of them. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutator } from '../../../daemon/evolution/mutators/mutator.ts';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import { medianOf } from '../../../daemon/judging/timing/statistics/measure.ts';
import { estimate } from '../../../daemon/judging/timing/statistics/posterior.ts';
import { race } from '../../../daemon/judging/timing/statistics/race.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Execution } from '../../../shared/judging.ts';
import { type Program, replaceRange, spanText } from '../../../shared/program.ts';
import { pairOf } from '../../bench/race.ts';
import { openScene, registry, request, summaryOf } from '../../unit/engine/scene.ts';

const CANDIDATES = 400;
/** One search may be lucky or unlucky itself. */
const SEEDS = [1, 2, 3];
/** The original is worth 1, which is written as a million. */
const UNIT = 1_000_000;
/** What the noise of a pair is taken for before a run knows its own. */
const NOISE = 0.08;
/** A candidate that is said to be worth this many times as much as it is was lucky. */
const LUCKY = 1.1;

const textOf = ({ files }: Program) => files[0]?.text ?? '';
const worthOf = (program: Program) => Number(/unused = \[(\d+)\]/.exec(textOf(program))?.[1] ?? UNIT) / UNIT;

/** One child in twenty is faster than its parent, by up to 25 %; the others are slower. */
const stepping: Mutator = {
  name: 'stepping',
  requires: [],
  mutate: async ({ parent: { program }, seed }) => {
    const random = createRandom(seed, 'step');
    const step = random.next() < 0.05 ? 0.25 * random.next() : -0.15 * random.next();
    const worth = worthOf(program) * Math.exp(step);
    const [span] = program.spans;
    assert.ok(span !== undefined);
    const text = spanText(program, span).replace(/unused = \[.*\]/, `unused = [${Math.round(UNIT * worth)}]`);
    const origin = { mutator: 'stepping', summary: `a program worth ${worth}` };
    return { kind: 'child', program: replaceRange(program, span, text), origin, tokens: { prompt: 0, completion: 0 } };
  },
};
registry.register('mutator', 'stepping', async () => () => stepping, 'test');

function measured(readings: number[], noise: number): Execution {
  const { ratio, low, high } = estimate(readings, noise);
  const metrics = { baseline_ms: 10, speed_ms: 10 / ratio, speedup: ratio, speedup_low: low, speedup_high: high, peak_kb: 1 };
  return { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {}, readings };
}

function noisy(name: string): Evaluator {
  const taken = new Map<string, number>();
  const next = (program: Program): number => {
    const text = textOf(program);
    const index = taken.get(text) ?? 0;
    taken.set(text, index + 1);
    return pairOf(worthOf(program), createRandom(text, index));
  };
  return {
    name,
    metric: 'speedup_low',
    parse: () => undefined,
    requires: () => [],
    prepare: async (original, spec) => ({
      basis: { evaluator: spec, original, data: null },
      execution: measured([0], 0),
    }),
    judge: async (candidate, _, { pairs, toBeat, best, noise = NOISE }) => {
      const readings: number[] = [];
      do readings.push(next(candidate));
      while (pairs === undefined ? race(readings, noise, { mustBeat: toBeat, best }) === 'more' : readings.length < pairs);
      return measured(readings, noise);
    },
  };
}

describe('a search with the noise that was recorded', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-noise-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const searched = async (seed: number): Promise<{ worth: number; figure: number; lucky: number }> => {
    const evaluator = noisy(`noisy-${seed}`);
    const asked = request({
      ...{ mutator: 'stepping', seed, population: 1, deterministic: false, evaluator: { name: evaluator.name, options: {} } },
      ...{ stop: { max_generations: CANDIDATES, no_improve: CANDIDATES }, confirm: 'none' },
    });
    registry.register('evaluator', evaluator.name, async () => () => evaluator, 'test');
    const worths = new Map<string, number>();
    let lucky = 0;
    await mkdir(join(folder, `${seed}`));
    const scene = await openScene(join(folder, `${seed}`), asked, 1, {
      evaluator,
      settings: '[selector.epsilon]\neps_init = 0\nfloor = 0\n',
      hear: (event, run) => {
        // One candidate at a time: then the readings alone decide what comes next.
        if (run !== undefined && event.type === 'mutated') run.state.paused = true;
        if (run !== undefined && event.type === 'generation') run.state.paused = false;
        if (event.type === 'mutated') worths.set(event.sha256, Number(/worth (.*)/.exec(event.origin.summary)?.[1]));
        if (event.type === 'evaluated' && (event.metrics['speedup'] ?? 0) > (worths.get(event.sha256) ?? 1) * LUCKY) lucky++;
      },
    });
    await summaryOf(scene);
    const best = scene.run.state.archive.best();
    assert.ok(best !== undefined);
    return { worth: worths.get(best.sha256) ?? 1, figure: best.metrics['speedup'] ?? 1, lucky };
  };

  it('ends with a champion that is worth twice the original and not overstated, although some candidates are lucky', async () => {
    const ended = [];
    for (const seed of SEEDS) ended.push(await searched(seed));
    const said = JSON.stringify(ended);
    assert.ok(
      ended.every(({ lucky }) => lucky >= 10),
      said,
    );
    assert.ok(medianOf(ended.map(({ worth }) => worth)) >= 2, said);
    assert.ok(Math.abs(medianOf(ended.map(({ worth, figure }) => figure / worth)) - 1) < 0.05, said);
  });
});
