/**
 * Runs the tests in a real VS Code: `node test/vscode/run.ts [--host] [--ui] [--vsix] [--minimum] [NAME …]`; all of them but
 * `--minimum` without an argument. `--ui` means every NAME.ui.ts next to this file, a NAME only that one; `--minimum` the
 * host's tests and a whole journey in the oldest VS Code that the extension supports, and NAME@minimum one of them; a short one
 * there is among the others. Several run side by side, each in a process and an editor of its own. Prints totals as mocha does;
 * the exit status is the number of failures. A missing part is a failure with CI=true, else a skip.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, globSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import Mocha from 'mocha';
import { Editor } from './editor.ts';
import type { HostReport } from './host/index.ts';
import { bundleHostTests, chromium, installVsCode, isBuilt, packVsix, stageExtension } from './parts.ts';
import { recordedRun } from './recorded.ts';

const only = process.argv.slice(2);
const wanted = (part: string) => only.length === 0 || only.includes(part);
const HOST_TIMEOUT_MS = 600_000;
/** At a time: one with its browser and a run keeps a processor busy, two while it starts, and waits now and then. */
const EDITORS = availableParallelism() < 4 ? 2 : 4;
/** Begun first, so that none of them is left alone at the end. */
const LONGEST = ['newcomer', '--vsix', 'cluster', 'change', 'lifetimes', 'dialogue', '--host', 'places', 'models', 'start'];
/** Journeys on the recorded run. */
const ON_RECORDED = ['change', 'dashboard', 'evolution', 'lifetimes', 'oldest', 'places'];
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
const known = ['--host', '--ui', '--vsix', '--minimum', ...journeys];
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
  const editor = await Editor.open({ folder, extension, tests: await bundleHostTests(), env: { PEAGEN_TEST_REPORT: report } });
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

interface Came {
  readonly passed: number;
  readonly failures: readonly string[];
}

/** A part in a process of its own, whose output is printed when it ends. One that ends without totals has failed as a whole. */
async function runPart(name: string, folder: string): Promise<Came> {
  const totals = join(folder, `${name}.json`);
  rmSync(totals, { force: true });
  const started = Date.now();
  const env = { ...process.env, PEAGEN_TEST_TOTALS: totals };
  // A file: a program that a failed part leaves behind would keep a pipe open, and this waiting.
  const said = join(folder, `${name}.log`);
  const out = openSync(said, 'w');
  const child = spawn(process.execPath, [import.meta.filename, name], { stdio: ['ignore', out, out], env });
  await once(child, 'exit');
  closeSync(out);
  process.stdout.write(readFileSync(said));
  console.log(`  ${name} took ${((Date.now() - started) / 1000).toFixed(0)} s`);
  return existsSync(totals)
    ? (JSON.parse(readFileSync(totals, 'utf8')) as Came)
    : { passed: 0, failures: [`${name} ended without totals`] };
}

/** As many at a time as there are editors; a part that wants the recorded run starts when there is one. */
async function sideBySide(parts: readonly string[], recording: Promise<unknown>): Promise<void> {
  const waiting = [...LONGEST.filter((name) => parts.includes(name)), ...parts.filter((name) => !LONGEST.includes(name))];
  const folder = mkdtempSync(join(tmpdir(), 'peagen-vscode-run-'));
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const came = await (ON_RECORDED.includes(name) ? recording : Promise.resolve())
        .then(() => runPart(name, folder))
        .catch((caught: unknown): Came => ({ passed: 0, failures: [`${name}: ${caught}`] }));
      passed += came.passed;
      failures.push(...came.failures);
    }
  };
  await Promise.all(Array.from({ length: EDITORS }, work));
  rmSync(folder, { recursive: true, force: true });
}

/** Where test/run.ts reads what came of this layer. */
function writeTotals(skipped: number): void {
  const file = process.env['PEAGEN_TEST_TOTALS'];
  if (file !== undefined) writeFileSync(file, JSON.stringify({ passed, failed: failures.length, skipped, failures }));
}

const parts = [
  '--host',
  ...journeys.filter((name) => only.includes(name) || (wanted('--ui') && !(name === WHOLE && wanted('--vsix')))),
  ...inMinimum.filter((name) => only.includes('--minimum') || only.includes(name)),
  '--vsix',
].filter((part) => journeys.includes(part) || inMinimum.includes(part) || wanted(part));
try {
  // Needed in any case: the other one borrows from it.
  installVsCode('newest');
  // That of the short journey is installed by its own process, next to the others.
  if (parts.some((part) => part.endsWith(AT_MINIMUM)) || (parts.length === 1 && parts[0] === OLDEST)) installVsCode('minimum');
  chromium();
} catch (caught) {
  if (process.env['CI'] === 'true') throw caught;
  console.log(`skipped: ${(caught as Error).message}`);
  writeTotals(1);
  process.exit(0);
}
if (!isBuilt()) throw new Error('dist/ is not built: npm run build');
process.env['PEAGEN_STAGE'] ??= stageExtension();
const [first] = parts;
if (parts.length === 1 && (first === OLDEST || first?.endsWith(AT_MINIMUM) === true))
  process.env['PEAGEN_TEST_EDITOR'] = 'minimum';
const part = first?.replace(AT_MINIMUM, '');
const recording = parts.some((name) => ON_RECORDED.includes(name)) ? record() : Promise.resolve();
// Those that wait for it report that it failed.
recording.catch(() => undefined);
if (parts.length > 1) await sideBySide(parts, recording);
else if (part === '--host') await hostTests(process.env['PEAGEN_STAGE']);
else if (part === '--vsix') {
  process.env['PEAGEN_VSIX'] = packVsix();
  await uiTests(WHOLE);
} else if (part !== undefined) {
  await recording;
  await uiTests(part);
}
console.log(`\n  ${passed} passing\n  ${failures.length} failing`);
writeTotals(0);
process.exit(Math.min(failures.length, 100));
