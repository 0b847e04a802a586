/** `peagen evolve replay`: makes every candidate of a run again and compares; measures the best again. */
import { Command } from 'commander';
import { PeagenError } from '../../shared/errors.ts';
import type { ReplayReport } from '../engine/replay.ts';
import { whole } from './numbers.ts';
import { action, printResult, withCommonOptions } from './output.ts';
import { runOrNewest } from './run-id.ts';
import { openSession, type SessionOptions } from './session.ts';

export function replayCommand(): Command {
  return withCommonOptions(new Command('replay'))
    .description('make every candidate of a run again, compare hashes, measure the best again')
    .argument('[run]', 'id of the run (default: the newest)')
    .option('--generation <n>', 'only this generation', whole)
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(replay));
}

async function replay(text: string | undefined, options: SessionOptions & { generation?: number }): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const report = await session.engine.replay(await runOrNewest(session.engine, text), options.generation);
    printResult(options, report, reportText(report));
    const [first] = report.differing;
    if (first === undefined) return;
    throw new PeagenError(
      'conflict',
      `${report.differing.length} of ${report.candidates} candidates came out different, the first at index ${first.index}.`,
      {
        hint: 'Was the run made by another build, or its objects changed?',
      },
    );
  } finally {
    await session.engine.close();
  }
}

function reportText(report: ReplayReport): string {
  const lines = [`${report.identical} of ${report.candidates} candidates identical (SHA-256)`];
  for (const { index, expected, actual } of report.differing)
    lines.push(`candidate ${index}: recorded ${expected}, now ${actual}`);
  if (report.best !== null) {
    const { recorded, measured, ratio } = report.best;
    lines.push(`best: ${recorded.toFixed(3)}× recorded, ${measured.toFixed(3)}× now (${((ratio - 1) * 100).toFixed(2)} %)`);
  }
  return lines.join('\n');
}
