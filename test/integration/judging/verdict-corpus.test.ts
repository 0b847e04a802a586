/**
 * The verdict on an honest change of every fourth ordinary function, of which only two to four typed calls are given, and a whole
 * offline search over a few, of which nothing that is announced may be wrong. test/bench/verdict.ts has all functions: it
 * searches longer, compares more calls, and checks with --variants the functions themselves and how all changes are judged.
 */
import assert from 'node:assert/strict';
import { isCorrect } from '../../../shared/judging.ts';
import type { Verdict } from '../../../shared/protocol/targets.ts';
import { faultsOf } from '../../ordinary/check.ts';
import { compareWith } from '../../ordinary/comparer.ts';
import { OrdinaryEngine } from '../../ordinary/engine.ts';
import type { Fixture } from '../../ordinary/fixture.ts';
import { fixtures } from '../../ordinary/fixtures.ts';
import { inLanes, type Lanes } from '../../ordinary/lanes.ts';

const ANNOUNCED_CALLS = 2000;
/**
 * Small, as the whole file is to end within a minute on two cores. With this seed as many of the searches announce something as
 * with others in half as many candidates again.
 */
const SIZE = { seed: 1, generations: 3, population: 4 };
const SEED = 1;
const SAMPLE = fixtures.filter((_, index) => index % 4 === 0);
/** A search over it announces something. */
const REPLAYED = fixtures.find(({ name }) => name === 'multiply') ?? assert.fail('the function is there');
const SEARCHED = [REPLAYED, ...SAMPLE.filter((_, index) => index % 3 === 0)];

describe('the ordinary functions', () => {
  it('are at least 30, 15 in each language, each with honest and tempting changes', () => {
    const python = fixtures.filter(({ language }) => language === 'python').length;
    const typescript = fixtures.filter(({ language }) => language === 'typescript').length;
    assert.ok(python >= 15 && fixtures.length - python >= 15 && typescript >= 4);
    for (const { name, calls, variants } of fixtures) {
      const honest = variants.filter(({ kind }) => kind === 'honest').length;
      assert.ok(honest >= 2 && variants.length - honest >= 2 && calls.length >= 2 && calls.length <= 4, name);
    }
  });

  for (const fixture of SAMPLE) {
    it(`${fixture.name}: honest changes agree with the original on random calls, tempting ones only on the typed calls`, async () => {
      assert.deepEqual(await faultsOf(fixture, SEED), []);
    });
  }
});

describe('an ordinary function', () => {
  let engine: OrdinaryEngine;
  let judged: Lanes<Fixture, string>;
  let searched: Lanes<Fixture, Awaited<ReturnType<OrdinaryEngine['search']>>>;
  before(async () => {
    engine = await OrdinaryEngine.open();
    judged = inLanes(SAMPLE, async (fixture) => {
      const honest = fixture.variants.filter(({ kind }) => kind === 'honest');
      // The first of one function, the last of the next: simple ones stand first.
      const variant = honest.at(SAMPLE.indexOf(fixture) % 2 === 0 ? 0 : -1);
      assert.ok(variant !== undefined);
      const verdict = await engine.judge(fixture, variant.text);
      return passes(verdict) ? '' : describeMistake({ ...variant, verdict });
    });
    searched = inLanes(SEARCHED, (fixture) => engine.search(fixture, SIZE));
  });
  after(async () => {
    await Promise.all([judged.close(), searched.close()]);
    await engine.close();
  });

  for (const fixture of SAMPLE) {
    it(`${fixture.name}: an honest change is judged right`, async () => {
      assert.equal(await judged.of(fixture), '');
    });
  }

  for (const fixture of SEARCHED) {
    it(`${fixture.name}: what a search announces does what the original does on ${ANNOUNCED_CALLS} random calls`, async () => {
      const { announced } = await searched.of(fixture);
      if (announced === undefined) return;
      const { results } = await compareWith(fixture, [announced], fixture.sessions(SEED + 1, ANNOUNCED_CALLS));
      assert.equal(results[0]?.different, 0, `${JSON.stringify(results[0]?.first)}\n${announced}`);
    });
  }

  it('has the same candidates, and a best of as many operations, when its search is replayed', async () => {
    const { summary, announced } = await searched.of(REPLAYED);
    assert.ok(announced !== undefined);
    const { candidates, identical, best } = await engine.replay(summary);
    assert.deepEqual([identical, candidates > 0], [candidates, true]);
    assert.ok(best?.cost !== undefined && best.cost.recorded > 0);
    assert.equal(best.cost.measured, best.cost.recorded);
  });
});

function passes({ outcome, heldout }: Verdict): boolean {
  return isCorrect(outcome) && (heldout === undefined || isCorrect(heldout));
}

function describeMistake({ kind, title, verdict }: { kind: string; title: string; verdict: Verdict }): string {
  const { outcome, heldout, confidence } = verdict;
  const said = `${outcome.kind}${heldout === undefined ? '' : `, held out ${heldout.kind}`}`;
  return `${kind} "${title}": ${said}: ${outcome.detail} ${heldout?.detail ?? ''} ${JSON.stringify(confidence ?? {})}`;
}
