import assert from 'node:assert/strict';
import type { Command } from 'commander';
import { loaders } from '../../../daemon/cli/program.ts';

/** Commands that do something, by their names. */
function leaves(command: Command, above: string): [string, Command][] {
  const path = `${above} ${command.name()}`;
  return command.commands.length === 0 ? [[path, command]] : command.commands.flatMap((each) => leaves(each, path));
}

describe('every command', () => {
  it('takes --config, --verbose, --dry-run and --json', async () => {
    const commands = await Promise.all(Object.values(loaders).map((load) => load()));
    const all = commands.flatMap((command) => leaves(command, 'peagen'));
    assert.ok(all.length > 40, `${all.length}`);
    for (const [path, command] of all) {
      const flags = command.options.map(({ long }) => long);
      const missing = ['--config', '--verbose', '--dry-run', '--json'].filter((flag) => !flags.includes(flag));
      assert.deepEqual([path, missing], [path, []]);
    }
  });

  it('gets the value of an option whose name begins with "no"', async () => {
    const commands = await Promise.all(Object.values(loaders).map((load) => load()));
    const run = commands.flatMap((command) => leaves(command, 'peagen')).find(([path]) => path === 'peagen evolve run')?.[1];
    run?.parseOptions(['--no-improve', '7', '--no-confirm']);
    assert.equal(run?.opts()['noImprove'], 7);
    assert.equal(run?.opts()['confirm'], false);
  });
});
