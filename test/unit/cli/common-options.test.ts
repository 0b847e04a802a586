import assert from 'node:assert/strict';
import type { Command } from 'commander';
import { examplesOf } from '../../../daemon/cli/examples.ts';
import { loaders } from '../../../daemon/cli/program.ts';

/** All commands below this one and itself, by their names. */
function branches(command: Command, above: string): [string, Command][] {
  const path = `${above} ${command.name()}`;
  return [[path, command], ...command.commands.flatMap((each) => branches(each, path))];
}

/** Those that do something. */
const leaves = (command: Command, above: string) => branches(command, above).filter(([, { commands }]) => commands.length === 0);

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

  it('has an example whose options it knows', async () => {
    const commands = await Promise.all(Object.values(loaders).map((load) => load()));
    for (const [path, command] of commands.flatMap((each) => branches(each, 'peagen'))) {
      const lines = examplesOf(command, path);
      assert.ok(lines.length > 0 && lines.every((line) => line.includes(path)), path);
      if (command.commands.length > 0) continue;
      const used = lines.flatMap((line) => [...line.matchAll(/ (--[a-z-]+)/g)].map(([, flag]) => flag));
      const known = command.options.map(({ long }) => long);
      assert.deepEqual([path, used.filter((flag) => !known.includes(flag ?? '') && flag !== '--help')], [path, []]);
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
