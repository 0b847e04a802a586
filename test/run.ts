/**
 * Runs the layers of tests and ends with one line of totals: `N passed, N failed`. Name layers to run only those:
 * `node test/run.ts unit integration`. Those with real parts share one pool, so that none waits for the last file of another. With
 * four cores or more the editor's layer runs next to the others: each of the two waits now and then, and the other has the
 * processors meanwhile. On two cores, what a window waits for came too late. Failures are named once more at the end, where the
 * tail of a long log shows them. Layers that end without totals count as one failure.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { builtPackage } from './built.ts';

const Totals = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  failures: z.array(z.string()),
  /** Seconds by file. */
  files: z.record(z.string(), z.number()).default({}),
});
type Totals = z.infer<typeof Totals>;

/** One group runs after another; the files of a group run side by side. */
const groups = [['unit'], ['conformance', 'integration', 'chaos'], ['vscode']] as const;
const layers = groups.flat();
type Layer = (typeof layers)[number];
type Group = readonly Layer[];
/** Unit tests side by side: as many files as there are cores. */
const CORES = availableParallelism();
/** Files of the other layers side by side: each of them waits for more than half of its time. */
const JOBS = 2 * Math.min(CORES, 3);
/** Begun last, one of these would be left alone at the end. */
const LONG = [
  ...['evolve', 'verdict-corpus', 'derive', 'escape', 'plugin', 'worker-st', 'workers', 'compose'],
  ...['sandbox', 'launcher-docker', 'command', 'queue', 'store'],
];
/** How many of the files that took longest are named at the end. */
const SLOWEST = 12;
/** A group that takes longer hangs. */
const GROUP_LIMIT_MS = 80 * 60_000;
const root = join(import.meta.dirname, '..');
const editorTests = join(root, 'test', 'vscode', 'run.ts');
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !layers.some((layer) => layer === name));
if (unknown !== undefined) {
  console.error(`There is no layer "${unknown}". Layers: ${layers.join(', ')}.`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'peagen-test-'));
/** Hundreds of processes are started, from the sources and for editors: each reads what the first has compiled, in half the time. */
const compiled = join(scratch, 'compiled');
const begun = Date.now();
const wanted = groups
  .map((group): Group => group.filter((layer) => asked.length === 0 || asked.includes(layer)))
  .filter(({ length }) => length > 0);
const isEditor = (group: Group) => group.includes('vscode');
const isMixed = wanted.some(isEditor) && !wanted.every(isEditor);
const both = CORES >= 4 && isMixed;
// Most of it is waiting for a server. One that fails is tried again by the layer, which says why.
const editors = isMixed && !both ? spawn(process.execPath, [editorTests, '--install'], { stdio: 'ignore' }) : undefined;
const installed = editors && once(editors, 'exit');
const said = both ? join(scratch, 'editor.log') : undefined;
const results = both
  ? (await Promise.all([inTurn(wanted.filter((group) => !isEditor(group))), inTurn([['vscode']], said)])).flat()
  : await inTurn(wanted);
if (said !== undefined) process.stdout.write(readFileSync(said));
rmSync(scratch, { recursive: true, force: true });

console.log('');
for (const { name, passed, failed, skipped, seconds } of results) {
  console.log(`${name.padEnd(31)} ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
}
const taken = results.flatMap(({ files }) => Object.entries(files)).sort(([, a], [, b]) => b - a);
for (const [file, seconds] of taken.slice(0, SLOWEST)) console.log(`${seconds.toFixed(0).padStart(5)} s  ${file}`);
for (const { name, failures } of results) for (const failure of failures) console.log(`failed: ${name}: ${failure}`);
const sum = (key: 'passed' | 'failed') => results.reduce((total, result) => total + result[key], 0);
console.log(`in ${((Date.now() - begun) / 60_000).toFixed(1)} min`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);

function longestFirst(a: string, b: string): number {
  const isLong = (file: string) => Number(LONG.some((name) => basename(file).startsWith(name)));
  return isLong(b) - isLong(a) || a.localeCompare(b);
}

/** `said`: the file for what they say, in place of printing it. */
async function inTurn(these: readonly Group[], said?: string): Promise<(Totals & { name: string; seconds: number })[]> {
  const ended = [];
  for (const group of these) {
    const started = Date.now();
    const name = group.join(', ');
    const totals = await runGroup(group, name, said);
    ended.push({ name, ...totals, seconds: (Date.now() - started) / 1000 });
  }
  return ended;
}

async function runGroup(group: Group, name: string, said?: string): Promise<Totals> {
  const totalsFile = join(scratch, `${group[0]}.json`);
  // Else each of the first files that need it would make it.
  if (group.includes('integration')) builtPackage();
  if (isEditor(group)) await installed;
  const command = isEditor(group)
    ? [editorTests]
    : [
        join(root, 'node_modules', 'mocha', 'bin', 'mocha.js'),
        ...globSync(
          group.map((layer) => `test/${layer}/**/*.test.ts`),
          { cwd: root },
        ).sort(longestFirst),
        '--reporter',
        'test/reporter.cjs',
        '--parallel',
        '--jobs',
        String(group.includes('unit') ? CORES : JOBS),
        // A failed test may leave a handle open; its failure must not become a run that never ends.
        '--exit',
      ];
  if (said === undefined) console.log(`\n== ${name} ==`);
  else console.log(`\n== ${name}, which says how it went when it has ended, runs next to the others ==`);
  const out = said === undefined ? 'inherit' : openSync(said, 'a');
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', out, out],
    timeout: GROUP_LIMIT_MS,
    env: { ...process.env, PEAGEN_TEST_TOTALS: totalsFile, NODE_COMPILE_CACHE: compiled },
  });
  const [status]: (number | null)[] = await once(child, 'exit');
  if (out !== 'inherit') closeSync(out);
  return readTotals(totalsFile, status ?? null);
}

function readTotals(file: string, status: number | null): Totals {
  try {
    const totals = Totals.parse(JSON.parse(readFileSync(file, 'utf8')));
    return status === 0 || totals.failed > 0 ? totals : { ...totals, failed: 1, failures: [`ended with status ${status}`] };
  } catch {
    return { passed: 0, failed: 1, skipped: 0, failures: [`ended with status ${status} and without totals`], files: {} };
  }
}
