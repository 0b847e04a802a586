/** `peagen evolve`: a search for faster variants, as a client of the daemon that works on it. */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { describeCalls } from '../../../shared/confidence.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import {
  FindCheckpoint,
  ListRuns,
  PlanResume,
  PlanRun,
  ResumeRun,
  type RunRequest,
  type ShownPrompt,
  ShowPrompt,
  StartRun,
} from '../../../shared/protocol/runs.ts';
import type { RunInfo, RunSummary } from '../../../shared/run.ts';
import { Control } from '../../../shared/run-spec.ts';
import { costText } from '../../../shared/words/cost-text.ts';
import { controlText, runControl } from '../control.ts';
import { followRun } from '../follow.ts';
import { population, positive, seed, whole } from '../numbers.ts';
import { action, printDocument, printResult, say, withCommonOptions } from '../output.ts';
import { agreeToSpend, planText, withControls } from '../plan.ts';
import { whileWaiting } from '../progress.ts';
import { findProposing } from '../propose.ts';
import { resultText } from '../result.ts';
import { extended, seedsOf } from '../reuse.ts';
import { runId } from '../run-id.ts';
import { type CommandSession, openSession, type SessionOptions, sayTrouble } from '../session.ts';
import { type TargetOptions, targetFolder } from '../target.ts';
import { pauseCommands } from './pause.ts';
import { replayCommand } from './replay.ts';
import { reportCommand } from './report.ts';

interface EvolveOptions extends SessionOptions, TargetOptions {
  generations?: number;
  population?: number;
  seed?: number;
  selector?: string;
  mutator?: string;
  backend?: string;
  instructions?: string;
  targetMs?: number;
  noImprove?: number;
  budgetTokens?: number;
  budgetUsd?: number;
  timeout?: number;
  deterministic?: boolean;
  resume?: string | boolean;
  checkpoint?: string;
  extend?: string;
  seedFrom?: string[];
  baseline?: Control | 'all';
  showPrompt?: boolean;
  dashboard?: boolean;
  /** False with --no-confirm. */
  confirm?: boolean;
  precise?: boolean;
  yes?: boolean;
}

export function evolveCommand(): Command {
  const command = new Command('evolve').description('search for faster variants of a function');
  command.addCommand(
    evolveOptions(new Command('run'))
      .summary('search until a stop condition holds')
      .description(
        'search until a stop condition holds\n\nEach round of candidates is a generation. A niche is a group of similar candidates, of which the best is kept.',
      )
      .argument('[folder]', 'a folder with a .peagen.toml')
      .option('--generations <n>', 'stop after this number of generations', whole)
      .option('--target-ms <ms>', 'stop when one pass takes at most this long', positive)
      .addOption(noImprove())
      .option('--budget-tokens <n>', 'never spend more tokens than this', whole)
      .option('--budget-usd <dollars>', 'never spend more than this on models', positive)
      .option('--timeout <seconds>', 'stop after this time', positive)
      .addOption(
        new Option('--baseline <control>', 'run a control (or all three) with the same budget, and report both').choices([
          ...Control.options,
          'all',
        ]),
      )
      .addOption(new Option('--no-confirm', 'announce the best by what the search has measured, without measuring it again'))
      .addOption(
        new Option('--precise', 'measure the best until its interval is narrow, however long that takes').conflicts('confirm'),
      )
      .option('--dashboard', 'show the run on the whole terminal: graph of the best, best candidates, tokens, waiting tasks')
      .option(
        '--show-prompt',
        'print the next question to a model, of a new run, or with --resume or --extend of that run, and stop',
      )
      .option('--extend <run>', 'continue a run that is over, for --generations more')
      .option('--seed-from <run|file...>', 'programs that enter next to the original: files, or the best candidates of runs')
      .option('--resume [run]', 'continue an interrupted run (default: the newest)')
      .addOption(new Option('--checkpoint <file>', 'continue the interrupted run of this checkpoint').conflicts('resume'))
      .action(action((folder: string | undefined, options: EvolveOptions) => evolve(folder, options))),
  );
  command.addCommand(
    evolveOptions(new Command('step'))
      .description('one generation with evaluation')
      .argument('[folder]', 'a folder with a .peagen.toml')
      .action(action((folder: string | undefined, options: EvolveOptions) => evolve(folder, { ...options, generations: 1 }))),
  );
  command.addCommand(replayCommand());
  command.addCommand(reportCommand());
  for (const one of pauseCommands()) command.addCommand(one);
  return command;
}

