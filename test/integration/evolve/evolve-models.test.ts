/** Searches that ask models, from the command line: real queue, workers and sandboxes, and a server that answers as scripted. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RunSummary } from '../../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { madeAgain, SearchFolder, sample } from './search-folder.ts';

const slowCount = 'def count(n):\n    total = 0\n    for i in range(n):\n        total = total + i\n    return total\n';
const onCount = [
  ...['evolve', 'run', '--target-file', 'count.py', '--entry-fn', 'count', '--inputs', '[[2000], [3000]]'],
  ...['--mutator', 'rewrite', '--population', '1', '--deterministic', '--sync', '--yes'],
];

describe('a search with models', function () {
  this.timeout(600_000);
  let folder: SearchFolder;
  let good: TestLlm;
  let bad: TestLlm;
  beforeEach(async () => {
    folder = await SearchFolder.make();
    good = await startTestLlm({ script: 'corpus' });
    bad = await startTestLlm({ plainText: 'I would not change anything here.' });
  });
  afterEach(() => Promise.all([folder.remove(), good.close(), bad.close()]));
  const backends = () =>
    [good, bad]
      .map(({ url }, i) => `[[llm.backends]]\nname = "${i === 0 ? 'good' : 'bad'}"\nmodel = "test-model"\nbase_url = "${url}"\n`)
      .join('');

  const oneBackend = () => backends().slice(0, backends().lastIndexOf('[[llm.backends]]'));

  it('divides the slots among mutators and back ends by what they bring for what they cost, and shows models the lineage', async () => {
    await folder.remove();
    folder = await SearchFolder.counted();
    const how = ['--mutator', 'auto', '--generations', '6', '--population', '4', '--deterministic'];
    const { summary } = await folder.evolve(backends(), ...how);
    const all = await folder.events(summary.run);
    const [started] = all;
    assert.ok(started?.type === 'started');
    const arms = started.spec.mutators ?? [];
    for (const arm of ['structural', 'patch#algorithm@good', 'patch#simplify@bad', 'rewrite@good', 'crossover@bad'])
      assert.ok(arms.includes(arm), arm);
    const tries = (backend: string) =>
      all.filter((event) => event.type === 'selected' && event.slot.attempt === 0 && event.backend === backend).length;
    assert.ok(tries('good') > tries('bad'), `${tries('good')} and ${tries('bad')} slots`);
    assert.ok(
      all.some((event) => event.type === 'selected' && event.backend === undefined),
      'offline mutators too',
    );
    for (const event of all)
      if (event.type === 'mutated' && event.origin.backend !== undefined) assert.equal(event.origin.backend, 'good');
    const prompts = good.requests.map(({ body }) => body.messages.at(-1)?.content ?? '');
    const told = prompts.filter((prompt) => prompt.includes('How this program came about'));
    assert.ok(told.length > 0 && told.length < prompts.length);
    assert.ok(prompts.some((prompt) => /## Already tried on this program\nDo not propose[\s\S]*Result: /.test(prompt)));
    assert.ok(
      prompts.every((prompt) => prompt.includes('`combined_score`: higher is better')),
      'the goal is stated',
    );
    assert.match(told[0] ?? '', /- .+ \(afterwards: .*combined_score.*\)\n+`+diff\n/);
  });

  it('announces the smallest part of a winner that keeps its gain, with the operations that it takes', async () => {
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
    const { summary } = await folder.evolve(
      oneBackend(),
      '--mutator',
      'rewrite',
      '--generations',
      '1',
      '--population',
      '1',
      '--deterministic',
      '--no-derive',
    );
    const all = await folder.events(summary.run);
    const minimised = all.find((event) => event.type === 'minimised');
    assert.ok(minimised !== undefined && summary.best !== null && summary.output !== null, JSON.stringify(summary));
    assert.match(minimised.origin.summary, /^all at once; without \d hunks? that did not contribute$/);
    const best = await readFile(join(summary.output, 'bad_sort.py'), 'utf8');
    // Elsewhere with the layout of the original.
    assert.equal(best, original.replace('    rounds = 2\n', '    rounds = 1\n'));
    const { cost } = summary.best;
    assert.ok(cost !== undefined && cost > 0);
  });

  it('does not take for right what is wrong on held-out inputs, and calls it overfit', async () => {
    const known = 'def count(n):\n    return {2000: 1999000, 3000: 4498500}[n]\n';
    await writeFile(join(folder.path, 'count.py'), slowCount);
    await writeFile(join(folder.path, '.peagen.toml'), `[evaluate]\nheldout = "[[10]]"\nderive = false\n${oneBackend()}`);
    good.script({ type: 'answer', text: `Change: know the answers\n\n\`\`\`python\n${known}\`\`\`` });
    const { status, lastJson, stderr } = await runPeagen([...onCount, '--generations', '1', '--json'], folder.path);
    assert.equal(status, 0, stderr);
    const { run, best, overfit, correct } = RunSummary.parse(lastJson);
    assert.deepEqual([best, correct, overfit], [null, 0, 1]);
    const told = await runPeagen(['evolve', 'report', run], folder.path);
    assert.match(told.stdout, /outcomes: 1 overfit/);
  });

  it('gives its control as much to spend as it had itself, however little it has spent', async () => {
    await writeFile(join(folder.path, 'count.py'), slowCount);
    await writeFile(join(folder.path, '.peagen.toml'), `[evaluate]\nderive = false\n${oneBackend()}`);
    const answers = ['n * (n - 1) // 2', '(n * n - n) // 2'].map((body) => ({
      type: 'answer' as const,
      text: `Change: use the formula\n\n\`\`\`python\ndef count(n):\n    return ${body}\n\`\`\``,
    }));
    good.script(...answers, ...answers);
    const limits = ['--generations', '2', '--no-confirm', '--budget-tokens', '12000', '--baseline', 'best-of-n'];
    const { status, lastJson, stderr } = await runPeagen([...onCount, ...limits, '--json'], folder.path);
    assert.equal(status, 0, stderr);
    const search = RunSummary.parse(lastJson);
    const control = RunSummary.parse((lastJson as { control: unknown }).control);
    assert.deepEqual([search.evaluated, control.evaluated], [2, 2]);
    assert.ok(search.tokens.prompt + search.tokens.completion < 4000 && control.tokens.completion > 0);
    const told = await runPeagen([...onCount, '--generations', '2', '--budget-tokens', '100'], folder.path);
    assert.match(told.stdout, /^The token budget does not pay for one question/);
  });

  it('have what fails fixed while nothing is correct, and learn how it failed', async () => {
    await writeFile(join(folder.path, 'count.py'), slowCount);
    await writeFile(join(folder.path, '.peagen.toml'), `[evaluate]\nderive = false\n${oneBackend()}`);
    const answer = (body: string) => ({
      type: 'answer' as const,
      text: `Change: use the formula\n\n\`\`\`python\ndef count(n):\n    return ${body}\n\`\`\``,
    });
    good.script(answer('n * (n + 1) // 2'), answer('n * (n - 1) // 2'));
    const { status, lastJson, stderr } = await runPeagen(
      [...onCount, '--generations', '2', '--no-confirm', '--json'],
      folder.path,
    );
    assert.equal(status, 0, stderr);
    const { run, best } = RunSummary.parse(lastJson);
    const all = await folder.events(run);
    const made = all.flatMap((event) => (event.type === 'mutated' ? [event] : []));
    assert.deepEqual(
      made.map(({ origin }) => origin.mutator),
      ['rewrite', 'fix'],
    );
    assert.deepEqual(made[1]?.origin.parents, [made[0]?.sha256]);
    assert.equal(best?.sha256, made[1]?.sha256);
    const prompt = good.requests[1]?.body.messages.at(-1)?.content ?? '';
    assert.match(prompt, /program fails. Make it correct[\s\S]*n \* \(n \+ 1\)[\s\S]*It fails:[\s\S]*wrong: /);
    assert.deepEqual(await madeAgain(folder.path, run, [1]), [1]);
  });
});
