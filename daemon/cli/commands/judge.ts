/** `peagen judge`: what a change of a function is worth against the original, without a search. */

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { callsCompared, verdictOf } from '../../../shared/confidence.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { unverifiedText } from '../../../shared/gain.ts';
import { isCorrect } from '../../../shared/judging.ts';
import { JudgeChange, type Verdict } from '../../../shared/protocol/targets.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { ratioFigure, times } from '../../../shared/words/ratio.ts';
import { shortCallsText } from '../../../shared/words/short-calls.ts';
import { action, printResult, say, withCommonOptions } from '../output.ts';
import { whileWaiting } from '../progress.ts';
import { findProposing, type ProposeOptions } from '../propose.ts';
import { openSession, type SessionOptions, sayTrouble } from '../session.ts';
import { targetFolder } from '../target.ts';

interface JudgeOptions extends SessionOptions, ProposeOptions {
  candidate?: string;
  base?: string;
}

export function judgeCommand(): Command {
  return withCommonOptions(new Command('judge'))
    .description('judge a change of a function against the original: is it right, and how much faster')
    .argument('[folder]', 'a folder with a .peagen.toml')
    .option('--candidate <file>', 'the changed file; with --base, by default the file as it is')
    .option('--base <revision>', 'the original is the file in this git revision; A..B compares two revisions')
    .option('--target-file <file>', 'the original file')
    .option('--entry-fn <name>', 'the function to call')
    .option('--inputs <json>', 'calls to judge by: a JSON file, the list itself, file:function to make them, or "propose"')
    .option('--backend <name>', 'the language model that proposes inputs')
    .option('--yes', 'agree to what a model costs')
    .option('--command <line>', 'a test or benchmark command to judge by, instead of inputs')
    .option('--sandbox <tier>', 'bubblewrap, seatbelt, docker, or plain for none (default: auto)')
    .option('--no-derive', 'compare only the given calls, and make no others')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(judge));
}

