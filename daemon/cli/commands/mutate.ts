/** `peagen mutate`: one patch round on one function, without evaluation. */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { Mutate, type MutateAnswer, PlanMutate } from '../../../shared/protocol/targets.ts';
import { costText } from '../../../shared/words/cost-text.ts';
import { samplesDir } from '../../assets.ts';
import { findConfig } from '../../config/load.ts';
import { seed } from '../numbers.ts';
import { action, printResult, say, withCommonOptions } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { openSession, type SessionOptions, sayTrouble } from '../session.ts';
import { findTarget, type TargetOptions, targetFolder } from '../target.ts';

interface MutateOptions extends SessionOptions, TargetOptions {
  output?: string;
  backend?: string;
  mutator?: string;
  seed?: number;
  instructions?: string;
}

export function mutateCommand(): Command {
  return withCommonOptions(new Command('mutate'))
    .description('propose one change of a function, without evaluating it')
    .argument('[folder]', 'a folder with a .peagen.toml')
    .option('--target-file <file>', 'the file to change')
    .option('--entry-fn <name>', 'the function to change')
    .option('--entry-only', 'leave alone the functions of its file that only it uses')
    .option('--output <file>', 'write the changed file here (the target itself is never touched)')
    .option('--mutator <name>', 'how the child is made')
    .option('--backend <name>', 'the language model to ask')
    .option('--seed <n>', 'seed of every random choice', seed)
    .option('--instructions <text>', 'guidance for the model')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(mutate));
}

async function mutate(folder: string | undefined, options: MutateOptions): Promise<void> {
  const home = targetFolder(folder ?? sampleOfClone(options), options);
  const session = await openSession(options, home);
  try {
    sayTrouble(session);
    const { target } = await findTarget(session, home, options);
    const request = {
      target,
      ...(options.mutator === undefined ? {} : { mutator: options.mutator }),
      ...(options.backend === undefined ? {} : { backend: options.backend }),
      ...(options.seed === undefined ? {} : { seed: options.seed }),
      ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    };
    const plan = await session.client.request(PlanMutate, request);
    const cost = costText(plan);
    if (options.dryRun === true) {
      const change = `Would change ${join(target.root, target.path)}`;
      printResult(options, { target, ...plan }, `${change}${cost === undefined ? '' : `; that ${cost}`}.`);
      return;
    }
    if (cost !== undefined) say(`this change ${cost}`);
    const answer = await whileWaiting('making a candidate', session.client.request(Mutate, request));
    if (options.output !== undefined) await save(answer, options.output);
    printResult(options, { ...answer, output: options.output ?? null }, `${answer.origin.summary}\n\n${answer.diff}`);
  } finally {
    await session.close();
  }
}

/** In a clone of Peagen itself, where nothing says what to change, a sample shows what the command does. */
function sampleOfClone({ targetFile, config }: MutateOptions): string | undefined {
  const sample = relative('.', join(samplesDir, 'bad_sort'));
  const isClone = sample === join('media', 'samples', 'bad_sort');
  if (!isClone || targetFile !== undefined || config !== undefined || findConfig('.') !== undefined) return undefined;
  say(`nothing is named, so this is the sample ${sample}; name a folder, or --target-file`);
  return sample;
}

async function save(answer: MutateAnswer, output: string): Promise<void> {
  const [change, ...others] = answer.changes;
  if (change === undefined || others.length > 0) {
    throw new PeagenError('unsupported', `--output takes one file, and ${answer.changes.length} files changed.`, {
      hint: 'Use the diff.',
    });
  }
  await writeFile(output, change.after).catch((caught: NodeJS.ErrnoException) => {
    throw new PeagenError('storage_failed', `${output} cannot be written (${caught.code}).`, { hint: 'Check --output.' });
  });
}