function evolveOptions(command: Command): Command {
  return withCommonOptions(command)
    .option('--target-file <file>', 'the file to evolve')
    .option('--entry-fn <name>', 'the function to evolve and to call')
    .option('--entry-only', 'leave alone the functions of its file that only it uses')
    .option(
      '--inputs <json>',
      'calls to judge by: a JSON file, the list itself, file:function to make them, or "propose" to ask a model',
    )
    .option('--command <line>', 'a test or benchmark command to judge by, instead of inputs')
    .option('--population <n>', 'candidates per generation', population)
    .option('--seed <n>', 'seed of every random choice', seed)
    .option('--selector <name>', 'how parents are chosen')
    .option('--mutator <name>', 'how children are made')
    .option('--backend <name>', 'the language model to ask')
    .option('--instructions <text>', 'guidance for the model')
    .option('--deterministic', 'the same seed gives the same candidates: judged by operation count')
    .option('--sandbox <tier>', 'bubblewrap, seatbelt, docker, or plain for none (default: auto)')
    .option('--no-derive', 'compare only the given calls, and make no others')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .option('--yes', 'agree to the worst-case spend');
}

async function evolve(folder: string | undefined, { checkpoint: file, ...given }: EvolveOptions): Promise<void> {
  const home = targetFolder(folder, given);
  const session = await openSession(given, home);
  try {
    const resumes = file === undefined ? undefined : await session.client.request(FindCheckpoint, { file: resolve(file) });
    const options = resumes === undefined ? given : { ...given, resume: resumes.run };
    if (options.showPrompt === true) return await showPrompt(session, home, options);
    const info = await taken(session, home, options);
    if (info === undefined) return;
    const summary = await followRun(session, info, { dashboard: options.dashboard === true });
    const text = [await resultText(session, summary, options)];
    const controls: RunSummary[] = [];
    for (const strategy of controlsOf(options)) {
      const control = await runControl(session, summary, strategy);
      controls.push(control);
      text.push(controlText(summary, control, strategy));
    }
    const [control] = controls;
    printResult(options, control === undefined ? summary : { ...summary, control, controls }, text.join('\n'));
    if (options.json !== true && summary.output !== null) await printDiff(summary.output);
  } finally {
    await session.close();
  }
}

function controlsOf({ baseline }: EvolveOptions): Control[] {
  if (baseline === undefined) return [];
  return baseline === 'all' ? [...Control.options] : [baseline];
}

/** The run to follow: a new one, or one that goes on. */
function taken(session: CommandSession, home: string, options: EvolveOptions): Promise<RunInfo | undefined> {
  if (options.extend !== undefined) return extended(session, options.extend, controlsOf(options).length, options);
  return options.resume === undefined ? begin(session, home, options) : resume(session, options);
}

/** Prints a question as a model would get it. */
async function showPrompt(session: CommandSession, home: string, options: EvolveOptions): Promise<void> {
  const named = options.extend ?? options.resume;
  const of =
    named === undefined ? { request: await requestOf(session, home, options) } : { run: await runToShow(session, named) };
  const shown = await session.client.request(ShowPrompt, of);
  if ('request' in of) say('note: the original is measured when a run begins; its later questions have figures and a history');
  printResult(options, shown, promptText(shown));
}

async function runToShow({ client }: CommandSession, named: string | boolean): Promise<RunInfo['run']> {
  if (typeof named === 'string') return runId(named);
  const [newest] = await client.request(ListRuns, {});
  if (newest !== undefined) return newest.run;
  throw new PeagenError('not_found', 'There is no run in this folder.', { hint: 'Name the run, or leave out --resume.' });
}

function promptText({ mutator, parent, tokens, system, prompt }: ShownPrompt): string {
  const head = `${mutator} of ${parent.slice(0, 12)}, ${tokens.toLocaleString('en')} tokens`;
  return `--- ${head} ---\n--- system ---\n${system}\n\n--- user ---\n${prompt}`;
}

async function begin(session: CommandSession, home: string, options: EvolveOptions): Promise<RunInfo | undefined> {
  const warn = sayTrouble(session);
  const request = await requestOf(session, home, options);
  const plan = await whileWaiting('making calls and checking the original', session.client.request(PlanRun, request));
  if (plan.sandbox.warning !== undefined) warn(plan.sandbox.warning);
  const { confidence } = plan.spec;
  if (confidence !== undefined) say(`judged by ${describeCalls(confidence)}`);
  for (const limit of confidence?.limits ?? []) say(`note: ${limit}`);
  const controls = controlsOf(options).length;
  const cost = withControls(plan, plan, controls);
  if (options.dryRun === true) {
    printResult(options, plan, planText(plan, controls > 0 ? costText(cost) : undefined));
    return undefined;
  }
  const isLimited = options.budgetTokens !== undefined || options.budgetUsd !== undefined;
  const hint = `Agree with --yes${isLimited ? '' : ', or set a limit that is never passed with --budget-tokens or --budget-usd'}.`;
  await agreeToSpend(controls === 0 ? 'This run' : 'This run with its controls', cost, 'Start?', options.yes === true, hint);
  return session.client.request(StartRun, { request: { ...request, seed: plan.spec.seed }, requestId: newTaskId() });
}

