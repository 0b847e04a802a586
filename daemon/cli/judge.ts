/** `peagen judge`: what a change of a function is worth against the original, without a search. */
import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { verdictOf } from '../../shared/confidence.ts';
import { PeagenError } from '../../shared/errors.ts';
import { isCorrect } from '../../shared/judging.ts';
import { JudgeChange, type Verdict } from '../../shared/protocol/targets.ts';
import { action, printResult, say, withCommonOptions } from './output.ts';
import { openSession, type SessionOptions, sayTrouble } from './session.ts';
import { findTarget, type TargetOptions, targetFolder } from './target.ts';

interface JudgeOptions extends SessionOptions, TargetOptions {
  candidate: string;
}

export function judgeCommand(): Command {
  return withCommonOptions(new Command('judge'))
    .description('judge a change of a function against the original: is it right, and how much faster')
    .argument('[folder]', 'a folder with a .peagen.toml')
    .requiredOption('--candidate <file>', 'the changed file')
    .option('--target-file <file>', 'the original file')
    .option('--entry-fn <name>', 'the function to call')
    .option('--inputs <json>', 'calls to judge by: a JSON file, the list itself, or file:function to make them')
    .option('--command <line>', 'a test or benchmark command to judge by, instead of inputs')
    .option('--sandbox <tier>', 'bubblewrap, docker, or plain for none (default: auto)')
    .option('--no-derive', 'compare only the given calls, and make no others')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(judge));
}

async function judge(folder: string | undefined, options: JudgeOptions): Promise<void> {
  const text = await readCandidate(options.candidate);
  const home = targetFolder(folder, options);
  const session = await openSession(options, home);
  const withdrawn = new AbortController();
  const withdraw = () => withdrawn.abort(new PeagenError('cancelled', 'Withdrawn; nothing was judged.'));
  process.once('SIGINT', withdraw);
  try {
    const warn = sayTrouble(session);
    const { target, evaluator } = await findTarget(session, home, options);
    if (options.dryRun === true) {
      printResult(options, { target, evaluator }, `would judge ${options.candidate} against ${target.path} by ${evaluator.name}`);
      return;
    }
    const verdict = await session.client.request(JudgeChange, { target, evaluator, text }, withdrawn.signal);
    if (verdict.warning !== undefined) warn(verdict.warning);
    printResult(options, verdict, verdictText(verdict));
    const failure = failureOf(verdict);
    if (failure === undefined) return;
    // Not thrown: with --json the verdict stays the last line.
    say(`peagen: ${failure}`);
    process.exitCode = 1;
  } finally {
    process.off('SIGINT', withdraw);
    await session.close();
  }
}

async function readCandidate(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((caught: NodeJS.ErrnoException) => {
    throw new PeagenError('not_found', `The changed file ${path} cannot be read (${caught.code}).`, {
      hint: 'Check --candidate.',
    });
  });
}

function verdictText({ outcome, heldout, confidence, speedup, before, after, metrics }: Verdict): string {
  const lines = [`outcome  ${outcome.kind}${heldout === undefined ? '' : `; on held-out inputs ${heldout.kind}`}`];
  if (confidence !== undefined && isCorrect(outcome)) lines.push(`calls    ${verdictOf(confidence)}`);
  for (const limit of confidence?.limits ?? []) lines.push(`limit    ${limit}`);
  if (speedup !== null) {
    const { ratio, low, high } = speedup;
    const sure = low > 1 ? 'faster' : high < 1 ? 'slower' : 'not clearly faster or slower';
    lines.push(`speed    ${ratio.toFixed(3)}× (95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}): ${sure}`);
  }
  const row = (name: string, from: number | null, to: number | null, unit: string, digits: number) => {
    if (from !== null && to !== null) lines.push(`${name.padEnd(9)}${from.toFixed(digits)} → ${to.toFixed(digits)} ${unit}`);
  };
  row('time', before.speed_ms, after.speed_ms, 'ms', 3);
  row('memory', before.peak_kb, after.peak_kb, 'KB', 0);
  row('counted', metrics['baseline_instructions'] ?? null, metrics['instructions'] ?? null, 'instructions', 0);
  row('size', before.size, after.size, 'characters', 0);
  return lines.join('\n');
}

const failed = {
  wrong: 'is wrong',
  crashed: 'crashes',
  timeout: 'takes too long',
  memory: 'runs out of memory',
  invalid: 'is invalid',
  forged: 'is forged',
  overfit: 'is right on the calls that the search sees and wrong on others',
} as const;

/** A change that is wrong ends the command as a failing test does, with the excerpt as the reason. */
function failureOf({ outcome, heldout }: Verdict): string | undefined {
  for (const [one, where] of [
    [outcome, ''],
    [heldout, ' on the held-out inputs'],
  ] as const) {
    if (one === undefined || one.kind === 'correct' || one.kind === 'slow') continue;
    return `The change ${failed[one.kind]}${where}: ${one.detail.replaceAll(/\s*\n\s*/g, ' ')}`;
  }
  return undefined;
}
