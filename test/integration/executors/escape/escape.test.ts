/** The escape suite: every hostile program in every tier. `npm run bench -- escape` prints what contained each. */
import assert from 'node:assert/strict';
import type { Executor } from '../../../../daemon/executors/sandbox.ts';
import { inLanes } from '../../../ordinary/lanes.ts';
import { requireTier, tiersUnderTest } from '../../../sandboxes.ts';
import { attackIn, limits, served } from './attack.ts';
import { hostile } from './programs.ts';
import { Trap } from './trap.ts';

describe('hostile programs', () => {
  const own = tiersUnderTest();
  const nesting = own.filter(({ create }) => create().nests === true);
  const tiers = [
    ...own,
    ...nesting.map(({ name, create }) => ({ name: `${name}, from a server`, create: () => served(create()) })),
  ];
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
        .filter(({ plain, name }, index) => (tierName === 'plain' ? plain === true : isGiven(tierName, name, index)))
        .filter(({ language }) => language === 'node' || !tierName.endsWith('from a server'));
      // Without a tree of processes of its own, one would find the other's.
      const attacks = inLanes(claimed, (program) => attackIn(tier, tierName, program, trap), tierName === 'plain' ? 1 : 3);
      after(() => attacks.close());

      for (const program of claimed) {
        it(program.name, async () => {
          const { contained, escapes, exit } = await attacks.of(program);
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
 * Podman runs the same images with the same settings as Docker, which is given all programs: it is given every fourth, and those
 * that look at the machine, which it hides in a way of its own. The benchmark gives both all.
 */
function isGiven(tierName: string, name: string, index: number): boolean {
  return tierName !== 'podman' || index % 4 === 0 || name.includes('machine');
}
