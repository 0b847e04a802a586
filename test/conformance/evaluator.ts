/** What every evaluator promises: what it judges by travels, right programs are correct and measured, wrong ones are neither. */
import assert from 'node:assert/strict';
import { pack, unpack } from '../../daemon/fabric/msgpack.ts';
import type { Evaluator, EvaluatorContext } from '../../daemon/judging/evaluator.ts';
import { type EvaluatorSpec, Execution } from '../../shared/judging.ts';
import { Basis } from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import { CapTag } from '../../shared/task.ts';

export interface EvaluatorUnderTest {
  readonly evaluator: Evaluator;
  readonly spec: EvaluatorSpec;
  /** Options that it refuses: one that it needs is not there, or is of another type. */
  readonly malformed: EvaluatorSpec['options'];
  readonly context: EvaluatorContext;
  readonly original: Program;
  /** Another program that does the same. */
  readonly right: Program;
  readonly wrong: Program;
}

export function evaluatorConformance(name: string, open: () => Promise<EvaluatorUnderTest>): void {
  describe(`evaluator ${name}`, function () {
    this.timeout(300_000);
    let under: EvaluatorUnderTest;
    let basis: Basis;
    before(async () => {
      under = await open();
    });

    it('has its name and the name of its metric, and requires tags', () => {
      const { evaluator, original } = under;
      assert.equal(evaluator.name, name);
      assert.ok(evaluator.metric.length > 0);
      for (const tag of evaluator.requires(original.language)) CapTag.parse(tag);
    });

    it('takes its options, and refuses malformed ones with a message', () => {
      const { evaluator, spec, malformed } = under;
      evaluator.parse(spec);
      const refused = () => evaluator.parse({ ...spec, options: malformed });
      assert.throws(refused, (error) => error instanceof Error && error.message.length > 0);
    });

    it('judges the original, and makes a basis that a queue can carry', async () => {
      const { evaluator, original, spec, context } = under;
      const prepared = await evaluator.prepare(original, spec, context);
      basis = Basis.parse(unpack(pack(prepared.basis)));
      const execution = Execution.parse(prepared.execution);
      assert.equal(execution.outcome.kind, 'correct', execution.outcome.detail);
      assert.ok(Number.isFinite(execution.metrics[evaluator.metric]));
    });

    it('finds a right program correct, and measures it', async () => {
      const { evaluator, right, context } = under;
      const { outcome, metrics } = Execution.parse(await evaluator.judge(right, basis, context));
      assert.equal(outcome.kind, 'correct', outcome.detail);
      assert.ok(Number.isFinite(metrics[evaluator.metric]));
    });

    it('finds a wrong program not correct, and says why', async () => {
      const { evaluator, wrong, context } = under;
      const { outcome } = Execution.parse(await evaluator.judge(wrong, basis, context));
      assert.notEqual(outcome.kind, 'correct');
      assert.ok(outcome.detail.length > 0);
    });

    it('ends when its signal has fired', async () => {
      const { evaluator, right, context } = under;
      await evaluator.judge(right, basis, { ...context, signal: AbortSignal.abort() }).catch((error: unknown) => {
        assert.ok(error instanceof Error);
      });
    });
  });
}
