/** `peagen evolve replay`: makes every candidate of a run again and compares; measures the best again. */
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { type ReplayReport, ReplayRun } from '../../../shared/protocol/replay.ts';
import { times } from '../../../shared/words/ratio.ts';
import { whole } from '../numbers.ts';
import { action, printFailure, printResult, withCommonOptions } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { runOrNewest } from '../run-id.ts';
import { openSession, type SessionOptions } from '../session.ts';

/** Share of its operations by which the best may differ. */
const SAME = 0.001;

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
    const { generation } = options;
    const run = await runOrNewest(session, text);
    if (options.dryRun === true) {
      const what = generation === undefined ? 'every candidate' : `the candidates of generation ${generation}`;
      return printResult(options, { run, generation: generation ?? null }, `Would make ${what} of run ${run} again.`);
    }
    const replaying = session.client.request(ReplayRun, { run, ...(generation === undefined ? {} : { generation }) });
    const report = await whileWaiting(`making the candidates of ${run} again`, replaying);
    printResult(options, report, reportText(report));
    const disagreement = disagreementOf(report);
    // Not thrown: with --json the report stays the one object.
    if (disagreement !== undefined) printFailure(disagreement, false);
  } finally {
    await session.close();
  }
}

/** Why the run cannot be called the same again. */
export function disagreementOf({ differing, candidates, best }: ReplayReport): PeagenError | undefined {
  const [first] = differing;
  if (first !== undefined) {
    return new PeagenError(
      'conflict',
      `${differing.length} of ${candidates} candidates came out different, the first at index ${first.index}.`,
      { hint: 'Was the run made by another build, or its objects changed?' },
    );
  }
  const cost = best?.cost;
  if (cost === undefined || Math.abs(cost.measured / cost.recorded - 1) <= SAME) return undefined;
  return new PeagenError(
    'conflict',
    `The best takes ${cost.measured} operations a pass now, and took ${cost.recorded} when it was announced.`,
    { hint: 'Was the run judged by another interpreter, or does the program depend on time or chance?' },
  );
}

function reportText(report: ReplayReport): string {
  const lines = [`${report.identical} of ${report.candidates} candidates identical (SHA-256)`];
  for (const { index, expected, actual } of report.differing)
    lines.push(`candidate ${index}: recorded ${expected}, now ${actual}`);
  if (report.best !== null) {
    const { recorded, measured, ratio, cost } = report.best;
    lines.push(`best: ${times(recorded)} recorded, ${times(measured)} now (${((ratio - 1) * 100).toFixed(2)} %)`);
    if (cost !== undefined) lines.push(`      ${cost.recorded} operations a pass recorded, ${cost.measured} now`);
  }
  return lines.join('\n');
}
