import assert from 'node:assert/strict';
import { reportRun } from '../../../daemon/engine/records/report.ts';
import { Population } from '../../../daemon/engine/run/state/population.ts';
import type { TokenUse } from '../../../shared/asking.ts';
import { RunId } from '../../../shared/ids.ts';
import { RunEvent } from '../../../shared/run.ts';

const run = RunId.parse('20260131-142501-3fa9c1');
const at = '2026-01-31T14:25:01.000Z';
const slot = (index: number, attempt = 0) => ({ index, generation: index < 2 ? 1 : 2, attempt });
const sha = (digit: string) => digit.repeat(64);

const selected = (index: number, mutator: string) =>
  ({ type: 'selected', at, slot: slot(index), mutator, parent: sha('a'), inspirations: [] }) as unknown as RunEvent;
const mutated = (index: number, tokens: TokenUse, backend?: string) =>
  ({
    type: 'mutated',
    at,
    slot: slot(index),
    sha256: sha('b'),
    origin: { mutator: 'x', summary: '', backend },
    tokens,
  }) as unknown as RunEvent;
const rejected = (index: number, tokens: TokenUse) =>
  RunEvent.parse({ type: 'rejected', at, slot: slot(index), reason: 'it does not apply', tokens, final: true });
const inserted = (index: number, status: string) => ({ type: 'inserted', at, slot: slot(index), status }) as unknown as RunEvent;

const of = (backend: string, prompt: number, completion: number): TokenUse => ({
  prompt,
  completion,
  by: { [backend]: { prompt, completion } },
});
const nothing: TokenUse = { prompt: 0, completion: 0 };
const population = new Population({ axes: [{ name: 'size', bin: 40, unit: '' }], seed: 1 });
const prices = { dear: { prompt: 10, completion: 100 } };

describe('the report of a run', () => {
  it('owes every token to the back end that was asked, answered or not', () => {
    const both: TokenUse = {
      prompt: 300,
      completion: 30,
      by: { dear: { prompt: 100, completion: 0 }, cheap: { prompt: 200, completion: 30 } },
    };
    const events = [selected(0, 'patch'), mutated(0, both, 'cheap'), selected(1, 'patch'), rejected(1, of('dear', 50, 5))];
    const { byBackend, total } = reportRun(run, events, { population, prices });
    assert.deepEqual([byBackend['dear']?.tokens, byBackend['dear']?.attempts, byBackend['dear']?.candidates], [155, 2, 0]);
    assert.deepEqual([byBackend['cheap']?.tokens, byBackend['cheap']?.candidates], [230, 1]);
    assert.equal(total.tokens, 385);
  });

  it('adds up to the same by generation, by mutator and by back end', () => {
    const events = [
      ...[selected(0, 'patch'), mutated(0, of('dear', 7, 1), 'dear'), inserted(0, 'new')],
      ...[selected(1, 'structural'), mutated(1, nothing), inserted(1, 'rejected')],
      ...[selected(2, 'rewrite'), rejected(2, { prompt: 11, completion: 0 })],
    ];
    const { total, byGeneration, byMutator, byBackend } = reportRun(run, events, { population, prices });
    for (const shares of [byGeneration, byMutator, byBackend]) {
      for (const key of ['attempts', 'candidates', 'accepted', 'tokens'] as const) {
        const sum = Object.values(shares).reduce((all, share) => all + share[key], 0);
        assert.equal(sum, total[key], key);
      }
    }
    assert.deepEqual(Object.keys(byBackend).sort(), ['dear', 'none', 'unknown']);
  });

  it('shows the cost at known prices, in all and for each accepted candidate', () => {
    const events = [
      ...[selected(0, 'patch'), mutated(0, of('dear', 1000, 100), 'dear'), inserted(0, 'new')],
      ...[selected(1, 'patch'), mutated(1, of('dear', 1000, 100), 'dear'), inserted(1, 'improved')],
    ];
    const { total, cost_per_accepted } = reportRun(run, events, { population, prices });
    assert.equal(total.cost, 0.04);
    assert.equal(cost_per_accepted, 0.02);
  });

  it('shows no cost when a price is missing, and none for what asked nobody', () => {
    const cheap = [selected(0, 'patch'), mutated(0, of('cheap', 1, 1), 'cheap')];
    assert.equal(reportRun(run, cheap, { population, prices }).total.cost, null);
    assert.equal(
      reportRun(run, [selected(0, 'patch'), rejected(0, { prompt: 5, completion: 0 })], { population, prices }).total.cost,
      null,
    );
    assert.equal(reportRun(run, [selected(0, 'structural'), mutated(0, nothing)], { population, prices }).total.cost, 0);
  });
});
