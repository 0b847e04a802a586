/** `peagen render`: the files of a project from its templates. */
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Command } from 'commander';
import { PeagenError } from '../../../shared/errors.ts';
import { type FileChange, unifiedDiff } from '../../../shared/patch/unified.ts';
import { AgreeToReplace, AgreeToSpend, type Rendered, type RenderedFile, WriteRender } from '../../../shared/protocol/render.ts';
import { worstText } from '../../../shared/words/cost-text.ts';
import type { DaemonClient } from '../../client/client.ts';
import { count } from '../numbers.ts';
import { action, printResult, say, withCommonOptions } from '../output.ts';
import { openSession, type SessionOptions } from '../session.ts';

/** Lines of one file's difference that are shown before a question. */
const DIFF_LINES = 200;

/** Files that a message names. */
const NAMED = 10;

interface RenderOptions extends SessionOptions {
  project: string;
  out: string;
  force?: boolean;
  check?: boolean;
  startFile?: string;
  startIdx?: number;
  transitive?: boolean;
  yes?: boolean;
}

export function renderCommand(): Command {
  return withCommonOptions(new Command('render'))
    .description('render a project from its templates')
    .requiredOption('--project <file>', 'the payload: projects, packages and modules, in YAML')
    .requiredOption('--out <dir>', 'where the files go')
    .option('--force', 'replace files that differ')
    .option('--check', 'change nothing; fail when a file is missing or differs')
    .option('--start-file <path>', 'begin with this file, in the order of dependencies')
    .option('--start-idx <n>', 'leave out this many files, in the order of dependencies', count)
    .option('--transitive', 'of --start-file: only it and what it depends on')
    .option('--yes', 'agree to the worst-case spend on generated files')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(render));
}

async function render(options: RenderOptions): Promise<void> {
  if (options.transitive === true && options.startFile === undefined) {
    throw new PeagenError('invalid_input', '--transitive has no --start-file to begin with.', { hint: 'Name one.' });
  }
  const ending = new AbortController();
  const end = () => ending.abort(new PeagenError('cancelled', 'The rendering was interrupted, and nothing was written.'));
  process.once('SIGINT', end).once('SIGTERM', end);
  const session = await openSession(options, dirname(resolve(options.project)));
  try {
    const compareOnly = options.check === true || options.dryRun === true;
    const request = {
      project: resolve(options.project),
      out: resolve(options.out),
      start: { file: options.startFile, index: options.startIdx, transitive: options.transitive === true },
      compare: compareOnly,
    };
    answerQuestions(session.client, options);
    const answer = await session.client.request(WriteRender, request, ending.signal);
    for (const warning of answer.warnings) say(`warning: ${warning}`);
    printResult(options, { ...answer, files: answer.files.map(forJson) }, summary(answer, compareOnly));
    const stale = answer.files.some(({ state }) => state !== 'same');
    if (options.check === true && stale) process.exitCode = 1;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await session.close();
  }
}

/** What the daemon asks while it renders. */
function answerQuestions(client: DaemonClient, options: RenderOptions): void {
  client.answer(AgreeToSpend, async ({ cost }) => {
    const text = `${cost.files} ${cost.files === 1 ? 'file is' : 'files are'} to be generated, for at most ${worstText(cost)}`;
    if (options.yes === true) {
      say(`${text}.`);
      return {};
    }
    if (process.stdin.isTTY !== true) throw new PeagenError('budget_exceeded', `${text}.`, { hint: 'Agree with --yes.' });
    if (!/^y(es)?$/i.test(await asked(`${text}. Go on? [y/N] `))) throw new PeagenError('cancelled', 'Nothing was rendered.');
    return {};
  });
  client.answer(AgreeToReplace, async ({ changes }) => {
    if (options.force === true) return { replaced: changes.map(({ path }) => path) };
    if (process.stdin.isTTY !== true || options.json === true) throw changeConflict(changes, options.out);
    return { replaced: [...(await askedFor(changes))] };
  });
}

/** No user can be asked. */
function changeConflict(changes: readonly FileChange[], out: string): PeagenError {
  const names = changes.slice(0, NAMED).map(({ path }) => path);
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : '';
  return new PeagenError('conflict', `${names.join(', ')}${more} in ${out} would change, and nothing was written.`, {
    hint: 'Look with --check, and replace with --force.',
  });
}

/** Shows each difference and asks. */
async function askedFor(changes: readonly FileChange[]): Promise<ReadonlySet<string>> {
  const replaced = new Set<string>();
  for (const [index, change] of changes.entries()) {
    say(diffText([change]));
    const answer = (await asked(`Replace ${change.path}? [y]es, [n]o, [a]ll, [q]uit: `)).trim().toLowerCase();
    if (answer.startsWith('q')) throw new PeagenError('cancelled', 'Nothing was written.');
    if (answer.startsWith('a')) return new Set([...replaced, ...changes.slice(index).map(({ path }) => path)]);
    if (answer.startsWith('y')) replaced.add(change.path);
  }
  return replaced;
}

async function asked(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

function diffText(changes: readonly FileChange[]): string {
  const lines = unifiedDiff(changes).trimEnd().split('\n');
  const rest = lines.length - DIFF_LINES;
  return [...lines.slice(0, DIFF_LINES), ...(rest > 0 ? [`[${rest} more lines]`] : [])].join('\n');
}

function changeOf({ path, before = '', after = '' }: RenderedFile): FileChange {
  return { path, before, after };
}

function forJson(file: RenderedFile) {
  const { path, state } = file;
  return { path, state, ...(state === 'changed' ? { diff: unifiedDiff([changeOf(file)]) } : {}) };
}

function summary({ files, worst_case: cost }: Rendered, compareOnly: boolean): string {
  const of = (wanted: string) => files.filter(({ state }) => state === wanted);
  const lines = files.filter(({ state }) => state !== 'same').map(({ path, state }) => `${state.padEnd(10)}${path}`);
  const diffs = compareOnly ? of('changed').map((file) => diffText([changeOf(file)])) : [];
  const verb = compareOnly ? 'would be ' : '';
  const generated =
    of('generated').length === 0 ? '' : `, ${of('generated').length} would be generated for at most ${worstText(cost)}`;
  const kept = of('kept').length === 0 ? '' : `, ${of('kept').length} kept`;
  const counts = `${of('new').length} ${verb}new, ${of('changed').length} ${verb}changed, ${of('same').length} the same${kept}${generated}`;
  return [...diffs, ...lines, counts].join('\n');
}
