/** What a run remembers of the attempts from each parent, for the prompts of the next ones. */
import assert from 'node:assert/strict';
import { Memory } from '../../../daemon/engine/mutate/memory.ts';
import { Population } from '../../../daemon/engine/run/state/population.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { RunSpec } from '../../../shared/run-spec.ts';

const sha = (n: number) => n.toString(16).padStart(64, '0') as Sha256;
const specOf = (deterministic: boolean) =>
  RunSpec.parse({
    target: { root: '/', path: 'a.py' },
    evaluator: { name: 'function' },
    seed: 1,
    population: 2,
    deterministic,
    selector: 'epsilon',
    mutator: 'patch',
    axes: [{ name: 'size', bin: 40 }],
    stop: {},
  });
const memoryOf = (deterministic: boolean) => {
  const spec = specOf(deterministic);
  return { memory: new Memory({ spec, original: sha(0) }), population: new Population(spec) };
};
const parent = sha(1);

describe('what was tried from a parent', () => {
  it('is known to the next question about it, newest first, and not to one about another program', () => {
    const { memory, population } = memoryOf(false);
    memory.note(parent, { sha256: sha(2), slot: { index: 0, attempt: 0 } });
    memory.note(parent, { reason: 'the answer holds no code', slot: { index: 1, attempt: 0 } });
    const { tried } = memory.contextFor({ index: 2, attempt: 0 }, parent, population);
    assert.deepEqual(
      tried.map(({ sha256, reason }) => reason ?? sha256),
      ['the answer holds no code', sha(2)],
    );
    assert.deepEqual(memory.contextFor({ index: 2, attempt: 0 }, sha(9), population).tried, []);
  });

  it('is listed once per program, 24 at most', () => {
    const { memory, population } = memoryOf(false);
    for (const n of [2, ...Array.from({ length: 29 }, (_, at) => at + 2)])
      memory.note(parent, { sha256: sha(n), slot: { index: n, attempt: 0 } });
    const { tried } = memory.contextFor({ index: 40, attempt: 0 }, parent, population);
    assert.deepEqual(
      tried.map(({ sha256 }) => sha256),
      Array.from({ length: 24 }, (_, at) => sha(30 - at)),
    );
  });

  it('does not depend on which slot was faster in a deterministic run, except that a slot knows its own attempts', () => {
    const orders = [
      [0, 1],
      [1, 0],
    ].map((order) => {
      const { memory, population } = memoryOf(true);
      for (const index of order) memory.note(parent, { sha256: sha(index + 2), slot: { index, attempt: 0 } });
      assert.deepEqual(memory.contextFor({ index: 2, attempt: 0 }, parent, population).tried, []);
      memory.endGeneration(population);
      memory.note(parent, { reason: 'it does not parse', slot: { index: 2, attempt: 0 } });
      memory.note(parent, { reason: 'another slot', slot: { index: 3, attempt: 0 } });
      return memory.contextFor({ index: 2, attempt: 1 }, parent, population).tried.map(({ sha256, reason }) => reason ?? sha256);
    });
    assert.deepEqual(orders, [
      ['it does not parse', sha(3), sha(2)],
      ['it does not parse', sha(3), sha(2)],
    ]);
  });
});

describe('what failed', () => {
  it('is known to every later mutator, newest first, once each, and forgotten with the original', () => {
    const { memory, population } = memoryOf(false);
    for (const [n, summary] of ['delete statement at line 2: x', 'a'.repeat(200), 'y', 'delete statement at line 2: x'].entries())
      memory.fail(summary, `${summary}: wrong`, sha(n + 2));
    const failedChanges = () => memory.contextFor({ index: 9, attempt: 0 }, parent, population).failedChanges;
    assert.deepEqual(failedChanges(), ['y', 'delete statement at line 2: x']);
    memory.begin({ original: sha(8) });
    assert.deepEqual(failedChanges(), []);
  });

  it('of a generation is known to the next one in a deterministic run', () => {
    const { memory, population } = memoryOf(true);
    memory.fail('x', 'x: wrong', sha(2));
    assert.deepEqual(memory.contextFor({ index: 1, attempt: 0 }, parent, population).failedChanges, []);
    memory.endGeneration(population);
    assert.deepEqual(memory.contextFor({ index: 2, attempt: 0 }, parent, population).failedChanges, ['x']);
  });
});
