/** `peagen runs list | show | diff | export | gc`: the runs that are kept in this folder. */
import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { verdictOf } from '../../../shared/confidence.ts';
import { Duration } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { plainGain } from '../../../shared/gain.ts';
import type { RunId } from '../../../shared/ids.ts';
import { CollectRuns } from '../../../shared/protocol/collect.ts';
import { ExportArchive } from '../../../shared/protocol/export.ts';
import { ListElites, ListRuns, ListUnreadableRuns } from '../../../shared/protocol/runs.ts';
import type { RunInfo } from '../../../shared/run.ts';
import { eliteLine } from '../dashboard.ts';
import { count } from '../numbers.ts';
import { action, printResult, withCommonOptions } from '../output.ts';
import { runId, runOrNewest } from '../run-id.ts';
import { type CommandSession, openSession, type SessionOptions } from '../session.ts';
import { candidatesText, countOf, stopText } from '../words.ts';
import { diffRuns } from './runs-diff.ts';

/** What `gc` keeps by default. */
const KEEP = 20;
const KEEP_TIME = '30d';
/** Elites that `show` lists, the best first. */
const SHOWN_ELITES = 8;

interface GcOptions extends SessionOptions {
  keep: number;
  olderThan: number;
}

export function runsCommand(): Command {
  const runs = new Command('runs').description('list, show, compare, export or remove the runs of this folder');
  const add = (name: string, description: string) =>
    withCommonOptions(runs.command(name).description(description)).option('--sync', 'in this process, without a daemon');
  add('list', 'all runs, newest first').action(action(list));
  add('show', 'what one run did').argument('[run]', 'id of the run (default: the newest)').action(action(show));
  add('diff', 'the changes of the best program of a run, or two runs next to each other')
    .argument('[run]', 'id of the run (default: the newest)')
    .argument('[other]', 'id of a run to compare it with')
    .action(action(diffRuns));
  add('export', 'the archive of a run as JSON: niches, elites, what was measured of them')
    .argument('[runs...]', 'ids of runs (default: the newest); the archives of several are merged')
    .action(action(exportRuns));
  add('gc', 'remove old runs, and objects that no run refers to')
    .option('--keep <n>', 'the newest runs that stay in any case', count, KEEP)
    .addOption(
      new Option('--older-than <time>', 'remove of the others what is older than this, such as 30d')
        .argParser(milliseconds)
        .default(milliseconds(KEEP_TIME), KEEP_TIME),
    )
    .action(action(collect));
  return runs;
}

function milliseconds(text: string): number {
  const parsed = Duration.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError('Expected a duration such as "12h" or "30d".');
  return parsed.data;
}

async function withRuns<T>(
  options: SessionOptions,
  text: string | undefined,
  use: (run: RunId, all: RunInfo[], client: CommandSession['client']) => T | Promise<T>,
): Promise<T> {
  const session = await openSession(options, process.cwd());
  try {
    const run = await runOrNewest(session, text);
    const all = await session.client.request(ListRuns, {});
    // A run that cannot be read is not listed; a request for it by name reports why.
    if (!all.some((info) => info.run === run)) await session.client.request(ListElites, { run });
    return await use(run, all, session.client);
  } finally {
    await session.close();
  }
}

async function list(options: SessionOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const runs = await session.client.request(ListRuns, {});
    const unreadable = await session.client.request(ListUnreadableRuns, {});
    const rows = [...runs.map(rowOf), ...unreadable.map(({ run, reason }) => `${run}  unreadable  ${reason}`)];
    printResult(options, { runs, unreadable }, rows.length === 0 ? 'There are no runs in this folder.' : rows.join('\n'));
  } finally {
    await session.close();
  }
}

function rowOf(info: RunInfo): string {
  const { run, state, generation, candidates, target } = info;
  const gain = plainGain(info) ?? (state === 'finished' ? 'no improvement' : 'no improvement yet');
  const did = `${countOf(generation, 'generation').padStart(16)} ${countOf(candidates, 'candidate').padStart(17)}`;
  return `${run}  ${state.padEnd(11)} ${did}  ${gain.padEnd(18)} ${target.path}${target.entry_fn === undefined ? '' : ` ${target.entry_fn}`}`;
}

async function show(text: string | undefined, options: SessionOptions): Promise<void> {
  const { info, elites } = await withRuns(options, text, async (run, all, client) => ({
    info: all.find((each) => each.run === run) ?? absent(run),
    elites: await client.request(ListElites, { run }),
  }));
  const { run, state, stopped, failure, started_at, confidence, tokens } = info;
  const lines = [
    rowOf(info),
    `state      ${state}${stopped === undefined ? '' : `, ${stopText(stopped)}`}${failure === undefined ? '' : `: ${failure}`}`,
    `started    ${started_at}`,
    `did        ${candidatesText(info)}`,
    ...(confidence === undefined ? [] : [`how sure   ${verdictOf(confidence)}`]),
    `tokens     ${tokens.prompt + tokens.completion}`,
    `folder     ${folderOf(run)}`,
    ...(elites.length === 0 ? [] : [`best of its ${countOf(elites.length, 'niche')}`]),
    ...elites.slice(0, SHOWN_ELITES).map((elite) => eliteLine(elite, info)),
  ];
  printResult(options, info, lines.join('\n'));
}

async function exportRuns([first, ...others]: readonly string[], options: SessionOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const run = await runOrNewest(session, first);
    const { text } = await session.client.request(ExportArchive, { runs: [run, ...others.map(runId)] });
    printResult(options, JSON.parse(text), text.trimEnd());
  } finally {
    await session.close();
  }
}

async function collect({ keep, olderThan, ...options }: GcOptions): Promise<void> {
  const dryRun = options.dryRun === true;
  const session = await openSession(options, process.cwd());
  try {
    const found = await session.client.request(CollectRuns, { keep, keep_ms: olderThan, dry_run: dryRun });
    const what = `${countOf(found.removed.length, 'run')} and ${countOf(found.objects, 'object')}, ${(found.bytes / 1024 ** 2).toFixed(1)} MB`;
    printResult(
      options,
      { ...found, dry_run: dryRun },
      `${dryRun ? 'Would remove' : 'Removed'} ${what}; ${countOf(found.kept, 'run')} kept.`,
    );
  } finally {
    await session.close();
  }
}

const folderOf = (run: RunId): string => resolve('.', '.peagen', 'runs', run);

function absent(run: RunId): never {
  throw new PeagenError('not_found', `There is no run ${run} in this folder.`, { hint: 'See "peagen runs list".' });
}
