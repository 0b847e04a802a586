/** `peagen queue depth | waiting | result | key | acl | dlq list | inspect | retry | export | purge`: looks into the team's queue, or the daemon's own, and tends its dead letters. */
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { TaskId } from '../../../shared/ids.ts';
import { type DeadLetter, noTasks, ShowQueue, TendDeadLetters } from '../../../shared/protocol/queue.ts';
import { laneOf, type Task } from '../../../shared/task.ts';
import { readConfig } from '../../config/load.ts';
import type { Depth, TaskQueue } from '../../fabric/queue.ts';
import { passwordVariable, queueAcl, queueRoles } from '../../fabric/redis/connection/roles.ts';
import { newQueueKey } from '../../fabric/redis/signature.ts';
import { openRegistry } from '../../plugins/packages.ts';
import { count } from '../numbers.ts';
import { action, type CommonOptions, printDocument, printResult, say, withCommonOptions } from '../output.ts';
import { askDaemon } from '../session.ts';

const PAGE = 50;

interface ListOptions extends CommonOptions {
  limit: number;
  offset: number;
}

interface ChoiceOptions extends CommonOptions {
  all?: boolean;
}

interface ExportOptions extends CommonOptions {
  output?: string;
}

export function queueCommand(): Command {
  const queue = new Command('queue').description('look into the task queue and tend its dead letters');
  queue.addCommand(withCommonOptions(new Command('depth')).description('tasks by state, kind and lane').action(action(depth)));
  queue.addCommand(
    withCommonOptions(new Command('waiting'))
      .description('tasks that nobody has claimed, oldest first, or one of them, whole')
      .argument('[task id]')
      .option('--limit <n>', 'at most this many', count, PAGE)
      .action(action(waiting)),
  );
  queue.addCommand(
    withCommonOptions(new Command('result'))
      .description('the stored result of a task, as JSON')
      .argument('<task id>')
      .action(action(result)),
  );
  const dlq = new Command('dlq').description('dead letters: tasks that will not be tried again');
  dlq.addCommand(
    withCommonOptions(new Command('list'))
      .description('oldest first')
      .option('--limit <n>', 'at most this many', count, PAGE)
      .option('--offset <n>', 'skip this many', count, 0)
      .action(action(list)),
  );
  dlq.addCommand(
    withCommonOptions(new Command('inspect')).description('one of them, whole').argument('<id>').action(action(inspect)),
  );
  dlq.addCommand(
    withCommonOptions(new Command('retry'))
      .description('put them back with attempts 0')
      .argument('[ids...]')
      .option('--all', 'all of them')
      .action(action((ids: string[], options: ChoiceOptions) => tend('retry', ids, options))),
  );
  dlq.addCommand(
    withCommonOptions(new Command('export'))
      .description('all of them, as JSON')
      .option('--output <file>', 'default: standard output')
      .action(action(exportLetters)),
  );
  dlq.addCommand(
    withCommonOptions(new Command('purge'))
      .description('remove them for good')
      .argument('[ids...]')
      .option('--all', 'all of them')
      .action(action((ids: string[], options: ChoiceOptions) => tend('purge', ids, options))),
  );
  queue.addCommand(
    withCommonOptions(new Command('key')).description('a fresh key that tasks and results are signed with').action(action(key)),
  );
  queue.addCommand(
    withCommonOptions(new Command('acl'))
      .description(
        `the users of a team's Redis, as lines of its ACL file; their passwords are in ${queueRoles.map(passwordVariable).join(', ')}`,
      )
      .option('--workspaces <name>', 'a name as in task_queue.workspace, or the beginning of some with *', '*')
      .action(action(acl)),
  );
  return queue.addCommand(dlq);
}

async function acl({ workspaces, ...options }: CommonOptions & { workspaces: string }): Promise<void> {
  const rules = queueAcl(workspaces, process.env);
  printResult(options, { rules }, rules.join('\n'));
  const off = queueRoles.filter((role) => !process.env[passwordVariable(role)]);
  if (options.json !== true && off.length > 0)
    say(`${off.map((role) => `peagen-${role}`).join(', ')}: off, since ${off.map(passwordVariable).join(', ')} has no password`);
}

