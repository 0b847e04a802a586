/** Runs whose original fails by itself, from the command line: real queue, workers, sandboxes and a scripted model. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunSummary } from '../../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { eventsOf, madeAgain } from './search-folder.ts';

const programWith = (body: string) => `def total(n):\n    return ${body}\n`;
const test = 'from target import total\nassert total(4) == 6, f"total(4) is {total(4)}, not 6"\n';

describe('a run whose original fails', function () {
  this.timeout(600_000);
  let folder: string;
  let model: TestLlm;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-mend-'));
    model = await startTestLlm({ plainText: 'I would not change anything here.' });
    await writeFile(join(folder, 'target.py'), programWith('n * (n + 1) // 2'));
    await writeFile(join(folder, 'test_target.py'), test);
    await writeFile(
      join(folder, '.peagen.toml'),
      `[[llm.backends]]\nname = "one"\nmodel = "test-model"\nbase_url = "${model.url}"\n`,
    );
  });
  afterEach(async () => {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  });
  const answer = (body: string) => ({
    type: 'answer' as const,
    text: `Change: return ${body}\n\n\`\`\`python\n${programWith(body)}\`\`\``,
  });
  const evolve = (...args: string[]) =>
    runPeagen(
      [
        ...['evolve', 'run', '--target-file', 'target.py', '--entry-fn', 'total', '--population', '1', '--sync', '--yes'],
        ...['--json', ...args],
      ],
      folder,
    );
  const byTest = ['--command', 'python3 test_target.py'];

  it('begins with fixing it, shows the model how it fails, and then compares with the first program that does not', async () => {
    model.script(answer('n * n'), answer('n * (n - 1) // 2'), answer('sum(range(n))'));
    const { status, lastJson, stderr } = await evolve(...byTest, '--mutator', 'rewrite', '--generations', '3', '--deterministic');
    assert.equal(status, 0, stderr);
    const { run, best, mended, output, correct } = RunSummary.parse(lastJson);
    const all = await eventsOf(folder, run);
    const made = all.flatMap((event) => (event.type === 'mutated' ? [event] : []));
    assert.deepEqual(
      made.map(({ origin }) => origin.mutator),
      ['fix', 'fix', 'rewrite'],
    );
    assert.equal(correct, 2);
    assert.equal(mended, made[1]?.sha256);
    const [failing] = all.flatMap((event) => (event.type === 'failing' ? [event] : []));
    assert.match(failing?.outcome.detail ?? '', /total\(4\) is 10, not 6/);
    const baseline = all.flatMap((event) => (event.type === 'baseline' ? [event] : []));
    assert.deepEqual(
      baseline.map(({ program }) => program),
      [mended],
    );
    const prompts = model.requests.map(({ body }) => body.messages.at(-1)?.content ?? '');
    assert.match(prompts[0] ?? '', /program fails. Make it correct[\s\S]*total\(4\) is 10, not 6/);
    assert.match(prompts[1] ?? '', /program fails. Make it correct/);
    assert.doesNotMatch(prompts[2] ?? '', /program fails. Make it correct/);
    // What passes is a gain whether or not it is faster than the first that does.
    assert.ok(best !== null && output !== null);
    assert.ok([made[1]?.sha256, made[2]?.sha256].includes(best.sha256));
    assert.match(await readFile(join(output, 'target.py'), 'utf8'), /n \* \(n - 1\) \/\/ 2|sum\(range\(n\)\)/);
    const others = [1, 2, 3].filter((generation) => generation !== best.generation);
    assert.deepEqual(await madeAgain(folder, run, others), [1, 1]);
  });

  it('says so when every variant fails too', async () => {
    model.script(answer('n * n'), answer('n'));
    const { status, lastJson, stderr } = await evolve(...byTest, '--mutator', 'rewrite', '--generations', '2');
    assert.equal(status, 0, stderr);
    const { best, mended, correct, evaluated } = RunSummary.parse(lastJson);
    assert.deepEqual([best, mended, correct, evaluated], [null, null, 0, 2]);
  });

  it('is refused where the original is the oracle, before anything is asked', async () => {
    await writeFile(join(folder, 'target.py'), programWith('nothing'));
    const { status, stderr } = await evolve('--inputs', '[[1]]', '--mutator', 'rewrite', '--generations', '1');
    assert.equal(status, 3);
    assert.match(stderr, /every call raises NameError/);
    assert.equal(model.requests.length, 0);
  });

  it('is refused where no model is asked that could fix it', async () => {
    const { status, stderr } = await evolve(...byTest, '--mutator', 'structural', '--generations', '1');
    assert.equal(status, 3);
    assert.match(stderr, /total\(4\) is 10, not 6.*evolve with a language model, which fixes it/);
    assert.equal(model.requests.length, 0);
  });

  it('is refused where the command cannot be run at all', async () => {
    const { status, stderr } = await evolve('--command', './no-such-tests', '--mutator', 'rewrite', '--generations', '1');
    assert.equal(status, 3);
    assert.match(stderr, /not found/);
    assert.equal(model.requests.length, 0);
  });
});
