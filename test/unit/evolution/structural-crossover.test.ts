import assert from 'node:assert/strict';
import fc from 'fast-check';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { crossoverTree } from '../../../daemon/evolution/mutators/crossover-tree.ts';
import { differences } from '../../../daemon/evolution/mutators/crossover-tree-differences.ts';
import type { Mutator } from '../../../daemon/evolution/mutators/mutator.ts';
import { structural } from '../../../daemon/evolution/mutators/structural.ts';
import { changed, regionOf } from '../../../daemon/evolution/mutators/structural-draw.ts';
import { normalHash } from '../../../daemon/evolution/syntax/normal.ts';
import { syntaxError } from '../../../daemon/evolution/syntax/parse.ts';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { childFault } from '../../../daemon/handlers/child-check.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { MutatePayload } from '../../../shared/payloads.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import { sources } from './program/sources.ts';

const context = {
  signal: new AbortController().signal,
  log: createLog({ level: 'silent' }),
  ask: () => Promise.reject(new Error('no model is asked')),
};

function mutate(mutator: Mutator, parent: Program, inspirations: Program[], seed: number) {
  const example = (program: Program) => ({ sha256: programSha(program), program, metrics: {} });
  const payload = MutatePayload.parse({
    mutator: mutator.name,
    seed,
    original: parent,
    parent: example(parent),
    inspirations: inspirations.map(example),
  });
  return mutator.mutate(payload, context);
}

/** A descendant by some structural edits. */
async function descendant(program: Program, seed: number, edits: number): Promise<Program> {
  let child = program;
  for (let i = 0; i < edits; i++) {
    const next = await mutate(structural, child, [], seed + i);
    if (next.kind === 'child') child = next.program;
  }
  return child;
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

describe('crossover by syntax tree', () => {
  for (const source of sources) {
    it(`makes children of two programs: ${source.name}`, async () => {
      const { program } = await loadTarget({ root: '/nowhere', ...source.target });
      let born = 0;
      await fc.assert(
        fc.asyncProperty(seeds, seeds, seeds, async (a, b, seed) => {
          const [parent, mate] = [await descendant(program, a, 3), await descendant(program, b, 3)];
          const mutated = await mutate(crossoverTree, parent, [mate], seed);
          assert.deepEqual(await mutate(crossoverTree, parent, [mate], seed), mutated);
          if (mutated.kind === 'rejected') return;
          born++;
          const child = mutated.program;
          assert.equal(await syntaxError(child), undefined, mutated.origin.summary);
          assert.notEqual(await normalHash(child), await normalHash(parent));
          assert.equal(childFault(child, program), undefined, mutated.origin.summary);
        }),
        { numRuns: 25 },
      );
      assert.ok(born >= 15, `${born} of 25`);
    });
  }

  it('finds all that sets two programs apart: with every difference taken over, one becomes the other', async () => {
    let complete = 0;
    let tried = 0;
    for (const source of sources) {
      const { program } = await loadTarget({ root: '/nowhere', functions: [], ...source.target });
      for (let seed = 0; seed < 12; seed++) {
        const [a, b] = [await descendant(program, seed * 10, 2), await descendant(program, 500 + seed * 10, 2)];
        const [spanA, spanB] = [a.spans[0] ?? assert.fail(), b.spans[0] ?? assert.fail()];
        const region = await regionOf(a, spanA);
        const edits = differences(region, await regionOf(b, spanB));
        const joined = await changed(
          a,
          spanA,
          region,
          edits.flatMap((edit) => edit.changes),
        );
        tried++;
        if (typeof joined !== 'string' && (await normalHash(joined)) === (await normalHash(b))) complete++;
      }
    }
    assert.ok(complete >= 0.97 * tried, `${complete} of ${tried}`);
  });

  it('joins what two lines of descent have found', async () => {
    const make = async (first: string, second: string) => {
      const text = `def f(items):\n    a = ${first}\n    for item in a:\n        ${second}\n    return a\n`;
      return (await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' })).program;
    };
    const parent = await make('items', 'print(item, a)');
    const mate = await make('list(items)', 'print(item)');
    const texts = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const mutated = await mutate(crossoverTree, parent, [mate], seed);
      if (mutated.kind === 'child') texts.add(spanText(mutated.program, mutated.program.spans[0] ?? assert.fail()));
    }
    const joined = await make('items', 'print(item)');
    assert.ok(texts.has(spanText(joined, joined.spans[0] ?? assert.fail())));
  });

  it('says when there is nobody to cross with', async () => {
    const { program } = await loadTarget({
      root: '/nowhere',
      path: 'a.py',
      text: 'def f(x):\n    return x + 1\n',
      entry_fn: 'f',
    });
    for (const inspirations of [[], [program]]) {
      const mutated = await mutate(crossoverTree, program, inspirations, 1);
      assert.ok(mutated.kind === 'rejected');
      assert.match(mutated.reason, /no other program/);
    }
  });
});
