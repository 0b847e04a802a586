/** The command line, run as a user runs it: real queue, real workers, real sandboxes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunSummary } from '../../../shared/run.ts';
import { builtScript } from '../../built.ts';
import { runPeagen } from '../../peagen.ts';
import { writeCountedTarget } from './counted-target.ts';

const samples = join(import.meta.dirname, '..', '..', '..', 'media', 'samples');

describe('peagen evolve', function () {
  // A loaded machine with two cores must pass too.
  this.timeout(600_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-evolve-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function evolve(...args: string[]): Promise<RunSummary> {
    const { status, lastJson, stderr } = await runPeagen(['evolve', 'run', ...args, '--sync', '--json'], folder);
    assert.equal(status, 0, stderr);
    return RunSummary.parse(lastJson);
  }

  it('finds a correct variant of the Python sample that is faster', async () => {
    const summary = await evolve(join(samples, 'bad_sort'), '--generations', '2', '--population', '4', '--seed', '4');
    assert.ok(summary.best !== null, JSON.stringify(summary));
    assert.equal(summary.generations, 2);
    assert.ok(summary.best.speedup_low <= summary.best.speedup && summary.best.speedup <= summary.best.speedup_high);
    assert.ok(summary.output !== null);
    const best = join(summary.output, 'bad_sort.py');
    const heldOut = JSON.parse(await readFile(join(samples, 'bad_sort', 'heldout.json'), 'utf8'));
    await assertSameOutputs(join(samples, 'bad_sort', 'bad_sort.py'), best, heldOut);
  });

  it('evolves the JavaScript sample', async () => {
    // The Python sample shows what happens to a variant that is announced.
    const size = ['--generations', '1', '--population', '4', '--no-confirm'];
    const summary = await evolve(join(samples, 'bad_sort_js'), ...size, '--seed', '10', '--no-derive');
    assert.ok(summary.correct > 0);
    assert.equal(summary.generations, 1);
  });

  describe('--deterministic, with a seed', () => {
    const size = ['--generations', '2', '--population', '4', '--no-confirm'];
    const args = ['evolve', 'run', join(samples, 'bad_sort'), ...size, '--seed', '5'];
    const how = ['--sync', '--deterministic', '--no-derive', '--json'];
    let runs: string;
    let left: readonly unknown[] = [];
    let killed: { readonly evaluated: readonly string[]; readonly run: string };
    let [first, second, resumed]: RunSummary[] = [];
    before(async () => {
      runs = await mkdtemp(join(tmpdir(), 'peagen-evolve-'));
      const run = async (name: string, ...words: string[]): Promise<RunSummary> => {
        const place = join(runs, name);
        await mkdir(place, { recursive: true });
        const { status, lastJson, stderr } = await runPeagen([...words, ...how], place);
        assert.equal(status, 0, stderr);
        return RunSummary.parse(lastJson);
      };
      const interrupted = async (): Promise<RunSummary> => {
        const place = join(runs, 'killed');
        await mkdir(place);
        await killInMidRun([...args, ...how], place, 3);
        const [name = ''] = await readdir(join(place, '.peagen', 'runs'));
        killed = { run: name, evaluated: await evaluatedIn(place, name) };
        const before = await contents(place);
        const dry = await runPeagen(['evolve', 'run', '--resume', name, '--dry-run', ...how], place);
        assert.deepEqual([dry.status, dry.lastJson], [0, { run: name, state: 'interrupted' }], dry.stderr);
        left = [before, await contents(place)];
        return await run('killed', 'evolve', 'run', '--resume', name);
      };
      // Side by side: a loaded machine must not change what they find.
      [first, second, resumed] = await Promise.all([run('first', ...args), run('second', ...args), interrupted()]);
    });
    after(() => rm(runs, { recursive: true, force: true }));

    it('changes nothing when it is only asked what a resume would do', () => {
      assert.equal(left.length, 2);
      assert.deepEqual(left[0], left[1]);
    });

    it('makes the same candidates twice over', () => {
      assert.equal(first?.candidates_digest, second?.candidates_digest);
      assert.notEqual(first?.run, second?.run);
    });

    it('makes them also when it is killed with kill -9 and taken up again', () => {
      assert.equal(resumed?.candidates_digest, first?.candidates_digest);
      assert.deepEqual([resumed?.run, resumed?.generations], [killed.run, 2]);
    });

    it('evaluates nothing twice then', async () => {
      const after = await evaluatedIn(join(runs, 'killed'), killed.run);
      assert.ok(killed.evaluated.length >= 3);
      assert.deepEqual(after.slice(0, killed.evaluated.length), killed.evaluated);
      assert.equal(new Set(after).size, after.length);
      assert.equal(after.length, resumed?.evaluated);
    });
  });

  it('ends in one line and a non-zero status on bad input', async () => {
    await cp(join(samples, 'bad_sort'), join(folder, 's'), { recursive: true });
    await writeFile(join(folder, 'broken.toml'), '[evolve]\npopulation = "many"\n');
    await writeFile(join(folder, 'other.py'), 'def f():\n    return 1\n');
    const file = join(folder, 's', 'bad_sort.py');
    const cases: [args: string[], line: RegExp, status: number][] = [
      [['nowhere'], /folder nowhere does not exist/, 2],
      [['--target-file', 'nope.py', '--entry-fn', 'f', '--inputs', '[[1]]'], /nope\.py does not exist/, 2],
      [['--target-file', file, '--entry-fn', 'bad_srot', '--inputs', '[[[1]]]'], /bad_srot.*bad_sort/, 2],
      [['--target-file', file, '--entry-fn', 'bad_sort', '--inputs', '[[5, 6, 7, 8]]'], /original/, 3],
      [['--target-file', file, '--entry-fn', 'bad_sort', '--inputs', '[[oops'], /not valid JSON/, 2],
      [['s', '--config', join(folder, 'broken.toml')], /evolve\.population .*broken\.toml:2\) = "many": expected number/, 2],
      [['s', '--selector', 'epsilonn'], /no selector "epsilonn".*"epsilon"/, 2],
      [['s', '--mutator', 'structual'], /no mutator "structual".*"structural"/, 2],
      [
        ['s', '--population', 'many'],
        /'--population <n>' argument 'many' is invalid\. Expected a whole number from 1 to 1024/,
        2,
      ],
      [
        ['s', '--population', '5000'],
        /'--population <n>' argument '5000' is invalid\. Expected a whole number from 1 to 1024/,
        2,
      ],
      [
        ['s', '--baseline', 'best'],
        /'--baseline <control>' argument 'best' is invalid\. Allowed choices are best-of-n, greedy, random, all/,
        2,
      ],
      [['s', '--populaton', '4'], /Unknown option '--populaton' \(Did you mean --population\?\)/, 2],
      [['s', '--config', 'broken.toml'], /evolve\.population .*broken\.toml:2\)/, 2],
      [['s', '--inputs', '[[1]]', '--command', 'true'], /both --inputs and --command/, 2],
      [['s', '--target-file', 'other.py'], /The file other\.py is not in .*s\./, 2],
      [['s', '--backend', 'nobody'], /There is no back end "nobody"\. Configured: none/, 2],
      [['s', 'too', 'many'], /Too many arguments for 'run'/, 2],
    ];
    await Promise.all(
      cases.map(async ([args, pattern, exit]) => {
        const command = ['evolve', 'run', ...args, '--sync', '--generations', '1', '--json'];
        const { status, stderr, lastJson } = await runPeagen(command, folder);
        const errors = stderr.split('\n').filter((line) => line !== '' && !/^(run|warning:) /.test(line));
        assert.equal(status, exit, args.join(' '));
        assert.equal(errors.length, 1, stderr);
        assert.match(errors[0] ?? '', /^peagen: /);
        assert.match(errors[0] ?? '', pattern);
        assert.ok(typeof lastJson === 'object' && lastJson !== null && 'error' in lastJson, args.join(' '));
      }),
    );
  });

  it('answers evolve step with the summary of one generation', async () => {
    writeCountedTarget(folder);
    const { status, lastJson, stderr } = await runPeagen(['evolve', 'step', '--sync', '--json', '--seed', '1'], folder);
    assert.equal(status, 0, stderr);
    assert.equal(RunSummary.parse(lastJson).generations, 1);
  });

  it('runs a folder of OpenEvolve shape as it is, and names the settings that have no effect', async () => {
    await writeFile(
      join(folder, 'initial_program.py'),
      '# EVOLVE-BLOCK-START\ndef f():\n    waste = [0] * 50\n    total = 0\n    total = total + 7\n    return total\n# EVOLVE-BLOCK-END\n',
    );
    await writeFile(
      join(folder, 'evaluator.py'),
      [
        'import importlib.util',
        'def evaluate(program_path):',
        '    spec = importlib.util.spec_from_file_location("candidate", program_path)',
        '    module = importlib.util.module_from_spec(spec)',
        '    spec.loader.exec_module(module)',
        '    return {"combined_score": (1000.0 if module.f() == 7 else 0.0) / len(open(program_path).read())}',
      ].join('\n'),
    );
    await writeFile(join(folder, 'config.yaml'), 'max_iterations: 4\nrandom_seed: 9\nllm:\n  evaluator_models: []\n');
    const args = ['evolve', 'run', folder, '--sync', '--json', '--population', '4'];
    const { status, lastJson, stderr } = await runPeagen(args, folder);
    assert.equal(status, 0, stderr);
    const summary = RunSummary.parse(lastJson);
    assert.deepEqual([summary.seed, summary.generations, summary.candidates], [9, 1, 4]);
    assert.match(stderr, /warning: .*llm\.evaluator_models/);
  });

  it('says what it would do, and does nothing, on a dry run', async () => {
    const { status, lastJson } = await runPeagen(
      ['evolve', 'run', join(samples, 'bad_sort'), '--sync', '--json', '--dry-run', '--no-derive'],
      folder,
    );
    assert.equal(status, 0);
    assert.ok(typeof lastJson === 'object' && lastJson !== null && 'worst_case' in lastJson);
    assert.deepEqual(await readdir(folder), []);
  });

  it('prints the first question that a model would get, and asks nothing', async () => {
    const args = ['evolve', 'run', join(samples, 'bad_sort'), '--sync', '--show-prompt', '--dry-run', '--no-derive'];
    const { status, stdout, stderr } = await runPeagen(args, folder);
    assert.equal(status, 0, stderr);
    assert.match(stdout, /--- system ---\nYou are a senior engineer[\s\S]*--- user ---\nMake this Python program faster\./);
    assert.match(stdout, /## Program\n```python\n[\s\S]*Only the function `bad_sort` may change\./);
    assert.deepEqual(await readdir(folder), []);
  });
});

/** Slots with an evaluation in the journal, in its order. */
async function evaluatedIn(place: string, run: string): Promise<string[]> {
  const text = await readFile(join(place, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8').catch(() => '');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.includes('"type":"evaluated"'))
    .map((line) => `${JSON.parse(line).slot.index}`);
}

/** All files of a folder, with what they hold. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(await Promise.all(files.sort().map(async (file) => [file, await readFile(file, 'hex')])));
}

/** Starts the command and kills it with SIGKILL once its journal holds `events` evaluations. */
async function killInMidRun(args: string[], cwd: string, events: number): Promise<void> {
  const child = spawn(process.execPath, [builtScript('cli'), ...args], {
    cwd,
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  for (;;) {
    assert.equal(child.exitCode, null, 'the run ended before it could be killed');
    const [run] = await readdir(join(cwd, '.peagen', 'runs')).catch((): string[] => []);
    if (run !== undefined && (await evaluatedIn(cwd, run)).length >= events) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  child.kill('SIGKILL');
  await exited;
}

/** Runs both files' `bad_sort` on the calls with the machine's Python and compares what they return. */
async function assertSameOutputs(original: string, variant: string, calls: unknown): Promise<void> {
  const script = `
import importlib.util, json, sys
def load(path):
    spec = importlib.util.spec_from_file_location("m", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.bad_sort
calls = json.load(sys.stdin)
print(json.dumps([[load(path)(*json.loads(json.dumps(call))) for call in calls] for path in sys.argv[1:]]))
`;
  const child = spawn('python3', ['-c', script, original, variant], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(calls));
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  const [expected, actual] = JSON.parse(Buffer.concat(chunks).toString());
  assert.ok(Array.isArray(expected) && expected.length > 0);
  assert.deepEqual(actual, expected);
}
