/** The commands of `peagen`. Each one's code is imported when it is the one that was asked for. */
import { Command, CommanderError } from 'commander';
import { errorCodes, errorTable, exitStatuses, PeagenError } from '../../shared/errors.ts';
import { version } from '../version.ts';
import { showExamples } from './examples.ts';
import { printFailure } from './output.ts';

export const loaders: Readonly<Record<string, () => Promise<Command>>> = {
  mutate: async () => (await import('./commands/mutate.ts')).mutateCommand(),
  judge: async () => (await import('./commands/judge.ts')).judgeCommand(),
  evolve: async () => (await import('./commands/evolve.ts')).evolveCommand(),
  render: async () => (await import('./commands/render.ts')).renderCommand(),
  'template-set': async () => (await import('./commands/template-set.ts')).templateSetCommand(),
  runs: async () => (await import('./commands/runs.ts')).runsCommand(),
  worker: async () => (await import('./commands/worker.ts')).workerCommand(),
  llm: async () => (await import('./commands/llm.ts')).llmCommand(),
  queue: async () => (await import('./commands/queue.ts')).queueCommand(),
  plugin: async () => (await import('./commands/plugin.ts')).pluginCommand(),
  config: async () => (await import('./commands/config.ts')).configCommand(),
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand(),
  daemon: async () => (await import('./commands/daemon.ts')).daemonCommand(),
  completion: async () =>
    (await import('./completion.ts')).completionCommand(() =>
      Promise.all(Object.entries(loaders).flatMap(([name, load]) => (name === 'completion' ? [] : [load()]))),
    ),
};

export async function runProgram(argv: readonly string[]): Promise<void> {
  // The program that reads the output, such as "head", has enough; a run that ends here can be resumed.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const program = new Command('peagen')
    .description('Evolves code: faster variants of a function, found by mutation, sandboxed execution and measurement.')
    .version(version, '--version')
    .enablePositionalOptions()
    .addHelpText('after', `\n${exitStatusHelp()}`);
  const asked = argv[2] ?? '';
  const others = asked === '--version' ? [] : Object.values(loaders);
  const wanted = Object.hasOwn(loaders, asked) ? [loaders[asked]] : others;
  for (const load of wanted) if (load !== undefined) program.addCommand(await load());
  endLikeOurs(program);
  showExamples(program, 'peagen');
  try {
    await program.parseAsync(argv);
  } catch (caught) {
    if (!(caught instanceof CommanderError)) throw caught;
    // Help and version were asked for; help that was not stands for a command that is missing, and says all there is to say.
    if (caught.code === 'commander.help') process.exitCode = errorTable.invalid_input.exit;
    else if (caught.exitCode !== 0) printFailure(usageError(caught.message, commandOf(program, argv)), argv.includes('--json'));
  }
}

/** What the exit statuses of all commands mean, with the errors of each. */
export function exitStatusHelp(): string {
  const lines = Object.entries(exitStatuses).map(([status, meaning]) => {
    const codes = errorCodes.filter((code) => errorTable[code].exit === Number(status)).map((code) => code.replaceAll('_', ' '));
    return `  ${status.padEnd(4)} ${meaning}${codes.length === 0 ? '' : ` (${codes.join(', ')})`}`;
  });
  return ['Exit status:', ...lines].join('\n');
}

/** A wrong option ends a command as any other invalid input does: one line, and the same status. */
function endLikeOurs(command: Command): void {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const each of command.commands) endLikeOurs(each);
}

function usageError(message: string, command: string): PeagenError {
  const said = message
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/\.$/, '');
  return new PeagenError('invalid_input', `${said.charAt(0).toUpperCase()}${said.slice(1)}.`, {
    hint: `See "${command} --help".`,
  });
}

/** As far as the words name one: `peagen evolve run`. */
function commandOf(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command: Command | undefined = program;
  for (const word of argv.slice(2)) {
    command = command.commands.find((each) => each.name() === word);
    if (command === undefined) break;
    names.push(word);
  }
  return names.join(' ');
}
