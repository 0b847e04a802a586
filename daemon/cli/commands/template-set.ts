/** `peagen template-set list | show | add | remove | init`. */
import { relative, resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../../config/load.ts';
import { addTemplateSets } from '../../render/sets/add-sets.ts';
import { newTemplateSet } from '../../render/sets/new-set.ts';
import type { SearchOptions } from '../../render/sets/search.ts';
import { listTemplateSets, removeTemplateSet, showTemplateSet } from '../../render/sets/sets.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';

export function templateSetCommand(): Command {
  const command = new Command('template-set').description('list, show, add, remove or begin template sets');
  const sub = (name: string, description: string) => withCommonOptions(new Command(name)).description(description);
  command.addCommand(sub('list', 'every template set there is, and where it comes from').action(action(list)));
  command.addCommand(
    sub('show', 'the files of a set, and what the embedded engine does otherwise in them')
      .argument('<name>')
      .action(action(show)),
  );
  command.addCommand(
    sub('add', 'copy the sets of a folder, such as a clone or an installed package, into the workspace')
      .argument('<folder>')
      .option('--name <name>', 'another name for the set')
      .option('--force', 'replace a set that has been added')
      .action(action(add)),
  );
  command.addCommand(sub('remove', 'delete a set that was added').argument('<name>').action(action(remove)));
  command.addCommand(
    sub('init', 'begin a set of your own below templates/, with a payload')
      .argument('<name>')
      .option('--from <set>', 'begin with a copy of this set')
      .action(action(init)),
  );
  return command;
}

async function searchOptions(options: CommonOptions): Promise<SearchOptions> {
  const { config } = await readConfig({ cwd: process.cwd(), file: options.config });
  const workspace = resolve('.');
  const searchPath = config.templates.search_path.map((folder) => resolve(workspace, folder));
  return { searchPath, workspace, home: workspace };
}

async function list(options: CommonOptions): Promise<void> {
  const sets = await listTemplateSets(await searchOptions(options));
  const width = Math.max(...sets.map(({ name }) => name.length)) + 2;
  const text = sets.map(({ name, from, description }) => `${name.padEnd(width)}${from.padEnd(13)}${description}`.trimEnd());
  printResult(options, { sets }, text.join('\n'));
}

async function show(name: string, options: CommonOptions): Promise<void> {
  const set = await showTemplateSet(name, await searchOptions(options));
  const origin = set.origin === undefined ? '' : `, from ${set.origin.source}`;
  const lines = [
    `${set.name} (${set.from}${origin})`,
    `  ${set.folder}`,
    ...(set.description === '' ? [] : [`  ${set.description}`]),
    '',
    ...set.files.map((file) => `  ${file}`),
    ...set.differences.map(({ file, difference }) => `warning: ${file}: ${difference.advice}`),
  ];
  printResult(options, set, lines.join('\n'));
}

async function add(source: string, options: CommonOptions & { name?: string; force?: boolean }): Promise<void> {
  const { name, force, dryRun } = options;
  const added = await addTemplateSets(source, {
    workspace: resolve('.'),
    name,
    replace: force === true,
    dryRun: dryRun === true,
  });
  const verb = dryRun === true ? 'would add' : 'added';
  const text = added.map((set) => `${verb} ${set.name} (${set.files} files)`);
  printResult(options, { added }, text.join('\n'));
}

async function remove(name: string, options: CommonOptions): Promise<void> {
  const set = await removeTemplateSet(name, await searchOptions(options), options.dryRun === true);
  printResult(
    options,
    { removed: set.name },
    `${options.dryRun === true ? 'would remove' : 'removed'} ${relative('.', set.folder)}`,
  );
}

async function init(name: string, options: CommonOptions & { from?: string }): Promise<void> {
  const made = await newTemplateSet(name, options.from, await searchOptions(options), options.dryRun === true);
  const next = `Render it with "peagen render --project ${name}.yaml --out .".`;
  const verb = options.dryRun === true ? 'would make' : 'made';
  printResult(options, { made }, [...made.map((path) => `${verb} ${path}`), next].join('\n'));
}
