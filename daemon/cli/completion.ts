/** `peagen completion`: a script that completes commands and options in a shell, made of the commands themselves. */
import { Argument, Command } from 'commander';
import { action, type CommonOptions, printDocument, printResult, withCommonOptions } from './output.ts';

/** `commands`: all the others. */
export function completionCommand(commands: () => Promise<readonly Command[]>): Command {
  return withCommonOptions(new Command('completion'))
    .description('print a script that completes commands and options')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(['bash', 'zsh']))
    .action(
      action(async (shell: 'bash' | 'zsh', options: CommonOptions) => {
        const script = completionScript(await commands(), shell);
        if (options.json === true) printResult(options, { shell, script }, '');
        else printDocument(script);
      }),
    );
}

/** Zsh runs what is written for Bash. */
export function completionScript(commands: readonly Command[], shell: 'bash' | 'zsh'): string {
  const words = new Map([['', commands.map((each) => each.name())]]);
  for (const command of commands) addWords(command, '', words);
  const paths = [...words.keys()].filter((path) => path !== '');
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_peagen() {
  local path="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${paths.map((path) => `"${path}"`).join('|')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${[...words].map(([path, each]) => `    "${path}") COMPREPLY=($(compgen -W "${each.join(' ')}" -- "\${COMP_WORDS[COMP_CWORD]}")) ;;`).join('\n')}
  esac
}
complete -o default -F _peagen peagen
`;
}

/** What can follow each command, by the way to it: ` evolve run`. */
function addWords(command: Command, above: string, words: Map<string, string[]>): void {
  const path = `${above} ${command.name()}`;
  const flags = command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []));
  words.set(path, [...command.commands.map((each) => each.name()), ...flags, '--help']);
  for (const each of command.commands) addWords(each, path, words);
}