async function key(options: CommonOptions): Promise<void> {
  const fresh = newQueueKey();
  printResult(options, { key: fresh }, fresh);
  if (options.json !== true)
    say('Set it as PEAGEN_QUEUE_KEY for "peagen worker start" on every host, and where runs are started. Keep it secret.');
}

type Shown = Pick<TaskQueue, 'depth' | 'waiting' | 'deadLetters'>;

interface OwnQueues {
  show(most?: number): Promise<{ depth: Depth; waiting: Task[]; letters: DeadLetter[] }>;
  tend(what: 'retry' | 'purge', ids: readonly string[] | undefined): Promise<number>;
}

async function withQueue<T>(options: CommonOptions, use: (queue: Shown) => Promise<T>): Promise<T> {
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  const { provider } = config.task_queue;
  if (provider === 'stub') return (await withDaemon(options, use)).of;
  const workspace = file === undefined ? process.cwd() : dirname(file);
  const registry = await openRegistry(config, workspace);
  const queue = await (await registry.load('queue', provider))(config, workspace);
  try {
    return await use(queue);
  } finally {
    await queue.close();
  }
}

/** The queues "stub" live in the daemon of this folder; without a daemon there are none. */
async function withDaemon<T>(options: CommonOptions, use: (queue: Shown) => Promise<T>): Promise<{ of: T }> {
  const found = await askDaemon(options, '.', async (client) => {
    const tend: OwnQueues['tend'] = async (what, ids) =>
      (await client.request(TendDeadLetters, { what, ...(ids === undefined ? {} : { ids: [...ids] }) })).count;
    return { of: await use(asQueue({ show: (most) => client.request(ShowQueue, { most }), tend })) };
  });
  if (found !== undefined) return found;
  say(`No daemon runs for ${process.cwd()}, so nothing waits in its memory.`);
  return { of: await use(asQueue({ show: async () => ({ depth: noTasks, waiting: [], letters: [] }), tend: async () => 0 })) };
}

function asQueue({ show, tend }: OwnQueues): Shown {
  const letters = async () => (await show()).letters;
  return {
    depth: async () => (await show()).depth,
    waiting: async (limit) => (await show(limit)).waiting,
    deadLetters: {
      list: async ({ offset = 0, limit } = {}) =>
        (await letters()).slice(offset, limit === undefined ? undefined : offset + limit),
      inspect: async (id) => (await letters()).find((letter) => letter.id === id),
      retry: (ids) => tend('retry', ids),
      purge: (ids) => tend('purge', ids),
    },
  };
}

async function depth(options: CommonOptions): Promise<void> {
  const found = await withQueue(options, (queue) => queue.depth());
  printResult(options, found, describeDepth(found));
}

function describeDepth(depth: Depth): string {
  const { pending, claimed, delayed, dead, oldestMs } = depth;
  const oldest = pending === 0 ? '' : `, the oldest for ${Math.round(oldestMs / 1000)} s`;
  const lanes = Object.entries(depth.byLane).filter(([, tasks]) => tasks > 0);
  return [
    `${pending} waiting${oldest}; ${claimed} claimed, ${delayed} delayed, ${dead} dead`,
    ...lanes.sort(([, a], [, b]) => b - a).map(([lane, tasks]) => `${String(tasks).padStart(8)}  ${lane}`),
  ].join('\n');
}

async function waiting(id: string | undefined, { limit, ...options }: CommonOptions & { limit: number }): Promise<void> {
  const most = id === undefined ? limit : Number.MAX_SAFE_INTEGER;
  const tasks = await withQueue(options, async (queue) => {
    if (queue.waiting !== undefined) return await queue.waiting(most);
    throw new PeagenError('unsupported', 'This queue does not show its tasks.', { hint: 'See "peagen queue depth".' });
  });
  if (id === undefined) {
    const lines = tasks.map((task) => `${task.id}  ${task.created_at}  ${laneOf(task)}  ${task.trace?.run ?? ''}`.trimEnd());
    printResult(options, { tasks }, lines.length === 0 ? 'No task waits.' : lines.join('\n'));
    return;
  }
  const task = tasks.find((one) => one.id === id);
  if (task === undefined)
    throw new PeagenError('not_found', `No task "${id}" waits.`, {
      hint: 'See "peagen queue waiting", or "peagen queue result".',
    });
  printResult(options, task, JSON.stringify(task, null, 2));
}

