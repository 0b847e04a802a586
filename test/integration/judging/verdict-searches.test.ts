/**
 * Whole offline searches over ordinary functions, given two to four typed calls: nothing that they announce is wrong on
 * random calls.
 */
import assert from 'node:assert/strict';
import { compareWith } from '../../ordinary/comparer.ts';
import { OrdinaryEngine } from '../../ordinary/engine.ts';
import type { Fixture } from '../../ordinary/fixture.ts';
import { fixtures } from '../../ordinary/fixtures.ts';
import { inLanes } from '../../ordinary/lanes.ts';

const CALLS = 5000;
/** The seed of the random calls; another one than the corpus checks itself with. */
const SEED = 2;
/** Small, as the whole file is to end within minutes on two cores; test/bench/verdict.ts searches longer. */
const SIZE = { seed: 7, generations: 3, population: 6 };

describe('what a search announces', function () {
  this.timeout(300_000);
  let engine: OrdinaryEngine;
  let search: (fixture: Fixture) => Promise<{ announced: string | undefined }>;
  before(async () => {
    engine = await OrdinaryEngine.open();
    search = inLanes(fixtures, (fixture) => engine.search(fixture, SIZE));
  });
  after(() => engine.close());

  for (const fixture of fixtures) {
    it(`${fixture.name}: does what the original does on ${CALLS} random calls`, async () => {
      const { announced } = await search(fixture);
      if (announced === undefined) return;
      const { results } = await compareWith(fixture, [announced], fixture.sessions(SEED, CALLS));
      assert.deepEqual(
        results.map(({ different }) => different),
        [0],
        `${JSON.stringify(results[0]?.first)}\n${announced}`,
      );
    });
  }
});
