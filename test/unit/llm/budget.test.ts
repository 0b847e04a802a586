import assert from 'node:assert/strict';
import fc from 'fast-check';
import { withinBudget } from '../../../daemon/engine/target/worst-case.ts';
import { Budget } from '../../../daemon/llm/cost/budget.ts';
import { answersTo, worstCase } from '../../../daemon/llm/cost/worst-case.ts';
import type { StopSpec } from '../../../shared/run-spec.ts';

/** What can happen to a task that a budget pays for, in any order and interleaving. */
type Step =
  | { kind: 'start'; task: number; tokens: number }
  | { kind: 'done'; task: number; share: number }
  | { kind: 'crash'; task: number; tokens: number }
  | { kind: 'drop'; task: number }
  | { kind: 'again'; task: number; share: number };

const task = fc.nat(59);
const tokens = fc.nat(5000);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), task, tokens }),
  fc.record({ kind: fc.constant('done' as const), task, share }),
  fc.record({ kind: fc.constant('crash' as const), task, tokens }),
  fc.record({ kind: fc.constant('drop' as const), task }),
  fc.record({ kind: fc.constant('again' as const), task, share }),
);

describe('the budget', () => {
  it('never lets settled and reserved tokens pass the limit, with any tasks in flight, crashes and retries included', () => {
    fc.assert(
      fc.property(fc.nat(50_000), fc.array(step, { maxLength: 300 }), (limit, steps) => {
        const budget = new Budget(limit);
        const granted = new Map<string, number>();
        let really = 0;
        for (const one of steps) {
          const id = String(one.task);
          const held = granted.get(id);
          if (one.kind === 'start' && held === undefined && budget.reserve(id, one.tokens)) granted.set(id, one.tokens);
          if (one.kind === 'drop') {
            budget.release(id);
            granted.delete(id);
          }
          if (one.kind === 'done' && held !== undefined) {
            const used = Math.floor(held * one.share);
            really += used;
            budget.settle(id, used);
            granted.delete(id);
          }
          // A second report of the same work, after a crash of the daemon or a doubled delivery.
          if (one.kind === 'again' && held === undefined) budget.settle(id, Math.floor(9999 * one.share) + 1);
          if (one.kind === 'crash' && held !== undefined) {
            really += held;
            budget.forfeit(id);
            granted.delete(id);
            if (budget.reserve(id, one.tokens)) granted.set(id, one.tokens);
          }
          assert.ok(budget.spent + budget.reserved <= limit);
          assert.equal(budget.spent, really);
          assert.equal(
            budget.reserved,
            [...granted.values()].reduce((sum, n) => sum + n, 0),
          );
        }
      }),
    );
  });

  it('grants a second request of the same id nothing more', () => {
    const budget = new Budget(100);
    assert.ok(budget.reserve('a', 60) && budget.reserve('a', 60));
    assert.equal(budget.reserved, 60);
    assert.equal(budget.reserve('b', 41), false);
  });

  it('counts in full what an endpoint charges beyond the reservation, and grants no more', () => {
    const budget = new Budget(100);
    budget.reserve('a', 60);
    budget.settle('a', 110);
    assert.deepEqual([budget.spent, budget.left, budget.reserve('b', 1)], [110, 0, false]);
  });

  it('grants everything without a limit', () => {
    assert.ok(new Budget().reserve('a', Number.MAX_SAFE_INTEGER));
  });
});

describe('the worst case', () => {
  const priced = { name: 'a', price: { prompt: 1, completion: 4 } };
  const cheap = { name: 'b', price: { prompt: 0.5, completion: 1 } };
  const base = { calls: 10, promptTokens: 1000 };

  it('counts every attempt that may be charged, at the dearest back end of the route', () => {
    assert.deepEqual(worstCase({ ...base, answers: answersTo(500, 'first'), mode: 'first', backends: [cheap, priced] }), {
      prompt_tokens: 20_000,
      completion_tokens: 10_000,
      dollars: (20_000 * 1 + 10_000 * 4) / 1e6,
    });
  });

  it('counts every back end of a fan-out once', () => {
    assert.deepEqual(worstCase({ ...base, answers: answersTo(500, 'all'), mode: 'all', backends: [cheap, priced] }), {
      prompt_tokens: 20_000,
      completion_tokens: 10_000,
      dollars: (10_000 * 1.5 + 5_000 * 5) / 1e6,
    });
  });

  it('gives no sum of money when one price is unknown', () => {
    for (const mode of ['first', 'all'] as const) {
      const backends = [priced, { name: 'c', price: undefined }];
      assert.equal(worstCase({ ...base, answers: answersTo(500, mode), mode, backends }).dollars, null);
    }
  });
});

describe('what a run can cost at worst', () => {
  const prices = { a: { prompt: 2, completion: 8 } };
  const limited = (stop: Partial<StopSpec>) => ({ prices, stop: { max_generations: 10, ...stop } });
  const cost = { prompt_tokens: 3_000_000, completion_tokens: 1_000_000, dollars: 14 };

  it('is no more than its token budget, all of it for the dearest kind of token', () => {
    assert.deepEqual(withinBudget(cost, limited({ budget_tokens: 200_000 })), {
      prompt_tokens: 150_000,
      completion_tokens: 50_000,
      dollars: 1.6,
    });
  });

  it('is what can happen where the budget is larger, and unknown in money without a price', () => {
    assert.deepEqual(withinBudget(cost, limited({ budget_tokens: 5_000_000 })), cost);
    assert.equal(withinBudget({ ...cost, dollars: null }, limited({ budget_tokens: 200_000 })).dollars, null);
  });

  it('is no more than its budget in dollars', () => {
    assert.deepEqual(withinBudget(cost, limited({ budget_usd: 3 })), {
      prompt_tokens: 1_125_000,
      completion_tokens: 375_000,
      dollars: 3,
    });
    const free = { b: { prompt: 0, completion: 0 } };
    assert.deepEqual(withinBudget(cost, { ...limited({ budget_usd: 0 }), prices: free }), { ...cost, dollars: 0 });
    assert.equal(withinBudget(cost, limited({ budget_usd: 30 })).dollars, 14);
  });
});
