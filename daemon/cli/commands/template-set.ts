/** `peagen template-set list | show`. */
import { resolve } from 'node:path';
import { Command } from 'commander';
import { readConfig } from '../../config/load.ts';
import type { SearchOptions } from '../../render/sets/search.ts';
import { listTemplateSets, showTemplateSet } from '../../render/sets/sets.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';

export function templateSetCommand(): Command {
  const command = new Command('template-set').description('list or show template sets');
  const sub = (name: string, description: string) => withCommonOptions(new Command(name)).description(description);
  command.addCommand(sub('list', 'every template set there is, and where it comes from').action(action(list)));
  command.addCommand(
    sub('show', 'the files of a set, and what the embedded engine does otherwise in them')
      .argument('<name>')
      .action(action(show)),
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
  const lines = [
    `${set.name} (${set.from})`,
    `  ${set.folder}`,
    ...(set.description === '' ? [] : [`  ${set.description}`]),
    '',
    ...set.files.map((file) => `  ${file}`),
    ...set.differences.map(({ file, difference }) => `warning: ${file}: ${difference.advice}`),
  ];
  printResult(options, set, lines.join('\n'));
}
