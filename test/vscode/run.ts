/**
 * Runs the tests in a real VS Code: `node test/vscode/run.ts [--host] [--ui] [--vsix] [--minimum] [NAME …]`; all of them but
 * `--minimum` without an argument. `--install` only installs the editors. PEAGEN_TEST_PICTURES=dark or =light has the pictures for the walkthrough drawn in all their pixels. `--ui` means every NAME.ui.ts next to this file but newcomer, a NAME only that one; `--minimum` the
 * host's tests and a whole journey in the oldest VS Code that the extension supports, and NAME@minimum one of them; a short one
 * there is among the others. They run one after another in as many processes as there are editors at a time, each with one
 * browser. Prints totals as mocha does; the exit status is the number of failures. A missing part is a failure with CI=true, else a skip.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import Mocha from 'mocha';
import { closeBrowser, Editor } from './driver/editor.ts';
import {
  bundleHostTests,
  chromium,
  type EditorVersion,
  editorVersion,
  installVsCode,
  isBuilt,
  packVsix,
  stageExtension,
} from './driver/parts.ts';
import { recordedRun } from './driver/recorded.ts';
import type { HostReport } from './host/index.ts';

const only = process.argv.slice(2);
const wanted = (part: string) => only.length === 0 || only.includes(part);
const HOST_TIMEOUT_MS = 600_000;
/** At a time: one with its browser and a run keeps two processors busy while it starts, and half of one for the rest of the time. */
const EDITORS = availableParallelism() < 4 ? 3 : 4;
/** Begun first, so that none of them is left alone at the end. */
const LONGEST = ['--vsix', 'evolution', 'models', 'window', 'change', '--host', 'lifetimes', 'commands', 'dashboard'];
/** Journeys on the recorded run. */
const ON_RECORDED = ['change', 'commands', 'dashboard', 'evolution', 'lifetimes', 'oldest', 'places', 'window'];
/** By name only: whole searches until they gain something, by the clock, which gate nothing. */
const BENCH = 'newcomer';
/** The journey of a whole search: with `--vsix` it is made with the package, which is built first. */
const WHOLE = 'evolve';
const journeys = globSync('*.ui.ts', { cwd: import.meta.dirname })
  .map((file) => file.replace('.ui.ts', ''))
  .sort();
const AT_MINIMUM = '@minimum';
/** The one of the journeys in that editor that always runs. */
const OLDEST = 'oldest';
/** The host's own tests, and the main job as a user does it. */
const inMinimum = ['--host', WHOLE].map((name) => `${name}${AT_MINIMUM}`);
const known = ['--host', '--ui', '--vsix', '--minimum', '--install', ...journeys];
const unknown = only.find((name) => ![...known, ...inMinimum].includes(name));
if (unknown !== undefined) {
  console.error(`There is no "${unknown}". Known: ${[...known, ...inMinimum].join(', ')}.`);
  process.exit(2);
}

let passed = 0;
const failures: string[] = [];

async function hostTests(extension: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-host-'));
  const report = join(folder, '..', `${folder.split('/').at(-1)}.json`);
  // Compiled code that is kept between starts would shorten the activation, whose time is printed.
  const env = { PEAGEN_TEST_REPORT: report, NODE_COMPILE_CACHE: undefined };
  const editor = await Editor.open({ folder, extension, tests: await bundleHostTests(), env });
  try {
    editor.page.on('console', (message) => {
      const [line] = message.text().match(/peagen: .*/) ?? [];
      if (line !== undefined) console.log(`    ${line}`);
    });
    for (const deadline = Date.now() + HOST_TIMEOUT_MS; !existsSync(report); ) {
      if (Date.now() > deadline) {
        await editor.screenshot('host-tests-timeout');
        throw new Error(`the tests in the extension host gave no report within ${HOST_TIMEOUT_MS / 1000} s`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { tests } = JSON.parse(readFileSync(report, 'utf8')) as HostReport;
    for (const { title, error, ms } of tests) {
      console.log(error === undefined ? `  ✔ ${title} (${ms} ms)` : `  ✘ ${title}\n${error.replaceAll(/^/gm, '      ')}`);
      if (error === undefined) passed++;
      else failures.push(`${title}: ${error.split('\n')[0]}`);
    }
  } finally {
    await editor.close();
    rmSync(folder, { recursive: true, force: true });
    rmSync(report, { force: true });
  }
}

async function uiTests(name: string): Promise<void> {
  const mocha = new Mocha({ timeout: 300_000, reporter: 'spec', bail: true });
  mocha.addFile(join(import.meta.dirname, `${name}.ui.ts`));
  await mocha.loadFilesAsync();
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => {
      passed += runner.stats?.passes ?? 0;
      resolve();
    });
    runner.on('fail', (test, error: Error) => failures.push(`${test.fullTitle()}: ${error.message}`));
  });
}

async function record(): Promise<void> {
  process.env['PEAGEN_RECORDED'] ??= await recordedRun();
}

interface Asked {
  readonly name: string;
  /** Where the recorded run is, once there is one. */
  readonly recorded?: string;
}

