/** `peagen completion`: a script that completes commands, options, their values and runs in a shell, made of the commands themselves. */
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
  const offers: Offers = { words: new Map([['', commands.map((each) => each.name())]]), values: new Map() };
  for (const command of commands) addOffers(command, '', offers);
  const paths = [...offers.words.keys()].filter((path) => path !== '');
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_peagen() {
  local path="" i words cur="\${COMP_WORDS[COMP_CWORD]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${paths.map((path) => `"${path}"`).join('|')}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${[...offers.values].map(([path, each]) => `    "${path}") COMPREPLY=($(compgen -W "${each}" -- "$cur")); return ;;`).join('\n')}
  esac
  case "$path" in
${[...offers.words].map(([path, each]) => `    "${path}") words="${each.join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _peagen peagen
`;
}

interface Offers {
  /** What can follow each command, by the way to it: ` evolve run`. */
  readonly words: Map<string, string[]>;
  /** What can follow an option that takes a value, by the way to it: ` evolve run --baseline`. Empty: the shell offers files. */
  readonly values: Map<string, string>;
}

/** Runs are folders; where none are kept there is nothing to offer. */
const runs = '$(ls .peagen/runs 2>/dev/null)';

function addOffers(command: Command, above: string, { words, values }: Offers): void {
  const path = `${above} ${command.name()}`;
  const flags = command.options.flatMap(({ long }) => (typeof long === 'string' ? [long] : []));
  const given = command.registeredArguments.flatMap(
    (each) => each.argChoices ?? (/^runs?$|^other$/.test(each.name()) ? [runs] : []),
  );
  words.set(path, [...command.commands.map((each) => each.name()), ...given, ...flags, '--help']);
  for (const { long, required, optional, argChoices, flags: text } of command.options) {
    if (typeof long !== 'string' || !(required || optional)) continue;
    values.set(`${path} ${long}`, (argChoices ?? (/[<[]run\b/.test(text) ? [runs] : [])).join(' '));
  }
  for (const each of command.commands) addOffers(each, path, { words, values });
}
