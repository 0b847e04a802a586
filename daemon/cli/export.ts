/** `peagen evolve export`: the archive of a run as a table, or the way to its best as a git branch. */
import { Command, Option } from 'commander';
import { exportToGit, type GitExport } from '../engine/export-git.ts';
import { archiveCsv, archiveJson } from '../evolution/archive/export.ts';
import { action, printResult, withCommonOptions } from './output.ts';
import { runOrNewest } from './run-id.ts';
import { openSession, type SessionOptions } from './session.ts';

interface ExportOptions extends SessionOptions {
  format: 'csv' | 'git' | 'json';
}

export function exportCommand(): Command {
  return withCommonOptions(new Command('export'))
    .description('the archive of a run as CSV or JSON, or the way to its best as a git branch peagen/RUN')
    .argument('[run]', 'id of the run (default: the newest)')
    .addOption(new Option('--format <format>', 'what to write').choices(['json', 'csv', 'git']).default('json'))
    .action(action(exportRun));
}

async function exportRun(text: string | undefined, options: ExportOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const run = await runOrNewest(session.engine, text);
    if (options.format === 'git') {
      const { root, steps } = await session.engine.lineage(run);
      const branch = `peagen/${run}`;
      if (options.dryRun === true) {
        const summaries = steps.map(({ origin }) => origin.summary);
        printResult(options, { branch, root, steps: summaries }, [`${branch} in ${root}:`, ...summaries].join('\n'));
        return;
      }
      const exported = await exportToGit(root, branch, steps);
      printResult(options, exported, gitText(exported));
      return;
    }
    const archive = await session.engine.archive(run);
    const table = options.format === 'csv' ? archiveCsv(archive) : archiveJson(archive, await session.engine.front(run));
    if (options.json === true) printResult(options, options.format === 'csv' ? { csv: table } : JSON.parse(table), '');
    else process.stdout.write(table);
  } finally {
    await session.engine.close();
  }
}

function gitText({ branch, base, commits }: GitExport): string {
  const lines = commits.map(({ commit, summary }) => `${commit.slice(0, 10)} ${summary}`);
  return [`branch ${branch} on ${base.slice(0, 10)}:`, ...lines, `See it with: git log -p ${base.slice(0, 10)}..${branch}`].join(
    '\n',
  );
}
