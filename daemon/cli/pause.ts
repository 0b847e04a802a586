/** `peagen evolve pause | unpause | stop`: a word to a run that the daemon of this folder works on, or another command line. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import { ListRuns, PauseRun, StopRun, UnpauseRun } from '../../shared/protocol/runs.ts';
import type { RunInfo } from '../../shared/run.ts';
import { locate } from '../client/locate.ts';
import { connect } from '../client/start.ts';
import { RunFiles } from '../engine/run-files.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from './output.ts';
import { runId } from './run-id.ts';
import { leaveWord, Word } from './words.ts';

const words = {
  pause: {
    request: PauseRun,
    description: 'no new candidates; those in flight are finished',
    done: 'is paused',
    state: 'paused',
  },
  unpause: { request: UnpauseRun, description: 'go on with a paused run', done: 'goes on', state: 'running' },
  stop: {
    request: StopRun,
    description: 'end a run in an orderly way, with its best confirmed',
    done: 'has ended',
    state: 'finished',
  },
} as const;

/** A process that works on a run looks several times a second. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

export function pauseCommands(): Command[] {
  return Word.options.map((word) =>
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
  const socket = await connect(place, { client: 'peagen cli', trusted: true });
  const { DaemonClient } = await import('../client/client.ts');
  const client = socket === undefined ? undefined : new DaemonClient(socket);
  try {
    const inDaemon = ((await client?.request(ListRuns, {})) ?? [])
      .filter(({ state }) => state === 'running' || state === 'paused')
      .map(({ run }) => run);
    const files = new RunFiles(place.workspace);
    const elsewhere = (await files.list()).filter((run) => !inDaemon.includes(run) && files.owner(run) !== undefined);
    const live = [...inDaemon, ...elsewhere];
    const run = named === undefined ? theOnly(live) : live.find((each) => each === named);
    if (run === undefined) throw notThere(place.workspace, named);
    if (options.dryRun === true) return printResult(options, { run }, `Would ${word} run ${run}.`);
    const after =
      client !== undefined && inDaemon.includes(run)
        ? await client.request(words[word].request, { run })
        : await tellOther(files, run, word);
    printResult(options, after, `Run ${run} ${words[word].done}.`);
  } finally {
    client?.close();
  }
}

/** To a run that another command line works on. */
async function tellOther(files: RunFiles, run: RunId, word: Word): Promise<Pick<RunInfo, 'run' | 'state'>> {
  await leaveWord(files.folder(run), word, PATIENCE_MS);
  if (word === 'stop') while (files.owner(run) !== undefined) await delay(LOOK_MS);
  return { run, state: words[word].state };
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
