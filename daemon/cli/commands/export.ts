/** `peagen runs export`: the archive of a run, or of several merged, as a table, or the way to its best as a git branch. */
import { Command, Option } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { ExportArchive, ExportToGit, type GitExport } from '../../../shared/protocol/export.ts';
import { action, printDocument, printResult, withCommonOptions } from '../output.ts';
import { runId, runOrNewest } from '../run-id.ts';
import { openSession, type SessionOptions } from '../session.ts';

interface ExportOptions extends SessionOptions {
  format: 'csv' | 'git' | 'json';
}

export function exportCommand(): Command {
  return withCommonOptions(new Command('export'))
    .description('the archive of a run as CSV or JSON, or the way to its best as a git branch peagen/RUN')
    .argument('[runs...]', 'ids of runs (default: the newest); the archives of several are merged')
    .addOption(new Option('--format <format>', 'what to write').choices(['json', 'csv', 'git']).default('json'))
    .action(action(exportRun));
}

async function exportRun(texts: readonly string[], options: ExportOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const [text, ...others] = texts;
    const run = await runOrNewest(session, text);
    if (options.format === 'git') {
      if (others.length > 0) throw new PeagenError('invalid_input', 'A branch shows the way to the best of one run.');
      const preview = options.dryRun === true;
      const { branch, root, base, commits } = await session.client.request(ExportToGit, { run, preview });
      if (base === null) {
        const steps = commits.map(({ summary }) => summary);
        printResult(options, { branch, root, steps }, [`${branch} in ${root}:`, ...steps].join('\n'));
        return;
      }
      printResult(options, { branch, base, commits }, gitText(branch, base, commits));
      return;
    }
    const { format } = options;
    const { text: table } = await session.client.request(ExportArchive, { runs: [run, ...others.map(runId)], format });
    if (options.json === true) printResult(options, format === 'csv' ? { csv: table } : JSON.parse(table), '');
    else printDocument(table);
  } finally {
    await session.close();
  }
}

function gitText(branch: string, base: string, commits: GitExport['commits']): string {
  const lines = commits.map(({ commit, summary }) => `${commit?.slice(0, 10)} ${summary}`);
  return [`branch ${branch} on ${base.slice(0, 10)}:`, ...lines, `See it with: git log -p ${base.slice(0, 10)}..${branch}`].join(
    '\n',
  );
}
