/** Searches of every shape on the Python sample, from the command line: real queue, workers and sandboxes. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { Sha256 } from '../../shared/ids.ts';
import { RunEvent, RunSummary } from '../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../llm/server.ts';
import { runPeagen } from '../peagen.ts';

const sample = join(import.meta.dirname, '..', '..', 'media', 'samples', 'bad_sort');

const Exported = z.object({ elites: z.array(z.object({ sha256: Sha256, niche: z.string(), fitness: z.number() })) });

const slowCount = 'def count(n):\n    total = 0\n    for i in range(n):\n        total = total + i\n    return total\n';
const onCount = [
  ...['evolve', 'run', '--target-file', 'count.py', '--entry-fn', 'count', '--inputs', '[[2000], [3000]]'],
  ...['--mutator', 'rewrite', '--population', '1', '--deterministic', '--sync', '--yes'],
];

describe('a search', function () {
  this.timeout(600_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-search-'));
    await cp(sample, join(folder, 'target'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function evolve(settings: string, ...args: string[]) {
    const target = join(folder, 'target');
    const own = await readFile(join(sample, '.peagen.toml'), 'utf8');
    await writeFile(join(target, '.peagen.toml'), `${own}\n${settings}`);
    const command = ['evolve', 'run', target, '--seed', '4', '--sync', '--json', '--yes', ...args];
    const { status, lastJson, stderr } = await runPeagen(command, folder);
    assert.equal(status, 0, stderr);
    return { json: lastJson, summary: RunSummary.parse(lastJson) };
  }

  async function events(run: string): Promise<RunEvent[]> {
    const text = await readFile(join(folder, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => RunEvent.parse(JSON.parse(line)));
  }

  async function reportOf(run: string) {
    const { status, lastJson, stderr } = await runPeagen(['evolve', 'report', run, '--json'], folder);
    assert.equal(status, 0, stderr);
    return lastJson as { islands: unknown[]; front: unknown[]; migrated: number };
  }

  it('runs on islands of CVT archives with diversity as a feature, keeps a Pareto front, and is replayed', async () => {
    const { summary } = await evolve(
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
of = [{ metric = "speedup", direction = "max" }, { metric = "peak_kb", direction = "min", step = 100 }]
`,
      '--generations',
      '3',
    );
    assert.equal(summary.generations, 3);
    assert.ok(summary.correct > 0 && summary.coverage > 1);
    const report = await reportOf(summary.run);
    assert.equal(report.islands.length, 2);
    assert.ok(report.front.length > 0);
    const replayed = await runPeagen(['evolve', 'replay', summary.run, '--sync', '--json'], folder);
    assert.equal(replayed.status, 0, replayed.stderr);
  });

  it('is reported beside its control, best of n with the same budget', async () => {
    const { json, summary } = await evolve('', '--generations', '3', '--baseline', 'best-of-n');
    const control = RunSummary.parse((json as { control: unknown }).control);
    assert.deepEqual([control.candidates, control.seed], [summary.candidates, summary.seed]);
    const selected = (await events(control.run)).flatMap((event) => (event.type === 'selected' ? [event] : []));
    const [started] = await events(control.run);
    assert.ok(started?.type === 'started');
    for (const { parent, inspirations } of selected) assert.deepEqual([parent, inspirations], [started.original, []]);
    assert.equal((await readdir(join(folder, '.peagen', 'runs'))).length, 2);
    const exported = async (...runs: string[]) => {
      const { lastJson } = await runPeagen(['evolve', 'export', ...runs, '--json'], folder);
      return Exported.parse(lastJson).elites;
    };
    const [own, other, both] = await Promise.all([
      exported(summary.run),
      exported(control.run),
      exported(summary.run, control.run),
    ]);
    // What both have made counts as the first measured it.
    const made = new Set((await events(summary.run)).flatMap((event) => (event.type === 'evaluated' ? [event.sha256] : [])));
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
    const { summary } = await evolve(`check = ${JSON.stringify(check)}\n`, '--generations', '2');
    const outcomes = (await events(summary.run)).flatMap((event) => (event.type === 'evaluated' ? [event.outcome] : []));
    const invalid = outcomes.filter(({ kind }) => kind === 'invalid');
    assert.ok(invalid.length > 0 && invalid.length < outcomes.length, JSON.stringify(outcomes.map(({ kind }) => kind)));
    for (const { detail } of invalid) assert.match(detail, /too short/);
  });

  describe('with models', () => {
    let good: TestLlm;
    let bad: TestLlm;
    beforeEach(async () => {
      good = await startTestLlm({ script: 'corpus' });
      bad = await startTestLlm({ plainText: 'I would not change anything here.' });
    });
    afterEach(() => Promise.all([good.close(), bad.close()]));
    const backends = () =>
      [good, bad]
        .map(
          ({ url }, i) => `[[llm.backends]]\nname = "${i === 0 ? 'good' : 'bad'}"\nmodel = "test-model"\nbase_url = "${url}"\n`,
        )
        .join('');

    const oneBackend = () => backends().slice(0, backends().lastIndexOf('[[llm.backends]]'));

    it('divides the slots among mutators and back ends by what they bring for what they cost, and tells models the lineage', async () => {
      const { summary } = await evolve(backends(), '--mutator', 'auto', '--generations', '8');
      const all = await events(summary.run);
      const [started] = all;
      assert.ok(started?.type === 'started');
      const arms = started.spec.mutators ?? [];
      for (const arm of ['structural', 'patch@good', 'patch@bad', 'rewrite@good', 'crossover@bad'])
        assert.ok(arms.includes(arm), arm);
      const tries = (backend: string) => all.filter((event) => event.type === 'selected' && event.backend === backend).length;
      assert.ok(tries('good') > tries('bad'), `${tries('good')} and ${tries('bad')} slots`);
      assert.ok(
        all.some((event) => event.type === 'selected' && event.backend === undefined),
        'offline mutators too',
      );
      for (const event of all)
        if (event.type === 'mutated' && event.origin.backend !== undefined) assert.equal(event.origin.backend, 'good');
      const prompts = good.requests.map(({ body }) => body.messages.at(-1)?.content ?? '');
      const told = prompts.filter((prompt) => prompt.includes('What changed on the way from the original'));
      assert.ok(told.length > 0 && told.length < prompts.length);
      assert.match(told[0] ?? '', /- .+ \(afterwards: .*speedup .*\)\n+`+diff\n/);
    });

    it('announces the smallest part of a winner that keeps its gain, with the layout of the original elsewhere', async () => {
      const original = await readFile(join(sample, 'bad_sort.py'), 'utf8');
      const padded = original
        .replace('    rounds = 2\n', '    rounds = 1\n')
        .replace('    smallest = None\n    largest = None\n', '    smallest, largest = None, None\n')
        .replace("    # Work on a copy: the caller's list is not ours.\n", '')
        .replace(
          '    result = []\n    for item in list(items):\n        result.append(item)\n',
          '    result = [ item for item in items ]\n',
        );
      const fn = padded.slice(padded.indexOf('def bad_sort('));
      good.script(
        ...Array.from({ length: 40 }, () => ({
          type: 'answer' as const,
          text: `Change: all at once\n\n\`\`\`python\n${fn}\n\`\`\``,
        })),
      );
      const { summary } = await evolve(
        oneBackend(),
        '--mutator',
        'rewrite',
        '--generations',
        '1',
        '--population',
        '1',
        '--deterministic',
      );
      const all = await events(summary.run);
      const minimised = all.find((event) => event.type === 'minimised');
      assert.ok(minimised !== undefined && summary.best !== null && summary.output !== null, JSON.stringify(summary));
      assert.match(minimised.origin.summary, /^all at once; without \d hunks? that did not contribute$/);
      const best = await readFile(join(summary.output, 'bad_sort.py'), 'utf8');
      assert.equal(best, original.replace('    rounds = 2\n', '    rounds = 1\n'));
    });

    it('does not offer a winner that is wrong on held-out inputs, and calls it overfitted', async () => {
      const known = 'def count(n):\n    return {2000: 1999000, 3000: 4498500}[n]\n';
      await writeFile(join(folder, 'count.py'), slowCount);
      await writeFile(join(folder, '.peagen.toml'), `[evaluate]\nheldout = "[[10]]"\n${oneBackend()}`);
      good.script({ type: 'answer', text: `Change: know the answers\n\n\`\`\`python\n${known}\`\`\`` });
      const { status, lastJson, stderr } = await runPeagen([...onCount, '--generations', '1', '--json'], folder);
      assert.equal(status, 0, stderr);
      const { run, best, overfitted, correct } = RunSummary.parse(lastJson);
      assert.deepEqual([best, correct, overfitted.length], [null, 1, 1]);
      const told = await runPeagen(['evolve', 'report', run], folder);
      assert.match(told.stdout, new RegExp(`overfitted: ${overfitted[0]?.slice(0, 12)}: faster, but wrong`));
    });

    it('have what fails mended while nothing is correct, and are told how it failed', async () => {
      await writeFile(join(folder, 'count.py'), slowCount);
      await writeFile(join(folder, '.peagen.toml'), oneBackend());
      const answer = (body: string) => ({
        type: 'answer' as const,
        text: `Change: use the formula\n\n\`\`\`python\ndef count(n):\n    return ${body}\n\`\`\``,
      });
      good.script(answer('n * (n + 1) // 2'), answer('n * (n - 1) // 2'));
      const { status, lastJson, stderr } = await runPeagen([...onCount, '--generations', '2', '--json'], folder);
      assert.equal(status, 0, stderr);
      const { run, best } = RunSummary.parse(lastJson);
      const all = await events(run);
      const made = all.flatMap((event) => (event.type === 'mutated' ? [event] : []));
      assert.deepEqual(
        made.map(({ origin }) => origin.mutator),
        ['rewrite', 'fix'],
      );
      assert.deepEqual(made[1]?.origin.parents, [made[0]?.sha256]);
      assert.equal(best?.sha256, made[1]?.sha256);
      const prompt = good.requests[1]?.body.messages.at(-1)?.content ?? '';
      assert.match(prompt, /does not work yet[\s\S]*n \* \(n \+ 1\)[\s\S]*this program: wrong: /);
      const replayed = await runPeagen(['evolve', 'replay', run, '--sync', '--json'], folder);
      assert.equal(replayed.status, 0, replayed.stderr);
    });
  });
});
