/** The escape suite: every hostile program in every tier. `npm run bench -- escape` prints what contained each. */
import assert from 'node:assert/strict';
import type { Executor } from '../../../../daemon/executors/sandbox.ts';
import { requireTier, tiersUnderTest } from '../../../sandboxes.ts';
import { attackIn, limits, served } from './attack.ts';
import { hostile } from './programs.ts';
import { Trap } from './trap.ts';

describe('hostile programs', function () {
  const own = tiersUnderTest();
  const nesting = own.filter(({ create }) => create().nests === true);
  const tiers = [
    ...own,
    ...nesting.map(({ name, create }) => ({ name: `${name}, from a server`, create: () => served(create()) })),
  ];
  this.timeout(180_000);
  let trap: Trap;
  before(async () => {
    trap = await Trap.set();
  });
  after(async () => await trap.close());

  it('are at least forty, in both languages', () => {
    assert.ok(hostile.length >= 40, `${hostile.length}`);
    assert.ok(hostile.filter(({ language }) => language === 'node').length >= 12);
    assert.equal(new Set(hostile.map(({ name }) => name)).size, hostile.length);
  });

  for (const { name: tierName, create } of tiers) {
    describe(`in the ${tierName} tier`, () => {
      let tier: Executor;
      before(async function () {
        tier = create();
        await requireTier(tier, this);
      });

      const claimed = hostile
        .filter(({ plain }, index) => (tierName === 'plain' ? plain === true : index % partOf(tierName) === 0))
        .filter(({ language }) => language === 'node' || !tierName.endsWith('from a server'));
      // Without a tree of processes of its own, one would find the other's.
      const attack = inOrder(claimed, tierName === 'plain' ? 1 : 3, (program) => attackIn(tier, tierName, program, trap));

      for (const [index, { name }] of claimed.entries()) {
        it(name, async () => {
          const { contained, escapes, exit } = await attack(index);
          assert.deepEqual(escapes, []);
          // Those that go on would do so for longer; on a loaded machine an engine needs its time to end them.
          assert.ok(exit.wallMs < limits.wallMs + 30_000, `took ${exit.wallMs} ms`);
          assert.notEqual(contained, '', exit.stderr);
        });
      }
    });
  }
});

/**
 * Of every how many programs that isolation must contain a tier is given one. Podman runs the same images with the same
 * settings as Docker, which is given all of them; the benchmark gives both all.
 */
function partOf(tierName: string): number {
  return tierName === 'podman' ? 4 : 1;
}

/** Works on `items` up to `width` at a time, each from when it, or one just before it, is asked for; returns those asked for. */
function inOrder<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): (index: number) => Promise<R> {
  const begun: Promise<R>[] = [];
  return async (index) => {
    for (const item of items.slice(begun.length, index + width)) {
      const working = work(item);
      // Thrown to the caller that asks for it.
      working.catch(() => undefined);
      begun.push(working);
    }
    const asked = begun[index];
    if (asked === undefined) throw new RangeError(`There is no ${index}.`);
    return await asked;
  };
}
