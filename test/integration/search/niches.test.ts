/** Niches that mean something: two approaches stay although one leads, and how fast the machine is changes no niche. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import type { LlmBackend } from '../../../daemon/llm/backend.ts';
import { createRandom } from '../../../daemon/random.ts';
import { openScene, registry, request, shortness, summaryOf } from '../../unit/engine/scene.ts';

const LOOP = 'total = 0\n    for item in items:\n        total = total + item\n    return total';
const SUM = 'return sum(sorted(items))';

/** Keeps the family of the parent nine times of ten; each child has a number of its own, of one length. */
const families: LlmBackend = {
  name: 'a',
  model: 'families',
  ask: async ({ prompt, seed = 0 }) => {
    const random = createRandom(seed);
    const [, parent = ''] = /## Program\n```python\n([\s\S]*?)```/.exec(prompt) ?? [];
    const adds = parent.includes('sum(') !== random.next() < 0.1;
    const body = `    mark = ${1_000_000 + random.int(9_000_000)}\n    ${adds ? SUM : LOOP}\n`;
    return {
      text: `Change: ${adds ? 'add with sum' : 'add in a loop'}\n\`\`\`python\ndef busy(items):\n${body}\`\`\`\n`,
      ...{ backend: 'a', model: 'families', tokens: { prompt: 1, completion: 1 } },
      ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
    };
  },
};
registry.register('backend', 'families', async () => () => families, 'test');
const settings = '[evolve]\nreflect = 0\n[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "families"\n';

/** Every measured time is another one, as on a busy machine; the operations that decide stay the same. */
let readings = 0;
const busy = (execution: Awaited<ReturnType<Evaluator['judge']>>): typeof execution => ({
  ...execution,
  metrics: { ...execution.metrics, speed_ms: 1 + (++readings % 97), peak_kb: 1 + (readings % 31) },
});
const noisy: Evaluator = { ...shortness, name: 'unsteady', judge: async (...args) => busy(await shortness.judge(...args)) };
registry.register('evaluator', 'unsteady', async () => () => noisy, 'test');

/** As of a model, nothing of a program is too much: what of it could be left out would be right by its length alone. */
const whole: Evaluator = {
  ...shortness,
  name: 'whole',
  judge: async (candidate, ...rest) => {
    const execution = await shortness.judge(candidate, ...rest);
    const isWhole = candidate.files.every(
      ({ text }) => text.includes('mark = ') && [LOOP, SUM].some((body) => text.includes(body)),
    );
    return isWhole ? execution : { ...execution, outcome: { kind: 'wrong', detail: 'it is not whole' } };
  },
};
registry.register('evaluator', 'whole', async () => () => whole, 'test');

describe('the niches of a search', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-niches-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const { axes: _, ...usual } = request({ mutator: 'rewrite', population: 8, stop: { max_generations: 25 } });

  it('keep two approaches over 200 candidates although one of them leads, and are few', async () => {
    const asked = { ...usual, evaluator: { name: 'whole', options: {} } };
    const scene = await openScene(folder, asked, 4, { evaluator: whole, settings });
    const summary = await summaryOf(scene);
    assert.equal(summary.candidates, 200);
    const champions = scene.run.state.archive.champions().map(({ summary: how }) => how);
    assert.ok(champions.includes('add with sum') && champions.includes('add in a loop'), champions.join());
    assert.equal(scene.run.state.archive.best()?.summary, 'add with sum');
    assert.ok(summary.coverage <= 4, `${summary.coverage} niches`);
  });

  it('are the same in two runs with one seed, whatever is measured meanwhile and with one worker or eight', async () => {
    const asked = { ...usual, evaluator: { name: 'unsteady', options: {} } };
    const [one, other] = await Promise.all(
      [1, 8].map((workers) => openScene(folder, asked, workers, { evaluator: noisy, settings })),
    );
    assert.ok(one !== undefined && other !== undefined);
    const [first, second] = await Promise.all([summaryOf(one), summaryOf(other)]);
    assert.equal(first.coverage, second.coverage);
    const names = (scene: typeof one) => scene.run.state.archive.champions().map(({ niche }) => niche);
    assert.deepEqual(names(one), names(other));
  });
});
