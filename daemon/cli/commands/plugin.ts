/** `peagen plugin list | add | allow | remove | new`: the packages named under `[plugins]`, and everything that is registered. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Argument, Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { allowPlugin } from '../../config/allowed.ts';
import { CONFIG_FILE, readConfig } from '../../config/load.ts';
import { withPackages } from '../../config/rewrite.ts';
import { findPackage, isPath, pluginFolder } from '../../plugins/find.ts';
import { installPackage, uninstallPackage } from '../../plugins/install.ts';
import { integrityOf } from '../../plugins/integrity.ts';
import { type Manifest, readManifest } from '../../plugins/manifest.ts';
import { openRegistry } from '../../plugins/packages.ts';
import { type ScaffoldKind, scaffold, scaffoldKinds } from '../../plugins/scaffold.ts';
import { version } from '../../version.ts';
import { action, type CommonOptions, printResult, say, withCommonOptions } from '../output.ts';
import { agree } from '../plan.ts';

interface AddOptions extends CommonOptions {
  yes?: boolean;
  user?: boolean;
}

export function pluginCommand(): Command {
  const command = new Command('plugin').description('list, add, allow, remove or write plugin packages');
  const sub = (name: string, description: string) => withCommonOptions(new Command(name)).description(description);
  command.addCommand(sub('list', 'everything pluggable, and where it comes from').action(action(list)));
  command.addCommand(
    sub('add', 'install a package and use it here, after you have confirmed what it is')
      .argument('<package>', 'a name in the npm registry, a folder, or a .tgz file')
      .option('--user', 'install it for all your workspaces, not for this one')
      .option('--yes', 'do not ask')
      .action(action(add)),
  );
  command.addCommand(
    sub('allow', 'confirm a package as it is now, when its files have changed or someone else put it into .peagen.toml')
      .argument('<package>')
      .option('--yes', 'do not ask')
      .action(action(allow)),
  );
  command.addCommand(sub('remove', 'stop using a package').argument('<package>').action(action(remove)));
  command.addCommand(
    sub('new', 'write a package with a plugin of your own, and its test')
      .addArgument(new Argument('<kind>').choices(scaffoldKinds))
      .argument('<name>')
      .argument('[folder]', 'default: peagen-<name>')
      .option('--peagen <spec>', 'what its development needs of Peagen: a version, or the path of a .tgz file', `^${version}`)
      .action(action(create)),
  );
  return command;
}

async function list(options: CommonOptions): Promise<void> {
  const { config } = await readConfig({ cwd: process.cwd(), file: options.config });
  const registry = await openRegistry(config, process.cwd());
  const parts = registry.list();
  const problems = registry.problems.map(({ package: name, error }) => ({
    package: name,
    code: error.code,
    message: error.line,
  }));
  const lines = parts.map(({ kind, name, source }) => `${kind.padEnd(10)} ${name.padEnd(16)} ${source}`);
  printResult(options, { parts, problems }, [...lines, ...problems.map(({ message }) => `not in use: ${message}`)].join('\n'));
}

async function add(spec: string, options: AddOptions): Promise<void> {
  const workspace = process.cwd();
  const { config, file } = await readConfig({ cwd: workspace, file: options.config });
  const folder = pluginFolder(workspace, options.user === true, process.env);
  if (options.dryRun === true) {
    return printResult(options, { package: spec, folder }, `Would install ${spec} into ${folder} and use it.`);
  }
  const installed = !existsSync(resolve(spec)) && isFound(spec, workspace);
  const name = installed ? spec : await installPackage(spec, folder);
  let manifest: Manifest;
  try {
    manifest = readManifest(findPackage(name, workspace, process.env).folder);
    await confirm(manifest, options);
  } catch (caught) {
    if (!installed) await uninstallPackage(name, folder);
    throw caught;
  }
  await save(file, [...new Set([...config.plugins.packages, name])]);
  const { parts } = manifest;
  const source = `${manifest.name}@${manifest.version}`;
  const added = parts.map((part) => `added ${part.kind} "${part.name}" of ${source}`).join('\n');
  printResult(options, { package: name, parts: parts.map((part) => ({ kind: part.kind, name: part.name, source })) }, added);
}

async function allow(name: string, options: AddOptions): Promise<void> {
  const manifest = readManifest(findPackage(name, process.cwd(), process.env).folder);
  const source = `${manifest.name}@${manifest.version}`;
  if (options.dryRun === true) return printResult(options, { allowed: source }, `Would allow ${source}.`);
  await confirm(manifest, options);
  printResult(options, { allowed: source }, `${source} is allowed.`);
}

async function remove(name: string, options: CommonOptions): Promise<void> {
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  const { packages } = config.plugins;
  if (!packages.includes(name)) {
    throw new PeagenError('not_found', `The package "${name}" is not in use.`, { hint: 'See "peagen plugin list".' });
  }
  if (options.dryRun === true) return printResult(options, { removed: name }, `Would stop using ${name}.`);
  await save(
    file,
    packages.filter((other) => other !== name),
  );
  if (!isPath(name)) await uninstallPackage(name, pluginFolder(process.cwd(), false, process.env));
  printResult(options, { removed: name }, `removed ${name}`);
}

interface NewOptions extends CommonOptions {
  peagen: string;
}

async function create(kind: ScaffoldKind, name: string, folder: string | undefined, options: NewOptions): Promise<void> {
  const place = resolve(folder ?? `peagen-${name}`);
  const peagen = existsSync(resolve(options.peagen)) ? `file:${resolve(options.peagen)}` : options.peagen;
  const files = await scaffold({ kind, name, folder: place, peagen }, options.dryRun === true);
  const shown = relative('.', place) || '.';
  const text = `${files.map((path) => relative('.', path)).join('\n')}\nNext: cd ${shown} && npm install && npm test, then "peagen plugin add ${shown}" where it is to be used.`;
  printResult(options, { files }, text);
}

/** Shows the user what the package is and brings, asks, and remembers the answer with the hash of its files. */
async function confirm(manifest: Manifest, { yes, json }: AddOptions): Promise<void> {
  const { name, version: its, parts } = manifest;
  const integrity = integrityOf(manifest);
  const brings = parts.map((part) => `${part.kind} "${part.name}"`).join(', ') || 'nothing';
  const fact = `${name}@${its} (${integrity.slice(0, 20)}…) brings ${brings}. Its code runs with your rights.`;
  if (yes === true && json !== true) say(fact);
  await agree(fact, 'Use it?', yes === true, { code: 'untrusted' });
  allowPlugin({ name, version: its, integrity }, process.env);
}

function isFound(name: string, workspace: string): boolean {
  try {
    findPackage(name, workspace, process.env);
    return true;
  } catch {
    return false;
  }
}

async function save(file: string | undefined, packages: string[]): Promise<void> {
  const path = file ?? join(process.cwd(), CONFIG_FILE);
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  await writeFile(path, withPackages(text, packages));
}
