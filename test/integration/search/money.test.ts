/** What a search with models costs: what is expected after five candidates, what is spent of a budget, and on which model. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../daemon/config/load.ts';
import { planRun } from '../../../daemon/engine/target/plan.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Expected, RunSummary } from '../../../shared/run.ts';
import { openScene, recordsOf, registry, request, shortness, summaryOf } from '../../unit/engine/scene.ts';

let open = 0;
let mostOpen = 0;
/** Nobody is answered before this number is asked at a time; where fewer may be, none of a run would ever end. */
let together = 1;
let enough = Promise.withResolvers<void>();

/** Each answer has 1,000 to 2,000 tokens with its prompt, and another program; one in eight is shorter than all before. */
registry.register(
  'backend',
  'talkative',
  async () => (_, name) => ({
    name,
    model: 'talkative',
    ask: async ({ seed = 0 }) => {
      mostOpen = Math.max(mostOpen, ++open);
      if (open >= together) enough.resolve();
      await enough.promise;
      open--;
      const random = createRandom(seed);
      const lines = random.next() < 0.125 ? [] : ['    check = len(items)'];
      const body = [...lines, `    unused = ${1_000_000 + random.int(9_000_000)}`, '    return sum(items)'];
      return {
        text: `Change: another number\n\n\`\`\`python\ndef busy(items):\n${body.join('\n')}\n\`\`\`\n`,
        ...{ backend: name, model: 'talkative', tokens: { prompt: 700, completion: 300 + random.int(1000) } },
        ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
      };
    },
  }),
  'test',
);

/** It says the same again and again. */
registry.register(
  'backend',
  'repetitive',
  async () => (_, name) => ({
    name,
    model: 'repetitive',
    ask: async () => ({
      text: 'Change: add them up\n\n```python\ndef busy(items):\n    return sum(items)\n```\n',
      ...{ backend: name, model: 'repetitive', tokens: { prompt: 700, completion: 300 } },
      ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
    }),
  }),
  'test',
);

const backend = (name: string, price: number, preset = 'talkative') =>
  `[[llm.backends]]\nname = "${name}"\nmodel = "m"\npreset = "${preset}"\nprice_prompt = ${price}\nprice_completion = ${4 * price}\n`;
const spent = ({ tokens }: RunSummary) => tokens.prompt + tokens.completion;

describe('what a search with models costs', () => {
  let folder: string;
  beforeEach(async () => {
    [open, mostOpen, together] = [0, 0, 1];
    enough = Promise.withResolvers();
    folder = await mkdtemp(join(tmpdir(), 'peagen-money-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is expected within a quarter after five candidates', async () => {
    const asked = request({ mutator: 'rewrite', population: 5, stop: { max_generations: 12 } });
    let expected: Expected | undefined;
    const hear = (_: unknown, run: { info(): { expected?: Expected | undefined } } | undefined) => {
      expected ??= run?.info().expected;
    };
    const summary = await summaryOf(await openScene(folder, asked, 4, { settings: backend('a', 1), hear }));
    assert.ok(expected !== undefined);
    const off = Math.abs(expected.tokens / spent(summary) - 1);
    assert.ok(off < 0.25, `expected ${expected.tokens}, spent ${spent(summary)}`);
  });

  it('is expected as the latest run of the same target has cost, though its model repeated itself', async () => {
    const asked = request({ mutator: 'rewrite', population: 5, stop: { max_generations: 4 } });
    const settings = backend('a', 1, 'repetitive');
    const config = parseConfig({ text: settings, file: '.peagen.toml', env: {}, flags: { evaluate: { sandbox: 'plain' } } });
    const planned = async () => {
      const plan = await planRun(asked, { config, registry }, { of: () => Promise.reject(new Error()) }, recordsOf(folder));
      return plan.expected?.tokens ?? 0;
    };
    const first = await planned();
    const summary = await summaryOf(await openScene(folder, asked, 4, { settings }));
    assert.ok(first < 0.5 * spent(summary), `${first} before, ${spent(summary)} spent`);
    assert.equal(await planned(), spent(summary));
  });

  it('is nine tenths of a budget of 100,000 tokens at least, and never more than all, with eight questions at a time', async () => {
    together = 8;
    const stop = { max_generations: 100, budget_tokens: 100_000, no_improve: 100 };
    const asked = request({ mutator: 'rewrite', population: 10, deterministic: false, stop });
    const scene = await openScene(folder, asked, 16, {
      settings: backend('a', 1),
      attemptCost: { least: 8_000, most: 45_000 },
    });
    const summary = await summaryOf(scene);
    assert.equal(summary.stopped, 'budget_tokens');
    assert.ok(spent(summary) >= 90_000 && spent(summary) <= 100_000, `${spent(summary)}`);
    assert.ok(mostOpen >= 8, `${mostOpen} at a time`);
  });

  it('is not lost on a candidate that is being judged when the model has nothing else to say', async () => {
    const released = Promise.withResolvers<void>();
    const judge: typeof shortness.judge = async (...of) => {
      await released.promise;
      return shortness.judge(...of);
    };
    registry.register('evaluator', 'patient', async () => () => ({ ...shortness, name: 'patient', judge }), 'test');
    let rejected = 0;
    // One slot of the first generation, and both of the next three, after four attempts each: a run that does not wait is over with
    // the last of these answers, before the verdict on the candidate can come back from the worker.
    const hear = (event: { readonly type: string }) => {
      if (event.type === 'rejected' && ++rejected === 28) released.resolve();
    };
    const stop = { max_generations: 10, no_improve: 10 };
    const evaluator = { name: 'patient', options: {} };
    const asked = request({ mutator: 'rewrite', population: 2, deterministic: false, stop, evaluator });
    const scene = await openScene(folder, asked, 4, { settings: backend('a', 1, 'repetitive'), hear });
    const summary = await summaryOf(scene);
    assert.deepEqual([summary.stopped, summary.candidates, summary.best === null], ['exhausted', 1, false]);
  });

  it('goes to the cheaper of two models of equal worth for four questions of five', async () => {
    const asked = request({ mutator: 'rewrite', population: 10, stop: { max_generations: 20, no_improve: 100 } });
    const settings = backend('dear', 10) + backend('cheap', 1);
    const scene = await openScene(folder, asked, 4, { settings });
    await summaryOf(scene);
    const chosen = scene.events.flatMap((event) => (event.type === 'selected' ? [event.backend] : []));
    const cheap = chosen.filter((name) => name === 'cheap').length;
    assert.ok(cheap >= 0.8 * chosen.length, `${cheap} of ${chosen.length}`);
  });
});
