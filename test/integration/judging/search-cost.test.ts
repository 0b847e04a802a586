/** How many processes a search starts for a candidate, counted where sandboxes are opened: none of these is forked from another. */
import assert from 'node:assert/strict';
import type { EvaluatorContext } from '../../../daemon/judging/evaluator.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { KeptOriginals, LIFE, TURNS } from '../../../daemon/judging/timing/kept-originals.ts';
import { contextOf, judgeText, prepareText } from './judging.ts';

const original = 'def total(items):\n    sum = 0\n    for item in items:\n        sum += item\n    return sum\n';
/** Clearly slower, so that nothing that it claims is doubted. */
const slower = original.replace(
  '        sum += item',
  '        for part in (item, 0, 0, 0, 0, 0, 0, 0):\n            sum += part',
);
const calls = [{ args: [Array.from({ length: 500 }, (_, index) => index)] }];

describe('what a candidate costs in a search', () => {
  const evaluator = createFunctionEvaluator();
  let basis: Awaited<ReturnType<typeof prepareText>>['basis'];
  before(async () => {
    ({ basis } = await prepareText(evaluator, 'python', original, 'total', { calls }, { pairs: 1 }));
  });

  async function counting(): Promise<{ context: EvaluatorContext; opened: () => number }> {
    const context = await contextOf();
    const { nests: _, ...tier } = context.sandboxes.tier;
    let opened = 0;
    const open: typeof tier.open = (spec) => {
      opened++;
      return tier.open(spec);
    };
    return { context: { ...context, sandboxes: { ...context.sandboxes, tier: { ...tier, open } } }, opened: () => opened };
  }

  async function costOf(text: string, more: Partial<EvaluatorContext>): Promise<{ kind: string; processes: number }> {
    const { context, opened } = await counting();
    const { outcome } = await judgeText(evaluator, 'python', text, basis, { ...context, toBeat: 1, best: 1000, ...more });
    return { kind: outcome.kind, processes: opened() };
  }

  it('is one process for a wrong one', async () => {
    const wrong = original.replace('return sum', 'return sum + 1');
    assert.deepEqual(await costOf(wrong, { role: 'newcomer' }), { kind: 'wrong', processes: 1 });
  });

  it('is one of the original beyond that for a loser', async () => {
    const { processes } = await costOf(slower, { role: 'newcomer', best: 1, noise: 0.05 });
    assert.equal(processes, 2);
  });

  it('is a pair for each reading in a match, where correctness is known', async () => {
    for (const role of ['challenger', 'holder'] as const)
      assert.deepEqual(await costOf(slower, { role, peakKb: 1, pairs: 2 }), { kind: 'correct', processes: 4 });
  });

  it('keeps the memory that was found for the program in a match', async () => {
    const { metrics } = await judgeText(evaluator, 'python', slower, basis, {
      role: 'challenger',
      peakKb: 7,
      pairs: 1,
      best: 1000,
    });
    assert.equal(metrics['peak_kb'], 7);
  });

  describe('with runners of the original that are kept', () => {
    const signal = new AbortController().signal;
    const pass = (kept: KeptOriginals<number>, value: number) =>
      kept.use(signal, (_runner, original = value) => Promise.resolve({ result: original, original }));

    it('takes turns between two, each for a few pairs', async () => {
      const { context, opened } = await counting();
      const kept = new KeptOriginals<number>(context.sandboxes, 'python', 60_000);
      try {
        const used: number[] = [];
        for (let pair = 0; pair < LIFE; pair++) used.push(await pass(kept, pair));
        // The first has half of a life only.
        assert.deepEqual(used, [0, 1, 0, 1, 0, 1, 0, LIFE - 1]);
        assert.equal(opened(), TURNS + 1);
      } finally {
        await kept.close();
      }
    });

    it('keeps none after a pair that failed, and none after an abort', async () => {
      const { context, opened } = await counting();
      const kept = new KeptOriginals<number>(context.sandboxes, 'python', 60_000);
      try {
        await kept.use(signal, () => Promise.resolve({ result: 0, original: undefined }));
        await assert.rejects(
          kept.use(signal, () => Promise.reject(new Error('broken'))),
          /broken/,
        );
        const aborter = new AbortController();
        await kept.use(aborter.signal, () => {
          aborter.abort();
          return Promise.resolve({ result: 0, original: 5 });
        });
        assert.equal(await pass(kept, 7), 7);
        assert.equal(opened(), 4);
      } finally {
        await kept.close();
      }
    });
  });
});
