/** `peagen evolve pause | unpause | stop`: a word to a run that the daemon of this folder works on. */
import { Command } from 'commander';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import { ListRuns, PauseRun, StopRun, UnpauseRun } from '../../shared/protocol/runs.ts';
import type { RunInfo } from '../../shared/run.ts';
import { RunFiles } from '../engine/run-files.ts';
import { locate } from '../server/locate.ts';
import { connect } from '../server/start.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from './output.ts';
import { runId } from './run-id.ts';

const words = {
  pause: { request: PauseRun, description: 'no new candidates; those in flight are finished', done: 'paused' },
  unpause: { request: UnpauseRun, description: 'go on with a paused run', done: 'goes on' },
  stop: { request: StopRun, description: 'end a run in an orderly way, with its best confirmed', done: 'has ended' },
} as const;
type Word = keyof typeof words;

export function pauseCommands(): Command[] {
  return (Object.keys(words) as Word[]).map((word) =>
    withCommonOptions(new Command(word))
      .description(words[word].description)
      .argument('[run]', 'id of the run (default: the one in progress)')
      .option('--workspace <dir>', 'the workspace folder', '.')
      .action(
        action((run: string | undefined, options: CommonOptions & { workspace: string }) =>
          tell(word, run === undefined ? undefined : runId(run), options),
        ),
      ),
  );
}

async function tell(word: Word, named: RunId | undefined, options: CommonOptions & { workspace: string }): Promise<void> {
  const place = locate(options.workspace);
  const { request, done } = words[word];
  const socket = await connect(place, { client: 'peagen cli', trusted: true });
  if (socket === undefined) throw notHere(place.workspace, named);
  const { DaemonClient } = await import('../server/client.ts');
  const client = new DaemonClient(socket);
  try {
    const live = (await client.request(ListRuns, {})).filter(({ state }) => state === 'running' || state === 'paused');
    const info = named === undefined ? theOnly(live) : live.find(({ run }) => run === named);
    if (info === undefined) throw notHere(place.workspace, named);
    if (options.dryRun === true) return printResult(options, { run: info.run }, `Would ${word} run ${info.run}.`);
    const after = await client.request(request, { run: info.run });
    printResult(options, after, `Run ${after.run} ${done}.`);
  } finally {
    client.close();
  }
}

function theOnly(live: readonly RunInfo[]): RunInfo | undefined {
  if (live.length < 2) return live[0];
  throw new PeagenError('invalid_input', `${live.length} runs are in progress: ${live.map(({ run }) => run).join(', ')}.`, {
    hint: 'Name one of them.',
  });
}

/** A run that another command line works on hears its own terminal only. */
function notHere(workspace: string, named: RunId | undefined): PeagenError {
  const owner = named === undefined ? undefined : new RunFiles(workspace).owner(named);
  if (named !== undefined && owner !== undefined) {
    return new PeagenError('conflict', `Run ${named} is in progress in process ${owner}, not in the daemon.`, {
      hint: 'On its terminal, p pauses it and Ctrl+C ends it.',
    });
  }
  return new PeagenError(
    'not_found',
    `The daemon of ${workspace} has no run${named === undefined ? '' : ` ${named}`} in progress.`,
    {
      hint: 'See `peagen daemon status`.',
    },
  );
}
