/** What "correct" rests on, from the command line: derived and held-out calls, the attack before an announcement, and how it is said. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunPlan } from '../../../shared/protocol/runs.ts';
import { Verdict } from '../../../shared/protocol/targets.ts';
import { RunSummary } from '../../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { eventsOf } from '../evolve/search-folder.ts';

const count = 'def count(n):\n    total = 0\n    for i in range(n):\n        total = total + i\n    return total\n';
const formula = ['m = len(range(n))', 'return m * (m - 1) // 2'];
/** Right on calls as large as the given ones and the longer ones made from them, wrong on larger ones. */
const cheat = ['m = len(range(n))', 'if m > 5000:', '    return 1', 'return m * (m - 1) // 2'];
const half = [
  'm = len(range(n))',
  'total = 0',
  'for i in range(m // 2):',
  '    total = total + m - 1',
  'return total + (m // 2 if m % 2 else 0)',
];

describe('a verdict', () => {
  let folder: string;
  let llm: TestLlm;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-verdict-'));
    llm = await startTestLlm({ script: 'plain' });
  });
  afterEach(() => Promise.all([rm(folder, { recursive: true, force: true }), llm.close()]));

  const answer = (lines: readonly string[]) => ({
    type: 'answer' as const,
    text: `Change: try it\n\n\`\`\`python\ndef count(n):\n${lines.map((line) => `    ${line}\n`).join('')}\`\`\``,
  });

  /** Models answer with these bodies of `count`, one a generation. */
  async function evolveCount(bodies: readonly (readonly string[])[], evaluate: string, ...args: string[]) {
    await writeFile(join(folder, 'count.py'), count);
    const backend = `[[llm.backends]]\nname = "scripted"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`;
    await writeFile(join(folder, '.peagen.toml'), `[evaluate]\n${evaluate}\n${backend}`);
    llm.script(...bodies.map(answer));
    const target = ['evolve', 'run', '--target-file', 'count.py', '--entry-fn', 'count', '--mutator', 'rewrite'];
    const limits = ['--population', '1', '--generations', String(bodies.length), '--seed', '1'];
    // What is right is asked here, and not how fast it is.
    const settings = ['--deterministic', '--no-confirm', '--sync', '--yes', '--json'];
    const command = [...target, ...limits, ...settings, ...args];
    const { status, lastJson, stderr } = await runPeagen(command, folder);
    assert.equal(status, 0, stderr);
    return { summary: RunSummary.parse(lastJson), stderr };
  }

  it('is "overfit" for a candidate that is right on the given calls only, and the next prompt shows its call', async () => {
    const given = 'inputs = "[[10], [200]]"\nheldout = "[[7]]"\nderive = false';
    const { summary } = await evolveCount([['return {10: 45, 200: 19900}.get(n, 0)'], formula], given);
    const outcomes = (await eventsOf(folder, summary.run)).flatMap((event) =>
      event.type === 'evaluated' ? [event.outcome] : [],
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ['overfit', 'correct'],
    );
    assert.deepEqual(outcomes[0]?.counterexample?.call.args, [7]);
    assert.equal(summary.overfit, 1);
    const prompt = llm.requests.at(-1)?.body.messages.at(-1)?.content ?? '';
    assert.match(prompt, /count\(7\)/);
    const report = await runPeagen(['evolve', 'report', summary.run], folder);
    assert.match(report.stdout, /1 overfit/);
    assert.match(report.stdout, /matches on the calls we have; add inputs: matches the original on 3 given and 0 derived calls/);
  });

  it('is taken back from a leader that a fresh call refutes, and the next leader is announced', async () => {
    const { summary } = await evolveCount([cheat, half], 'inputs = "[[300], [500]]"');
    const events = await eventsOf(folder, summary.run);
    const [refuted] = events.filter((event) => event.type === 'refuted');
    assert.ok(Number(refuted?.counterexample.call.args[0]) > 5000, JSON.stringify(summary));
    assert.ok(summary.best !== null && summary.overfitted.length === 1);
    assert.notEqual(summary.best.sha256, refuted?.sha256);
    assert.ok((summary.best.confidence?.attacked ?? 0) >= 200);
    assert.deepEqual(summary.confidence, summary.best.confidence);
    const report = await runPeagen(['evolve', 'report', summary.run], folder);
    assert.match(report.stdout, /wrong on a fresh call, and so not offered: count\(\d+\)/);
    assert.match(report.stdout, /^verified: matches the original on 2 given and \d+ derived calls/m);
  });

  const judge = async (original: string, changed: string, ...args: string[]) => {
    await writeFile(join(folder, 'text.py'), original);
    await writeFile(join(folder, 'changed.py'), changed);
    const target = ['--target-file', 'text.py', '--entry-fn', 'words', '--candidate', 'changed.py'];
    const { status, lastJson, stderr } = await runPeagen(['judge', ...target, '--sync', '--json', ...args], folder);
    return { status, stderr, verdict: Verdict.safeParse(lastJson).data };
  };
  const words = 'def words(text):\n    return sorted(set(text.lower().split()))\n';

  it('of a change names the smallest call that differs, though the given calls are all right', async () => {
    const { status, stderr, verdict } = await judge(words, words.replace('.lower()', ''), '--inputs', '[["a b a"]]');
    assert.equal(status, 1, stderr);
    assert.equal(verdict?.outcome.kind, 'wrong');
    const [text] = verdict?.outcome.counterexample?.call.args ?? [];
    assert.ok(typeof text === 'string' && text.length <= 2, JSON.stringify(verdict?.outcome));
    assert.match(stderr, /The change is wrong: .*words\("[\p{L}\d_]?\p{Lu}[\p{L}\d_]?"\)/u);
  });

  it('says of a right change what it rests on', async () => {
    const { status, stderr, verdict } = await judge(words, words.replace('set(', 'dict.fromkeys('));
    assert.equal(status, 0, stderr);
    assert.equal(verdict?.outcome.kind, 'correct');
    assert.ok((verdict?.confidence?.attacked ?? 0) > 0 && (verdict?.confidence?.derived ?? 0) > 10);
  });

  const sources = {
    'sum.py': 'def total(items):\n    found = 0\n    for item in items:\n        found = found + item\n    return found\n',
    'sum.js':
      'export function total(items) {\n  let found = 0;\n  for (const item of items) found = found + item;\n  return found;\n}\n',
    'sum.ts':
      'export function total(items: number[]): number {\n  let found = 0;\n  for (const item of items) found = found + item;\n  return found;\n}\n',
  };
  for (const [file, text] of Object.entries(sources)) {
    it(`needs no inputs for ${file}: they are made, and the plan and the run judge by the same`, async () => {
      await writeFile(join(folder, file), text);
      const command = ['evolve', 'run', '--target-file', file, '--entry-fn', 'total', '--sync', '--json'];
      const small = ['--generations', '1', '--population', '2', '--deterministic'];
      const [planned, ran] = await Promise.all([
        runPeagen([...command, ...small, '--dry-run'], folder),
        runPeagen([...command, ...small, '--no-confirm'], folder),
      ]);
      assert.equal(planned.status, 0, planned.stderr);
      const { spec } = RunPlan.parse(planned.lastJson);
      assert.equal(ran.status, 0, ran.stderr);
      const { run, confidence } = RunSummary.parse(ran.lastJson);
      const [started] = await eventsOf(folder, run);
      assert.ok(started?.type === 'started');
      assert.deepEqual(started.spec.evaluator, spec.evaluator);
      assert.ok(confidence !== undefined && confidence.given === 0 && confidence.derived + confidence.heldout >= 20);
    });
  }

  it('rests on the given calls alone with --no-derive, and says so', async () => {
    await writeFile(join(folder, 'count.py'), count);
    const target = ['--target-file', 'count.py', '--entry-fn', 'count', '--inputs', '[[10]]'];
    const { lastJson, stderr } = await runPeagen(
      ['evolve', 'run', ...target, '--no-derive', '--sync', '--dry-run', '--json'],
      folder,
    );
    const { spec } = RunPlan.parse(lastJson);
    assert.equal(spec.evaluator.options['derived'], undefined);
    assert.deepEqual([spec.confidence?.given, spec.confidence?.derived], [1, 0]);
    assert.match(stderr, /^note: Only the given calls are compared/m);
  });

  it('is not possible for a function that no call enters, which one line says before anything starts', async () => {
    await writeFile(join(folder, 'query.py'), 'def rows(connection):\n    return connection.execute("select 1").fetchall()\n');
    const target = ['--target-file', 'query.py', '--entry-fn', 'rows'];
    const { status, stderr } = await runPeagen(['evolve', 'run', ...target, '--sync'], folder);
    assert.equal(status, 3);
    assert.match(stderr, /^peagen: No call that Peagen made is accepted by rows: .* Give one call/m);
    assert.doesNotMatch(stderr, /^run /m);
  });
});
