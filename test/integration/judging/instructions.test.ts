/** Counting instructions with callgrind, where it is installed. */
import assert from 'node:assert/strict';
import { requireCounter } from '../../../daemon/executors/instructions.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { skipWithout } from '../../missing.ts';
import { judgeText, prepareText } from './judging.ts';

const slow =
  'def total(items):\n    result = 0\n    for item in items:\n        for _ in range(4):\n            result += item\n    return result // 4\n';
const better = slow.replace('range(4)', 'range(2)').replace('// 4', '// 2');

describe('counting instructions', function () {
  this.timeout(400_000);

  it('gives the same number again, and fewer for less work', async function () {
    const missing = await requireCounter('python').then(
      () => undefined,
      (error: unknown) => error,
    );
    if (missing !== undefined) {
      assert.ok(missing instanceof PeagenError && missing.code === 'missing_program');
      skipWithout('valgrind', this);
    }
    const evaluator = createFunctionEvaluator({ instructions: true });
    const { basis } = await prepareText(evaluator, 'python', slow, 'total', { calls: [{ args: [[...Array(200).keys()]] }] });
    const counts = async () => {
      const { outcome, metrics } = await judgeText(evaluator, 'python', better, basis, { effort: 'final', withinMs: 500 });
      assert.equal(outcome.kind, 'correct', outcome.detail);
      return [metrics['instructions'] ?? 0, metrics['baseline_instructions'] ?? 0] as const;
    };
    const [own, original] = await counts();
    const [again] = await counts();
    assert.ok(Math.abs(again / own - 1) < 0.001, `${own}, then ${again}`);
    assert.ok(original / own > 1.15 && original / own < 2.1, `${original} against ${own}`);
  });

  it('is refused where it cannot be done, with the fix', async () => {
    await assert.rejects(requireCounter('node'), /for Python only/);
    const path = process.env['PATH'];
    process.env['PATH'] = '/nowhere';
    try {
      await assert.rejects(requireCounter('python'), /valgrind.*was not found/);
    } finally {
      process.env['PATH'] = path;
    }
  });
});
