/** `peagen config show | upgrade | schema`. */
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { stringify } from 'smol-toml';
import { configSchema } from '../../../shared/config-schema.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { allowFolder } from '../../config/allowed.ts';
import { CONFIG_FILE, readConfig } from '../../config/load.ts';
import { upgradeText } from '../../config/rewrite.ts';
import { openRegistry, requireSelectors } from '../../plugins/packages.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';

export function configCommand(): Command {
  const command = new Command('config').description('show, upgrade or describe the configuration');
  command.addCommand(withCommonOptions(new Command('show')).description('the configuration in force').action(action(show)));
  command.addCommand(
    withCommonOptions(new Command('upgrade')).description('replace older key names in the file').action(action(upgrade)),
  );
  command.addCommand(withCommonOptions(new Command('schema')).description('JSON Schema of .peagen.toml').action(action(schema)));
  command.addCommand(
    withCommonOptions(new Command('allow'))
      .description('read the configuration and the plugins in a folder of another user')
      .argument('<folder>')
      .action(action(allow)),
  );
  return command;
}

async function allow(folder: string, options: CommonOptions): Promise<void> {
  const real = await realpath(folder).catch(() => {
    throw new PeagenError('not_found', `The folder ${folder} does not exist.`);
  });
  if (options.dryRun === true) return printResult(options, { folder: real }, `Would allow ${real}.`);
  printResult(options, { folder: real }, `${real} is allowed (kept in ${allowFolder(real, process.env)})`);
}

async function show(options: CommonOptions): Promise<void> {
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  requireSelectors(config, await openRegistry(config, file === undefined ? process.cwd() : dirname(file)));
  printResult(options, { file: file ?? null, config }, `# ${file ?? 'defaults'}\n${stringify(config)}`);
}

async function upgrade(options: CommonOptions): Promise<void> {
  const { file } = await readConfig({ cwd: process.cwd(), file: options.config });
  if (file === undefined)
    throw new PeagenError('not_found', `There is no ${CONFIG_FILE} here or above.`, { hint: 'Give one with --config.' });
  const { text, renamed } = upgradeText(await readFile(file, 'utf8'));
  if (renamed.length > 0 && options.dryRun !== true) await writeFile(file, text);
  const said = renamed.length === 0 ? `${file} is up to date.` : renamed.map((line) => `${file}: ${line}`).join('\n');
  printResult(options, { file, renamed }, said);
}

async function schema(options: CommonOptions): Promise<void> {
  const json = configSchema();
  printResult(options, json, JSON.stringify(json, null, 2));
}
