/** The escape suite: every hostile program in every tier, and a table of what contained it. */
import assert from 'node:assert/strict';
import { defaultLimits, type Executor, type SandboxExit } from '../../../../daemon/executors/sandbox.ts';
import { requireTier, tiersUnderTest } from '../../../sandboxes.ts';
import { hostile, prelude } from './programs.ts';
import { Trap } from './trap.ts';

const limits = {
  ...defaultLimits,
  wallMs: 3000,
  cpuSeconds: 2,
  memoryBytes: 512 * 1024 ** 2,
  processes: 48,
  fileBytes: 16 * 1024 ** 2,
  outputBytes: 1024 ** 2,
};

describe('hostile programs', function () {
  const tiers = tiersUnderTest();
  this.timeout(180_000);
  const table = new Map<string, Map<string, string>>();
  let trap: Trap;
  before(async () => {
    trap = await Trap.set();
  });
  after(async () => {
    await trap.close();
    const names = tiers.map(({ name }) => name);
    console.log(`\n| program | ${names.join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`);
    for (const [program, row] of table) {
      console.log(
        `| ${program} | ${names.map((name) => row.get(name) ?? (name === 'plain' ? 'not claimed' : 'not run')).join(' | ')} |`,
      );
    }
  });

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

      const claimed = hostile.filter(({ plain }) => tierName !== 'plain' || plain === true);
      // Without a tree of processes of its own, one would find the other's.
      const attack = inOrder(claimed, tierName === 'plain' ? 1 : 3, async ({ name, language, code }) => {
        const targets = trap.targetsFor(`${tierName} ${name}`);
        const sandbox = await tier.open({
          runtime: language,
          argv: language === 'python' ? ['-S', 'attack.py'] : ['attack.cjs'],
          files: [
            { path: language === 'python' ? 'attack.py' : 'attack.cjs', text: `${prelude[language]}\n${code}\n` },
            { path: 'targets.json', text: JSON.stringify(targets) },
          ],
          limits,
        });
        const lines: string[] = [];
        for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
        const exit = await sandbox.exited;
        return { lines, exit, damage: trap.damage(targets.sign) };
      });

      for (const [index, { name }] of claimed.entries()) {
        it(name, async () => {
          const { lines, exit, damage } = await attack(index);
          const said = lines.find((line) => /^(escaped|contained):/.test(line));
          assert.doesNotMatch(said ?? '', /^escaped/);
          assert.ok(!`${lines.join('\n')}${exit.stderr}`.includes(trap.targets.token), 'the secret came out');
          assert.deepEqual(damage, []);
          // Those that go on would do so for longer; on a loaded machine an engine needs its time to end them.
          assert.ok(exit.wallMs < limits.wallMs + 30_000, `took ${exit.wallMs} ms`);
          const how = said?.replace('contained: ', '') ?? howItEnded(exit);
          assert.notEqual(how, '', exit.stderr);
          const row = table.get(name) ?? new Map<string, string>();
          table.set(name, row.set(tierName, how));
        });
      }
    });
  }
});

/** A program that prints no verdict was ended; a plain exit would mean that it did not do what it is here for. */
function howItEnded(exit: SandboxExit): string {
  if (exit.cause === 'exit')
    return exit.code === 0 ? '' : `ended with status ${exit.code}: ${exit.stderr.trim().split('\n').at(-1)}`;
  return {
    timeout: 'time limit',
    memory: 'memory limit',
    output: 'output limit',
    killed: `killed (${exit.signal ?? exit.code})`,
  }[exit.cause];
}

/** Works on `items` up to `width` at a time, each from when it, or one just before it, is asked for; answers those asked for. */
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