async function judge(folder: string | undefined, options: JudgeOptions): Promise<void> {
  if (options.candidate === undefined && options.base === undefined) {
    throw new PeagenError('invalid_input', 'There is nothing to judge.', {
      hint: 'Give --candidate FILE, or --base REVISION to compare the file with an earlier one.',
    });
  }
  const candidate = options.candidate === undefined ? undefined : await readCandidate(options.candidate);
  const home = targetFolder(folder, options);
  const session = await openSession(options, home);
  const withdrawn = new AbortController();
  const withdraw = () => withdrawn.abort(new PeagenError('cancelled', 'Withdrawn; nothing was judged.'));
  process.once('SIGINT', withdraw);
  try {
    const warn = sayTrouble(session);
    const { target: found, evaluator } = await findProposing(session, home, options);
    const { target, text, names } = await sides(found, candidate, options);
    if (options.dryRun === true) {
      printResult(
        options,
        { target: found, evaluator },
        `would judge ${names.changed} against ${names.original} by ${evaluator.name}`,
      );
      return;
    }
    const judging = session.client.request(JudgeChange, { target, evaluator, text }, withdrawn.signal);
    const verdict = await whileWaiting(`judging ${names.changed} against ${names.original}`, judging);
    if (verdict.warning !== undefined) warn(verdict.warning);
    printResult(options, verdict, verdictText(verdict, names));
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

interface Sides {
  /** Its text is the original. */
  readonly target: TargetSpec;
  readonly text: string;
  readonly names: { readonly original: string; readonly changed: string };
}

/** The original and the change: a file, a git revision, or what is on disk. */
async function sides(
  target: TargetSpec,
  candidate: string | undefined,
  { base, candidate: file = '' }: JudgeOptions,
): Promise<Sides> {
  const { root, path } = target;
  if (base === undefined) return { target, text: candidate ?? '', names: { original: path, changed: file } };
  const [from = '', to] = base.split(/\.{2,3}/);
  if (to !== undefined && candidate !== undefined) {
    throw new PeagenError('invalid_input', `There are two changes: the revision ${to} and the file ${file}.`, {
      hint: 'Leave out --candidate, or the second revision of --base.',
    });
  }
  const original = `${path} at ${from}`;
  const old = { ...target, text: await textAt(from, root, path) };
  if (candidate !== undefined) return { target: old, text: candidate, names: { original, changed: file } };
  if (to !== undefined)
    return { target: old, text: await textAt(to, root, path), names: { original, changed: `${path} at ${to}` } };
  return { target: old, text: await readFile(join(root, path), 'utf8'), names: { original, changed: path } };
}

async function readCandidate(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((caught: NodeJS.ErrnoException) => {
    throw new PeagenError('not_found', `The changed file ${path} cannot be read (${caught.code}).`, {
      hint: 'Check --candidate.',
    });
  });
}

/** One screen: whether it is right and on what, how much faster, memory, operations, and how sure that is. */
function verdictText(
  { outcome, heldout, confidence, doubt, speedup, given, before, after, metrics }: Verdict,
  names: Sides['names'],
): string {
  const isRight = isCorrect(outcome);
  const lines = [`${names.changed} against ${names.original}`];
  const line = (name: string, text: string) => lines.push(`${name.padEnd(12)}${text}`);
  const calls = confidence === undefined ? undefined : callsCompared(confidence);
  const where = heldout === undefined ? '' : `; on the held-out inputs ${heldout.kind}`;
  const but = doubt === undefined ? '' : `, but ${doubt}`;
  line(
    'outcome',
    isRight && calls !== undefined ? `correct on ${calls} of ${calls} calls${but}${where}` : `${outcome.kind}${where}`,
  );
  if (speedup !== null) {
    const { ratio, low, high } = speedup;
    const is = (factor: number, word: string, from: number, to: number) =>
      `${times(factor)} ${word} (${low === high ? 'by one evaluation of each' : `95 % interval ${ratioFigure(from)} to ${ratioFigure(to)}`})`;
    const asFast = `as fast, as far as can be measured (95 % interval ${ratioFigure(low)} to ${ratioFigure(high)})`;
    const isClear = low > 1 || high < 1;
    line('speed', !isClear ? asFast : ratio >= 1 ? is(ratio, 'faster', low, high) : is(1 / ratio, 'slower', 1 / high, 1 / low));
  }
  if (isRight && given !== undefined) line('short calls', shortCallsText(given));
  const row = (name: string, from: number | null, to: number | null, unit: string, digits: number) => {
    if (from === null || to === null) return;
    const change = from === 0 ? '' : ` (${to >= from ? '+' : '−'}${Math.abs((to / from - 1) * 100).toFixed(1)} %)`;
    line(name, `${from.toFixed(digits)} → ${to.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}${change}`);
  };
  row('time', before.speed_ms, after.speed_ms, 'ms', 3);
  row('memory', before.peak_kb, after.peak_kb, 'KB', 1);
  row('operations', metrics['baseline_cost'] ?? null, metrics['cost'] ?? null, '', 0);
  row('counted', metrics['baseline_instructions'] ?? null, metrics['instructions'] ?? null, 'instructions', 0);
  row('size', before.size, after.size, 'characters', 0);
  if (confidence !== undefined && isRight) line('how sure', verdictOf(confidence));
  if (isRight && metrics['unverified'] === 1) line('how sure', unverifiedText);
  for (const limit of confidence?.limits ?? []) line('', limit);
  return lines.map((text) => text.trimEnd()).join('\n');
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

const LIMIT_MS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** `folder/path` in the revision. Throws `not_found` or `missing_program`. */
async function textAt(revision: string, folder: string, path: string): Promise<string> {
  const commit = await git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  if (commit === undefined) {
    throw new PeagenError('not_found', `There is no git revision "${revision}" of ${folder}.`, {
      hint: 'Check --base: a branch, a tag, a commit, HEAD~1, or two of them as A..B.',
    });
  }
  const text = await git(folder, ['show', `${commit.trim()}:./${path}`]);
  if (text !== undefined) return text;
  throw new PeagenError('not_found', `The revision ${revision} has no file ${path}.`, {
    hint: 'Check --base and --target-file.',
  });
}

/** Undefined when git ends with a failure. */
function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const options = { timeout: LIMIT_MS, maxBuffer: MOST_BYTES, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } };
  return new Promise((resolve, reject) => {
    execFile('git', ['-C', folder, ...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT')
        reject(new PeagenError('missing_program', 'git is not installed.', { hint: 'Install git.' }));
      else resolve(undefined);
    });
  });
}
