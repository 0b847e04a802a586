/** `peagen evolve export`: the archive of a run, or of several merged, as a table, or the way to its best as a git branch. */
import { isDeepStrictEqual } from 'node:util';
import { Command, Option } from 'commander';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import type { Engine } from '../engine/engine.ts';
import { exportToGit, type GitExport } from '../engine/export-git.ts';
import { archiveCsv, archiveJson } from '../evolution/archive/export.ts';
import { Archive } from '../evolution/archive.ts';
import { action, printDocument, printResult, withCommonOptions } from './output.ts';
import { runId, runOrNewest } from './run-id.ts';
import { openSession, type SessionOptions } from './session.ts';

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
    const run = await runOrNewest(session.engine, text);
    if (options.format === 'git') {
      if (others.length > 0) throw new PeagenError('invalid_input', 'A branch shows the way to the best of one run.');
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
    const archive = await mergedArchive(session.engine, [run, ...others.map(runId)]);
    // Of several runs together there is no front: what one covers in it may be gone.
    const front = others.length === 0 ? await session.engine.front(run) : [];
    const table = options.format === 'csv' ? archiveCsv(archive) : archiveJson(archive, front);
    if (options.json === true) printResult(options, options.format === 'csv' ? { csv: table } : JSON.parse(table), '');
    else printDocument(table);
  } finally {
    await session.engine.close();
  }
}

/** The better of each niche, of equals the one of the run named first. Throws `conflict` for archives that cannot be compared. */
async function mergedArchive(engine: Engine, [first, ...others]: readonly [RunId, ...RunId[]]): Promise<Archive> {
  const own = await engine.archive(first);
  if (others.length === 0) return own;
  const merged = Archive.restore(own.snapshot());
  for (const run of others) {
    const other = await engine.archive(run);
    if (!isDeepStrictEqual(other.axes, merged.axes) || other.geometry.kind !== merged.geometry.kind) {
      throw new PeagenError('conflict', `The archives of ${first} and ${run} have different axes and cannot be merged.`, {
        hint: 'Give both runs the same [evolve.archive].',
      });
    }
    merged.merge(other);
  }
  return merged;
}

function gitText({ branch, base, commits }: GitExport): string {
  const lines = commits.map(({ commit, summary }) => `${commit.slice(0, 10)} ${summary}`);
  return [`branch ${branch} on ${base.slice(0, 10)}:`, ...lines, `See it with: git log -p ${base.slice(0, 10)}..${branch}`].join(
    '\n',
  );
}
