/** What the help of each command ends with. A group of commands shows the first example of each. */
import type { Command } from 'commander';

const examples: Readonly<Record<string, readonly string[]>> = {
  peagen: [
    "peagen evolve run --target-file slow.py --entry-fn slow --inputs '[[[3, 1, 2]], [[]]]' --generations 30",
    'peagen evolve report              # what the newest run spent and found',
    'peagen evolve run --help          # options and examples of one command',
  ],
  'peagen mutate': ['peagen mutate --target-file slow.py --entry-fn slow --mutator structural --sync'],
  'peagen judge': ['peagen judge --target-file slow.py --candidate mine.py --entry-fn slow --inputs inputs.json'],
  'peagen evolve run': [
    "peagen evolve run --target-file slow.py --entry-fn slow --inputs '[[[3, 1, 2]], [[]]]' --generations 30",
    "peagen evolve run --target-file slow.py --entry-fn slow --command 'pytest -q' --timeout 300",
    'peagen evolve run FOLDER          # one of OpenEvolve or ShinkaEvolve, as it is',
    'peagen evolve run --resume        # the newest interrupted run',
  ],
  'peagen evolve step': ['peagen evolve step --target-file slow.py --entry-fn slow --inputs inputs.json --population 4'],
  'peagen evolve replay': ['peagen evolve replay                 # the newest run', 'peagen evolve replay RUN --json'],
  'peagen evolve report': ['peagen evolve report                 # the newest run', 'peagen evolve report RUN --json'],
  'peagen evolve pause': ['peagen evolve pause'],
  'peagen evolve unpause': ['peagen evolve unpause'],
  'peagen evolve stop': ['peagen evolve stop'],
  'peagen render': ['peagen render --project payload.yaml --out out'],
  'peagen template-set list': ['peagen template-set list'],
  'peagen template-set show': ['peagen template-set show python-package'],
  'peagen runs list': ['peagen runs list'],
  'peagen runs show': ['peagen runs show                     # the newest run', 'peagen runs show RUN'],
  'peagen runs diff': ['peagen runs diff | git apply          # the newest run', 'peagen runs diff RUN OTHER'],
  'peagen runs export': ['peagen runs export > run.json', 'peagen runs export RUN RUN'],
  'peagen runs gc': ['peagen runs gc --keep 5 --dry-run'],
  'peagen worker start': ['PEAGEN_REDIS_PASSWORD=… peagen worker start --caps cpu,python'],
  'peagen worker image build': ['peagen worker image build --dry-run'],
  'peagen llm check': ['peagen llm check                     # every back end', 'peagen llm check local --dry-run'],
  'peagen llm allow': ['peagen llm allow local'],
  'peagen queue depth': ['peagen queue depth'],
  'peagen queue waiting': ['peagen queue waiting --limit 5', 'peagen queue waiting 0123456789abcdef'],
  'peagen queue result': ['peagen queue result 0f09f595c90555ba46d84825df09252b'],
  'peagen queue key': ['peagen queue key'],
  'peagen queue acl': ["peagen queue acl --workspaces 'team-*' >> users.acl"],
  'peagen queue dlq list': ['peagen queue dlq list --limit 10'],
  'peagen queue dlq inspect': ['peagen queue dlq inspect ID'],
  'peagen queue dlq retry': ['peagen queue dlq retry --all'],
  'peagen queue dlq export': ['peagen queue dlq export --output dead.json'],
  'peagen queue dlq purge': ['peagen queue dlq purge --all --dry-run'],
  'peagen plugin list': ['peagen plugin list'],
  'peagen plugin add': ['peagen plugin add ./peagen-mine-1.0.0.tgz'],
  'peagen plugin allow': ['peagen plugin allow peagen-mine'],
  'peagen plugin remove': ['peagen plugin remove peagen-mine'],
  'peagen plugin new': ['peagen plugin new mutator mine'],
  'peagen config show': ['peagen config show'],
  'peagen config upgrade': ['peagen config upgrade --dry-run'],
  'peagen config schema': ['peagen config schema > peagen.schema.json'],
  'peagen config allow': ['peagen config allow /srv/shared/project'],
  'peagen mcp': ['peagen mcp --workspace .'],
  'peagen daemon start': ['peagen daemon start'],
  'peagen daemon stop': ['peagen daemon stop'],
  'peagen daemon status': ['peagen daemon status --json'],
  'peagen daemon logs': ['peagen daemon logs --lines 100'],
  'peagen daemon connect': ['peagen daemon connect --workspace . --client my-editor'],
  'peagen completion': [
    'source <(peagen completion bash)     # in ~/.bashrc',
    'source <(peagen completion zsh)      # in ~/.zshrc',
  ],
};

/** The examples of a command; empty for one that has none in the table. */
export function examplesOf(command: Command, path: string): readonly string[] {
  return examples[path] ?? command.commands.flatMap((each) => examplesOf(each, `${path} ${each.name()}`).slice(0, 1));
}

export function showExamples(command: Command, path: string): void {
  const lines = examplesOf(command, path);
  if (lines.length > 0) command.addHelpText('after', ['', 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n'));
  for (const each of command.commands) showExamples(each, `${path} ${each.name()}`);
}
