/** `peagen daemon`: the background process of a workspace, and the way of any editor to it. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { DaemonStatus, DaemonStop } from '../../../shared/protocol/session.ts';
import { isAlive } from '../../alive.ts';
import { locate } from '../../client/locate.ts';
import { connect, connectOrStart, logEnd } from '../../client/start.ts';
import { whole } from '../numbers.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';
import { asking, visitor } from '../session.ts';

interface DaemonOptions extends CommonOptions {
  workspace: string;
}

const STOP_TIMEOUT_MS = 30_000;

export function daemonCommand(): Command {
  const command = new Command('daemon').description('look after the background process that editors share');
  const add = (name: string, description: string) =>
    withCommonOptions(command.command(name).description(description)).option('--workspace <dir>', 'the workspace folder', '.');
  add('start', 'start the daemon of a workspace, unless it runs').action(action(start));
  add('stop', 'end it; runs are interrupted in an orderly way and can be resumed').action(action(stop));
  add('status', 'say whether it runs, and what it does').action(action(status));
  add('logs', 'print the end of its log').option('--lines <n>', 'how many lines', whole, 50).action(action(logs));
  add('connect', 'speak to it over standard input and output: a language server for any editor')
    .option('--untrusted', 'the workspace is not trusted: execute nothing')
    .option('--client <name>', 'name of the client, for the log', 'editor')
    .action(action(connectStdio));
  return command;
}

async function start(options: DaemonOptions): Promise<void> {
  const place = locate(options.workspace);
  if (options.dryRun === true) {
    return printResult(
      options,
      { workspace: place.workspace, socket: place.socket },
      `Would start the daemon of ${place.workspace}.`,
    );
  }
  const found = await asking(options, await connectOrStart(place, visitor(options, place.workspace)), (client) =>
    client.request(DaemonStatus, {}),
  );
  printResult(options, found, `The daemon of ${found.workspace} runs (pid ${found.pid}).`);
}

async function stop(options: DaemonOptions): Promise<void> {
  const place = locate(options.workspace);
  const socket = await connect(place, visitor(options, place.workspace));
  if (socket === undefined) return printResult(options, { stopped: false }, `No daemon runs for ${place.workspace}.`);
  if (options.dryRun === true) {
    const { pid, running } = await asking(options, socket, (client) => client.request(DaemonStatus, {}));
    return printResult(
      options,
      { stopped: false, pid },
      `Would stop the daemon ${pid}, with ${running.length} runs in progress.`,
    );
  }
  const { pid } = await asking(options, socket, (client) => client.request(DaemonStop, {}));
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; isAlive(pid); await delay(20)) {
    if (Date.now() > deadline)
      throw new PeagenError('timeout', `The daemon ${pid} has not ended in ${STOP_TIMEOUT_MS / 1000} s.`);
  }
  printResult(options, { stopped: true, pid }, `Stopped the daemon ${pid}.`);
}

async function status(options: DaemonOptions): Promise<void> {
  const place = locate(options.workspace);
  const socket = await connect(place, visitor(options, place.workspace));
  if (socket === undefined) {
    return printResult(options, { running: false, workspace: place.workspace }, `No daemon runs for ${place.workspace}.`);
  }
  const found = await asking(options, socket, (client) => client.request(DaemonStatus, {}));
  const lines = [
    `pid        ${found.pid}, since ${found.started_at}`,
    `build      ${found.version} (${found.buildId})`,
    `workspace  ${found.workspace}`,
    // This command is one of the clients.
    `clients    ${found.clients - 1}`,
    `runs       ${found.running.join(', ') || 'none'}`,
    `queue      ${found.queue.provider}, ${found.queue.pending} waiting`,
    `workers    ${found.workers.live} alive, ${found.workers.idle} idle`,
    `sandbox    ${found.sandbox}`,
    `log        ${found.log}`,
  ];
  printResult(options, found, lines.join('\n'));
}

async function logs(options: DaemonOptions & { lines: number }): Promise<void> {
  const place = locate(options.workspace);
  const lines = logEnd(place.log, options.lines);
  printResult(options, { log: place.log, lines }, lines.length === 0 ? `No log yet at ${place.log}.` : lines.join('\n'));
}

async function connectStdio(options: DaemonOptions & { untrusted?: boolean; client: string }): Promise<void> {
  if (options.dryRun === true) {
    const { workspace } = locate(options.workspace);
    return printResult(options, { workspace }, `Would connect to the daemon of ${workspace}.`);
  }
  const { bridge } = await import('../../client/bridge.ts');
  const client = { ...visitor(options, options.workspace), client: options.client, trusted: options.untrusted !== true };
  const status = await bridge(options.workspace, client, { input: process.stdin, output: process.stdout });
  // Standard input may stay open, and is no longer read.
  process.exit(status);
}
