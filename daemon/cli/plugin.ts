/** `peagen plugin list | add | remove`: the packages named under `[plugins]`, and everything that is registered. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { PeagenError } from '../../shared/errors.ts';
import { CONFIG_FILE, readConfig } from '../config/load.ts';
import { withPackages } from '../config/plugin-list.ts';
import { openRegistry, requirePackage } from '../plugins/packages.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from './output.ts';

export function pluginCommand(): Command {
  const command = new Command('plugin').description('list, add or remove plugin packages');
  command.addCommand(
    withCommonOptions(new Command('list')).description('everything pluggable, and where it comes from').action(action(list)),
  );
  command.addCommand(
    withCommonOptions(new Command('add')).description('use an installed package').argument('<package>').action(action(add)),
  );
  command.addCommand(
    withCommonOptions(new Command('remove')).description('stop using a package').argument('<package>').action(action(remove)),
  );
  return command;
}

async function list(options: CommonOptions): Promise<void> {
  const { config } = await readConfig({ cwd: process.cwd(), file: options.config });
  const parts = (await openRegistry(config, process.cwd())).list();
  const text = parts.map(({ kind, name, source }) => `${kind.padEnd(10)} ${name.padEnd(16)} ${source}`).join('\n');
  printResult(options, { plugins: parts }, text);
}

/** Loads the package before it is written down, so that a broken one changes nothing. A dry run does not even load it. */
async function add(name: string, options: CommonOptions): Promise<void> {
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  const packages = [...new Set([...config.plugins.packages, name])];
  if (options.dryRun === true) {
    requirePackage(name, process.cwd());
    return printResult(options, { packages }, `Would add the package ${name}.`);
  }
  const parts = (await openRegistry({ ...config, plugins: { packages } }, process.cwd())).list();
  const added = parts.filter((part) => part.source.startsWith(`${name}@`));
  await save(file, packages);
  printResult(options, { added }, added.map((part) => `added ${part.kind} "${part.name}" of ${part.source}`).join('\n'));
}

async function remove(name: string, options: CommonOptions): Promise<void> {
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  if (!config.plugins.packages.includes(name)) {
    throw new PeagenError('not_found', `The package "${name}" is not in use.`, { hint: 'See "peagen plugin list".' });
  }
  if (options.dryRun !== true)
    await save(
      file,
      config.plugins.packages.filter((other) => other !== name),
    );
  printResult(options, { removed: name }, `${options.dryRun === true ? 'would remove' : 'removed'} ${name}`);
}

async function save(file: string | undefined, packages: string[]): Promise<void> {
  const path = file ?? join(process.cwd(), CONFIG_FILE);
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  await writeFile(path, withPackages(text, packages));
}