async function requestOf(session: CommandSession, home: string, options: EvolveOptions): Promise<RunRequest> {
  const found = await findProposing(session, home, options, { evaluators: true, population: options.population });
  for (const warning of found.warnings) say(`warning: ${warning}`);
  const asked = { ...found.settings, target: found.target, evaluator: found.evaluator };
  const flags = defined({
    seed: options.seed,
    population: options.population,
    deterministic: options.deterministic,
    selector: options.selector,
    mutator: options.mutator,
    backend: options.backend,
    instructions: options.instructions,
    confirm: options.precise === true ? ('precise' as const) : options.confirm === false ? ('none' as const) : undefined,
  });
  const stop = defined({
    max_generations: options.generations,
    target_ms: options.targetMs,
    no_improve: options.noImprove,
    budget_tokens: options.budgetTokens,
    budget_usd: options.budgetUsd,
    run_timeout: options.timeout,
  });
  const seeds = options.seedFrom === undefined ? {} : { seeds: await seedsOf(options.seedFrom) };
  return { ...asked, ...flags, ...seeds, stop: { ...asked.stop, ...stop } };
}

/** Commander takes every `--no-` for the opposite of another option. */
function noImprove(): Option {
  const option = new Option('--no-improve <n>', 'stop after this number of generations without a better best').argParser(whole);
  option.negate = false;
  return option;
}

/** Options that say what a run is. */
const shaping = [
  ...[
    'generations',
    'population',
    'seed',
    'selector',
    'mutator',
    'backend',
    'target-ms',
    'no-improve',
    'budget-tokens',
    'budget-usd',
  ],
  ...['timeout', 'deterministic', 'target-file', 'entry-fn', 'entry-only', 'inputs', 'command', 'instructions'],
];

async function resume(session: CommandSession, options: EvolveOptions): Promise<RunInfo | undefined> {
  const given = new Set(Object.keys(defined(options)));
  const idle = shaping.filter((name) => given.has(name.replaceAll(/-(.)/g, (_, one: string) => one.toUpperCase())));
  if (idle.length > 0) say(`warning: a run goes on as it began; no effect: ${idle.map((name) => `--${name}`).join(', ')}`);
  sayTrouble(session);
  const runs = await session.client.request(ListRuns, {});
  if (typeof options.resume === 'string') {
    const run = runId(options.resume);
    // One that was left to the daemon is followed again.
    const live = runs.find((info) => info.run === run && isHere(info));
    if (options.dryRun === true) return await wouldResume(session, run, runs, options);
    return live ?? (await resumed(session, run, options));
  }
  const interrupted = runs.find((info) => info.state === 'interrupted');
  if (interrupted === undefined)
    throw new PeagenError('not_found', 'There is no interrupted run in this folder.', { hint: 'Start one without --resume.' });
  if (options.dryRun === true) return await wouldResume(session, interrupted.run, runs, options);
  return resumed(session, interrupted.run, options);
}

async function wouldResume(
  session: CommandSession,
  run: RunInfo['run'],
  runs: readonly RunInfo[],
  options: EvolveOptions,
): Promise<undefined> {
  const info = runs.find((each) => each.run === run);
  if (info === undefined) throw new PeagenError('not_found', `There is no run ${run} in this folder.`, { hint: 'Check its id.' });
  const word = isHere(info) ? 'follow' : 'resume';
  if (!isHere(info) && info.state !== 'interrupted') {
    throw new PeagenError('conflict', `Run ${run} cannot be resumed: it is ${info.state}.`, { hint: 'Start a new one.' });
  }
  const cost = costText(await restOf(session, run, options));
  const rest = cost === undefined ? '' : ` Its rest ${cost}.`;
  printResult(options, { run, state: info.state }, `Would ${word} run ${run}, at generation ${info.generation}.${rest}`);
  return undefined;
}

/** What the rest of a run costs, and its controls. */
async function restOf({ client }: CommandSession, run: RunInfo['run'], options: EvolveOptions) {
  const plan = await client.request(PlanResume, { run });
  return withControls(plan, plan.control ?? plan, controlsOf(options).length);
}

async function resumed(session: CommandSession, run: RunInfo['run'], options: EvolveOptions): Promise<RunInfo> {
  const { client } = session;
  const cost = costText(await restOf(session, run, options));
  if (cost !== undefined) say(`the rest of this run ${cost}`);
  const info = await client.request(ResumeRun, { run });
  if (info.warning !== undefined) say(`warning: ${info.warning}`);
  return info;
}

/** Whether the daemon that was asked works on the run. */
function isHere({ state, elsewhere }: RunInfo): boolean {
  return (state === 'running' || state === 'paused') && elsewhere !== true;
}

async function printDiff(output: string): Promise<void> {
  printDocument(`\n${await readFile(join(output, '..', 'best.diff'), 'utf8')}`);
}

function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
