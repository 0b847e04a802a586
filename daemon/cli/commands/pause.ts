/** `peagen evolve pause | unpause | stop`: controls a run that the daemon of a folder works on. */
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId } from '../../../shared/ids.ts';
import { ListRuns, PauseRun, StopRun, UnpauseRun } from '../../../shared/protocol/runs.ts';
import { locate } from '../../client/locate.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';
import { runId } from '../run-id.ts';
import { askDaemon } from '../session.ts';

const keys = ['pause', 'unpause', 'stop'] as const;
type Word = (typeof keys)[number];

const words = {
  pause: {
    request: PauseRun,
    description: 'no new candidates; those in flight are finished',
    done: 'is paused',
  },
  unpause: { request: UnpauseRun, description: 'go on with a paused run', done: 'goes on' },
  stop: {
    request: StopRun,
    description: 'end a run in an orderly way, with its best confirmed',
    done: 'has ended',
  },
} as const;

export function pauseCommands(): Command[] {
  return keys.map((word) =>
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
  const { workspace } = locate(options.workspace);
  const told = await askDaemon(options, workspace, async (client) => {
    const live = (await client.request(ListRuns, {}))
      .filter(({ state }) => state === 'running' || state === 'paused')
      .map(({ run }) => run);
    const run = named === undefined ? theOnly(live) : live.find((each) => each === named);
    if (run === undefined) return false;
    if (options.dryRun === true) printResult(options, { run }, `Would ${word} run ${run}.`);
    else printResult(options, await client.request(words[word].request, { run }), `Run ${run} ${words[word].done}.`);
    return true;
  });
  if (told !== true) throw notThere(workspace, named);
}

function theOnly(live: readonly RunId[]): RunId | undefined {
  if (live.length < 2) return live[0];
  throw new PeagenError('invalid_input', `${live.length} runs are in progress: ${live.join(', ')}.`, {
    hint: 'Name one of them.',
  });
}

function notThere(workspace: string, named: RunId | undefined): PeagenError {
  return new PeagenError(
    'not_found',
    named === undefined ? `No run is in progress in ${workspace}.` : `Run ${named} is not in progress in ${workspace}.`,
    { hint: 'The runs of a folder are in its .peagen/runs; --workspace names another folder.' },
  );
}
