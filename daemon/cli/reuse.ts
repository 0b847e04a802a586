/** `--extend` and `--seed-from`: what a run takes from runs before it. */
import { readFile } from 'node:fs/promises';
import { PeagenError } from '../../shared/errors.ts';
import { RunId } from '../../shared/ids.ts';
import { ExtendRun, ListRuns, PlanResume, type RunRequest } from '../../shared/protocol/runs.ts';
import type { RunInfo } from '../../shared/run.ts';
import { costText } from '../../shared/words/cost-text.ts';
import { printResult } from './output.ts';
import { agreeToSpend, withControls } from './plan.ts';
import { runId } from './run-id.ts';
import { type CommandSession, sayTrouble } from './session.ts';

interface ExtendOptions {
  generations?: number;
  budgetTokens?: number;
  budgetUsd?: number;
  timeout?: number;
  yes?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

/** `controls`: how many runs with the limits of this one are to follow it. */
export async function extended(
  session: CommandSession,
  named: string,
  controls: number,
  options: ExtendOptions,
): Promise<RunInfo | undefined> {
  sayTrouble(session);
  const { client } = session;
  const run = runId(named);
  const info = (await client.request(ListRuns, {})).find((each) => each.run === run);
  if (info === undefined) throw new PeagenError('not_found', `There is no run ${run} in this folder.`, { hint: 'Check its id.' });
  const generations = options.generations ?? info.generation;
  const extension = {
    run,
    generations: Math.max(1, generations),
    stop: { budget_tokens: options.budgetTokens, budget_usd: options.budgetUsd, run_timeout: options.timeout },
  };
  const plan = await client.request(PlanResume, extension);
  if (options.dryRun === true) {
    const cost = costText(plan);
    const extending = `Would extend run ${run} by ${extension.generations} generations`;
    printResult(options, plan, `${extending}${cost === undefined ? '' : `; that ${cost}`}.`);
    return undefined;
  }
  const { control = plan } = plan;
  await agreeToSpend('The extension', withControls(plan, control, controls), 'Continue the run?', options.yes === true);
  return await client.request(ExtendRun, extension);
}

/** A text that reads as the id of a run is one; anything else is a file. */
export async function seedsOf(named: readonly string[]): Promise<NonNullable<RunRequest['seeds']>> {
  return Promise.all(
    named.map(async (name) => {
      const run = RunId.safeParse(name);
      if (run.success) return { run: run.data };
      const text = await readFile(name, 'utf8').catch((caught: NodeJS.ErrnoException) => {
        throw new PeagenError('not_found', `${name} cannot be read (${caught.code}).`, {
          hint: 'Give --seed-from the id of a run or a file that holds a variant of the target.',
        });
      });
      return { text };
    }),
  );
}
