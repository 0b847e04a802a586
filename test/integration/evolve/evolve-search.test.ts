/** Searches of every shape, from the command line: real queue, workers and sandboxes. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import { RunSummary } from '../../../shared/run.ts';
import { runPeagen } from '../../peagen.ts';
import { SearchFolder, sample } from './search-folder.ts';

const Exported = z.object({ elites: z.array(z.object({ sha256: Sha256, niche: z.string(), fitness: z.number() })) });
const Compared = z.object({
  runs: z.array(z.object({ run: RunId })),
  niches: z.object({ both: z.number(), only: z.tuple([z.number(), z.number()]) }),
});

describe('a search', function () {
  this.timeout(600_000);
  let folder: SearchFolder;
  beforeEach(async () => {
    folder = await SearchFolder.counted();
  });
  afterEach(() => folder.remove());

  async function reportOf(run: string) {
    const { status, lastJson, stderr } = await runPeagen(['evolve', 'report', run, '--json'], folder.path);
    assert.equal(status, 0, stderr);
    return lastJson as { islands: unknown[]; front: unknown[]; migrated: number };
  }

  it('runs on islands of CVT archives with diversity as a feature, keeps a Pareto front, and is replayed', async () => {
    const { summary } = await folder.evolve(
      `[evolve]
selector = "island"
[evolve.islands]
count = 2
interval = 1
[evolve.archive]
kind = "cvt"
niches = 32
features = [{ name = "size", bin = 40 }, { name = "diversity", bin = 5 }, { name = "complexity", bin = 5 }]
[evaluate.objectives]
combine = "weighted"
of = [{ metric = "speedup", direction = "max" }, { metric = "length", direction = "min", step = 100 }]
`,
      '--generations',
      '2',
    );
    assert.equal(summary.generations, 2);
    assert.ok(summary.correct > 0 && summary.coverage > 1);
    const report = await reportOf(summary.run);
    assert.equal(report.islands.length, 2);
    assert.ok(report.front.length > 0);
    const replayed = await runPeagen(['evolve', 'replay', summary.run, '--sync', '--json'], folder.path);
    assert.equal(replayed.status, 0, replayed.stderr);
  });

  it('is reported with its control, best of n with the same budget', async () => {
    const { json, summary } = await folder.evolve('', '--generations', '2', '--population', '4', '--baseline', 'best-of-n');
    const control = RunSummary.parse((json as { control: unknown }).control);
    assert.deepEqual([control.candidates, control.seed], [summary.candidates, summary.seed]);
    const selected = (await folder.events(control.run)).flatMap((event) => (event.type === 'selected' ? [event] : []));
    const [started] = await folder.events(control.run);
    assert.ok(started?.type === 'started');
    for (const { parent, inspirations } of selected) assert.deepEqual([parent, inspirations], [started.original, []]);
    assert.equal((await readdir(join(folder.path, '.peagen', 'runs'))).length, 2);
    const exported = async (...runs: string[]) => {
      const { status, lastJson, stderr } = await runPeagen(['runs', 'export', ...runs, '--json'], folder.path);
      assert.equal(status, 0, stderr);
      return Exported.parse(lastJson).elites;
    };
    const [own, other, both] = await Promise.all([
      exported(summary.run),
      exported(control.run),
      exported(summary.run, control.run),
    ]);
    const { lastJson } = await runPeagen(['runs', 'diff', summary.run, control.run, '--json'], folder.path);
    const compared = Compared.parse(lastJson);
    assert.deepEqual(
      compared.runs.map(({ run }) => run),
      [summary.run, control.run],
    );
    const niches = (elites: readonly { niche: string }[]) => new Set(elites.map(({ niche }) => niche)).size;
    const { both: shared, only } = compared.niches;
    assert.deepEqual([shared + only[0], shared + only[1]], [niches(own), niches(other)]);
    // What both have made counts as the first measured it.
    const made = new Set(
      (await folder.events(summary.run)).flatMap((event) => (event.type === 'evaluated' ? [event.sha256] : [])),
    );
    const offered = [...own, ...other.filter(({ sha256 }) => !made.has(sha256) && sha256 !== started.original)];
    for (const { niche, fitness } of offered) {
      const merged = both.find((elite) => elite.niche === niche);
      assert.ok(merged !== undefined && merged.fitness >= fitness, niche);
    }
    const known = new Set([...own, ...other].map(({ sha256 }) => sha256));
    for (const { sha256 } of both) assert.ok(known.has(sha256), sha256);
  });

  it('refuses what does not pass stage 0 before it is judged', async () => {
    // Nothing may be deleted: a child that lost a line is invalid, and the original passes.
    const lines = (await readFile(join(sample, 'bad_sort.py'), 'utf8')).split('\n').length - 1;
    const check = `test $(wc -l < bad_sort.py) -ge ${lines} || { echo too short; exit 1; }`;
    const { summary } = await folder.evolve(`check = ${JSON.stringify(check)}\n`, '--generations', '1');
    const outcomes = (await folder.events(summary.run)).flatMap((event) => (event.type === 'evaluated' ? [event.outcome] : []));
    const invalid = outcomes.filter(({ kind }) => kind === 'invalid');
    assert.ok(invalid.length > 0 && invalid.length < outcomes.length, JSON.stringify(outcomes.map(({ kind }) => kind)));
    for (const { detail } of invalid) assert.match(detail, /too short/);
  });
});