/** The result store keeps results packed; this unpacks one. A run without a shared queue keeps its results in its journal instead. */
async function result(id: string, options: CommonOptions): Promise<void> {
  const task = TaskId.safeParse(id);
  if (!task.success)
    throw new PeagenError('invalid_input', `"${id}" is not a task id.`, { hint: "See the run's journal.jsonl." });
  const { config, file } = await readConfig({ cwd: process.cwd(), file: options.config });
  const workspace = file === undefined ? process.cwd() : dirname(file);
  const registry = await openRegistry(config, workspace);
  const store = await (await registry.load('results', config.result_backend.provider))(config, workspace);
  try {
    const found = await store.get(task.data);
    if (found === undefined) throw new PeagenError('not_found', `No result of the task "${id}" is stored.`);
    printResult(options, found, JSON.stringify(found, null, 2));
  } finally {
    await store.close();
  }
}

async function list({ limit, offset, ...options }: ListOptions): Promise<void> {
  const letters = await withQueue(options, (queue) => queue.deadLetters.list({ limit, offset }));
  const lines = letters.map(
    ({ id, died_at, lane, attempts, reason }) =>
      `${id}  ${died_at}  ${lane}  ${attempts}×  ${reason.replaceAll(/\s*\n\s*/g, ' ')}`,
  );
  printResult(options, { letters }, lines.length === 0 ? 'There are no dead letters.' : lines.join('\n'));
}

async function inspect(id: string, options: CommonOptions): Promise<void> {
  const letter = await withQueue(options, (queue) => queue.deadLetters.inspect(id));
  if (letter === undefined) {
    throw new PeagenError('not_found', `There is no dead letter "${id}".`, { hint: 'See "peagen queue dlq list".' });
  }
  printResult(options, letter, JSON.stringify(letter, null, 2));
}

async function tend(what: 'retry' | 'purge', ids: string[], options: ChoiceOptions): Promise<void> {
  if ((ids.length === 0) !== (options.all === true)) {
    throw new PeagenError('invalid_input', `Say which dead letters to ${what}.`, { hint: 'Give their ids, or --all.' });
  }
  const count = await withQueue(options, async (queue) => {
    if (options.dryRun !== true) return await queue.deadLetters[what](options.all === true ? undefined : ids);
    if (options.all === true) return (await queue.depth()).dead;
    return (await Promise.all(ids.map((id) => queue.deadLetters.inspect(id)))).filter((letter) => letter !== undefined).length;
  });
  if (options.all !== true && count < new Set(ids).size) say(`${new Set(ids).size - count} of these are no dead letters.`);
  const [did, would] = what === 'retry' ? ['put back', 'be put back'] : ['removed', 'be removed'];
  printResult(
    options,
    { [what]: count, dry_run: options.dryRun === true },
    `${count} ${options.dryRun ? `would ${would}` : did}.`,
  );
}

async function exportLetters(options: ExportOptions): Promise<void> {
  const letters = await withQueue(options, (queue) => queue.deadLetters.list());
  const text = `${JSON.stringify(letters, null, 2)}\n`;
  if (options.output === undefined) {
    if (options.json === true) printResult(options, { letters }, '');
    else printDocument(text);
    return;
  }
  if (options.dryRun !== true) await writeFile(options.output, text);
  const said = `${letters.length} dead letters ${options.dryRun ? 'would go' : 'went'} to ${options.output}.`;
  printResult(options, { exported: letters.length, output: options.output, dry_run: options.dryRun === true }, said);
}