interface Came {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** One part in this process. */
async function runPart(name: string): Promise<Came> {
  passed = 0;
  failures.length = 0;
  const part = name.replace(AT_MINIMUM, '');
  try {
    if (editorVersion() === 'minimum') installVsCode('minimum');
    if (part === '--host') await hostTests(process.env['PEAGEN_STAGE'] ?? '');
    else if (part === '--vsix') {
      process.env['PEAGEN_VSIX'] = packVsix();
      await uiTests(WHOLE);
    } else await uiTests(part);
    if (passed + failures.length === 0) throw new Error('no test was run');
  } catch (caught) {
    failures.push(`${name}: ${caught}`);
  }
  return { passed, failures: [...failures] };
}

/** A process that runs the parts it is given, one after another. One that ends meanwhile has failed that part as a whole. */
class Runner {
  private readonly child: ChildProcess;
  private readonly said: string;
  private read = 0;

  constructor(said: string, version: EditorVersion) {
    this.said = said;
    // A file: a program that a failed part leaves behind would keep a pipe open, and this waiting.
    const out = openSync(said, 'w');
    this.child = fork(import.meta.filename, [], {
      stdio: ['ignore', out, out, 'ipc'],
      env: { ...process.env, PEAGEN_TEST_RUNNER: '1', PEAGEN_TEST_EDITOR: version },
    });
    closeSync(out);
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async run(name: string): Promise<Came> {
    const started = Date.now();
    const ended = new AbortController();
    this.child.send({ name, recorded: process.env['PEAGEN_RECORDED'] });
    const came = await Promise.race([
      once(this.child, 'message', { signal: ended.signal }).then(([message]: Came[]) => message),
      once(this.child, 'exit', { signal: ended.signal }).then(() => undefined),
    ]);
    ended.abort();
    const text = readFileSync(this.said);
    process.stdout.write(text.subarray(this.read));
    this.read = text.length;
    console.log(`  ${name} took ${((Date.now() - started) / 1000).toFixed(0)} s`);
    return came ?? { passed: 0, failures: [`${name} ended without totals`] };
  }

  async end(): Promise<void> {
    const ended = this.hasEnded || once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

/** As many at a time as there are editors; a part that wants the recorded run starts when there is one. */
async function sideBySide(parts: readonly string[], recording: Promise<unknown>): Promise<Came[]> {
  const waiting = [...LONGEST.filter((name) => parts.includes(name)), ...parts.filter((name) => !LONGEST.includes(name))];
  const folder = mkdtempSync(join(tmpdir(), 'peagen-vscode-run-'));
  const all: Came[] = [];
  const begin = (name: string, version: EditorVersion) => new Runner(join(folder, `${name}.log`), version);
  const work = async (_: unknown, number: number) => {
    let runner = begin(`${number}`, 'newest');
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (runner.hasEnded) runner = begin(`${number}-${name}`, 'newest');
      const one = name === OLDEST || name.endsWith(AT_MINIMUM) ? begin(name, 'minimum') : runner;
      await (ON_RECORDED.includes(name) ? recording : Promise.resolve())
        .then(() => one.run(name))
        .then((came) => all.push(came))
        .catch((caught: unknown) => all.push({ passed: 0, failures: [`${name}: ${caught}`] }));
      if (one !== runner) await one.end();
    }
    await runner.end();
  };
  await Promise.all(Array.from({ length: Math.min(EDITORS, parts.length) }, work));
  rmSync(folder, { recursive: true, force: true });
  return all;
}

/** Where test/run.ts reads what came of this layer. */
function writeTotals(came: Came, skipped: number): void {
  const file = process.env['PEAGEN_TEST_TOTALS'];
  if (file !== undefined)
    writeFileSync(file, JSON.stringify({ passed: came.passed, failed: came.failures.length, skipped, failures: came.failures }));
}

if (process.env['PEAGEN_TEST_RUNNER'] !== undefined) {
  process.on('message', async ({ name, recorded }: Asked) => {
    if (recorded !== undefined) process.env['PEAGEN_RECORDED'] = recorded;
    process.send?.(await runPart(name));
  });
  await once(process, 'disconnect');
  await closeBrowser();
  process.exit(0);
}
if (only.includes('--install')) {
  installVsCode('newest');
  installVsCode('minimum');
  process.exit(0);
}
const parts = [
  '--host',
  ...journeys.filter(
    (name) => only.includes(name) || (wanted('--ui') && name !== BENCH && !(name === WHOLE && wanted('--vsix'))),
  ),
  ...inMinimum.filter((name) => only.includes('--minimum') || only.includes(name)),
  '--vsix',
].filter((part) => journeys.includes(part) || inMinimum.includes(part) || wanted(part));
try {
  // Needed in any case: the other one borrows from it.
  installVsCode('newest');
  chromium();
} catch (caught) {
  if (process.env['CI'] === 'true') throw caught;
  console.log(`skipped: ${(caught as Error).message}`);
  writeTotals({ passed: 0, failures: [] }, 1);
  process.exit(0);
}
if (!isBuilt()) throw new Error('dist/ is not built: npm run build');
process.env['PEAGEN_STAGE'] ??= stageExtension();
const recording = parts.some((name) => ON_RECORDED.includes(name)) ? record() : Promise.resolve();
// Those that wait for it report that it failed.
recording.catch(() => undefined);
const came = await sideBySide(parts, recording);
const total: Came = {
  passed: came.reduce((sum, each) => sum + each.passed, 0),
  failures: came.flatMap((each) => each.failures),
};
console.log(`\n  ${total.passed} passing\n  ${total.failures.length} failing`);
for (const failure of total.failures) console.log(`  failed: ${failure}`);
writeTotals(total, 0);
process.exit(Math.min(total.failures.length, 100));
