/** The command evaluator on a real folder with real tests. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveJudging } from '../../../../daemon/engine/target/resolve.ts';
import { createCommandEvaluator } from '../../../../daemon/judging/command/command.ts';
import { builtinRegistry } from '../../../../daemon/plugins/builtin.ts';
import { Config } from '../../../../shared/config.ts';
import { contextOf, programOf } from '../judging.ts';

const slow = 'def total(n):\n    s = 0\n    for i in range(n * 1200):\n        s += i // 1200\n    return s\n';
const test =
  'import unittest\nfrom target import total\nclass T(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total(3000), 3000 * 2999 * 600)\n';

describe('the command evaluator', () => {
  const evaluator = createCommandEvaluator();
  let root: string;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'peagen-project-'));
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'target.py'), slow);
    writeFileSync(join(root, 'test_target.py'), test);
    mkdirSync(join(root, 'node_modules'));
    writeFileSync(join(root, 'node_modules', 'installed.txt'), 'x');
  });
  after(() => rmSync(root, { recursive: true }));
  const prepare = async (command: string, metrics: unknown[] = []) =>
    await evaluator.prepare(
      programOf('python', slow),
      { name: 'command', options: { command, root, metrics } },
      await contextOf(),
    );
  const unittest = 'python3 -m unittest -q';

  it('measures a right candidate with an interval, and calls a broken one wrong with what the test said', async () => {
    const { basis } = await prepare(unittest);
    const context = await contextOf();
    const better = await evaluator.judge(programOf('python', 'def total(n):\n    return n * (n - 1) * 600\n'), basis, context);
    assert.equal(better.outcome.kind, 'correct', better.outcome.detail);
    const { speedup = 0, speedup_low: low = 0, speedup_high: high = 0, speed_ms: ms = 0 } = better.metrics;
    assert.ok(0 < low && low <= speedup && speedup <= high && ms > 0, JSON.stringify(better.metrics));
    const broken = await evaluator.judge(programOf('python', 'def total(n):\n    return 1\n'), basis, context);
    assert.equal(broken.outcome.kind, 'wrong');
    assert.match(broken.outcome.detail, /AssertionError: 1 != /);
  });

  it('measures which part of the command is spent in the program, and nothing where it is not called', async () => {
    const share = async (command: string) => (await prepare(command)).execution.metrics['program_share'];
    const [most = 0, least = 1] = [await share(unittest), await share('python3 -c "import target; target.total(1)"')];
    assert.ok(least < most && most <= 1 && least < 0.1, `${least} of one call, ${most} of the test`);
    assert.equal(await share('true'), undefined);
  });

  it('judges one program after the other in a folder of many files, which each sees through an overlay of its own', async () => {
    const many = join(root, 'many');
    mkdirSync(many);
    for (let i = 0; i < 60; i++) writeFileSync(join(many, `${i}.txt`), `${i}`);
    try {
      const { basis } = await prepare('python3 -m unittest -q && test "$(ls many | wc -l)" = 60');
      const context = await contextOf();
      for (const body of ['n * (n - 1) * 600', '(n * n - n) * 600', '600 * n * (n - 1)']) {
        const { outcome } = await evaluator.judge(programOf('python', `def total(n):\n    return ${body}\n`), basis, context);
        assert.equal(outcome.kind, 'correct', outcome.detail);
      }
    } finally {
      rmSync(many, { recursive: true });
    }
  });

  it('takes numbers from what the command prints', async () => {
    const command = `python3 -c "import target; print('{\\"speed_ms\\": 7, \\"score\\": 3}')"`;
    const { execution } = await prepare(command, [{ from: 'json' }]);
    assert.equal(execution.metrics['speed_ms'], 7);
    assert.equal(execution.metrics['score'], 3);
  });

  it('takes them from where the configuration says: JSON, a pattern, a JUnit report', async () => {
    const metrics = [
      { from: 'regex', name: 'speed_ms', pattern: 'took (\\d+) ms' },
      { from: 'junit', path: 'r.xml' },
    ] as const;
    const report = '<testsuite tests="4" failures="0" time="0.5"/>';
    const command = `python3 -c "import target; print('took 7 ms')" && echo '${report}' > r.xml`;
    const config = Config.parse({ evaluate: { evaluator: 'command', command, metrics } });
    const target = { root, path: 'target.py' };
    const { spec, program } = await resolveJudging(
      { target, evaluator: { name: 'command', options: { command } } },
      config,
      builtinRegistry(),
    );
    const { execution } = await evaluator.prepare(program, spec, await contextOf());
    assert.deepEqual([execution.metrics['speed_ms'], execution.metrics['tests'], execution.metrics['test_ms']], [7, 4, 500]);
  });

  it('leaves the workspace alone, whatever the command does to its copy', async () => {
    const command =
      'rm -f test_target.py; echo evil > target.py; echo x > made.txt; (echo x > node_modules/made.txt) 2>/dev/null; cat node_modules/installed.txt';
    const { execution } = await prepare(command);
    assert.equal(execution.outcome.kind, 'correct');
    assert.equal(readFileSync(join(root, 'target.py'), 'utf8'), slow);
    assert.deepEqual(readdirSync(root).sort(), ['node_modules', 'target.py', 'test_target.py']);
    assert.equal(existsSync(join(root, 'node_modules', 'made.txt')), false);
  });

  it('starts every run from a fresh copy', async () => {
    const { execution } = await prepare('test ! -e seen && touch seen');
    assert.equal(execution.outcome.kind, 'correct');
  });

  it('lets a command write into, replace and remove what is there, without the next run or the workspace seeing it', async () => {
    mkdirSync(join(root, 'data'));
    writeFileSync(join(root, 'data', 'old.txt'), 'old');
    const command =
      'test "$(cat data/old.txt)" = old && echo new > data/old.txt && rm test_target.py && mkdir data/more && touch data/more/x';
    const { execution } = await prepare(command);
    assert.equal(execution.outcome.kind, 'correct');
    assert.equal(readFileSync(join(root, 'data', 'old.txt'), 'utf8'), 'old');
    assert.deepEqual(readdirSync(join(root, 'data')), ['old.txt']);
  });

  it('sees a file that the user has changed since', async () => {
    const seen = async (text: string) => {
      writeFileSync(join(root, 'setting.txt'), text);
      const { execution } = await prepare(`test "$(cat setting.txt)" = ${text}`);
      return execution.outcome.kind;
    };
    assert.equal(await seen('one'), 'correct');
    assert.equal(await seen('two'), 'correct');
  });

  it('lays a candidate over folders that the base does not have', async () => {
    const program = programOf('python', slow);
    const deep = { ...program, files: [{ path: 'a/b/c.txt', text: 'deep' }, ...program.files] };
    const spec = { name: 'command', options: { command: 'test "$(cat a/b/c.txt)" = deep && touch a/b/made a/made', root } };
    const { execution } = await evaluator.prepare(deep, spec, await contextOf());
    assert.equal(execution.outcome.kind, 'correct');
  });

  it('refuses a command that fails on the original', async () => {
    await assert.rejects(prepare('exit 3'), /The command fails on the original: exit 3: ended with status 3/);
  });

  it('refuses a folder that is not there, and a pattern that is none', async () => {
    const spec = { name: 'command', options: { command: 'true', root: '/nowhere' } };
    await assert.rejects(evaluator.prepare(programOf('python', slow), spec, await contextOf()), /\/nowhere cannot be read/);
    await assert.rejects(prepare('true', [{ from: 'regex', name: 'x', pattern: '(' }]), /is not a regular expression/);
  });

  it('does not read a report through a link that leads out of the copy', async () => {
    writeFileSync(join(tmpdir(), 'peagen-outside.xml'), '<testsuite tests="99"/>');
    const linked = `ln -s ${join(tmpdir(), 'peagen-outside.xml')} r.xml`;
    await assert.rejects(prepare(linked, [{ from: 'junit', path: 'r.xml' }]), /it does not write the JUnit report r\.xml/);
    rmSync(join(tmpdir(), 'peagen-outside.xml'));
  });

  it('says which number the command does not tell of, rather than to go by its duration', async () => {
    const regex = { from: 'regex', name: 'speed_ms', pattern: 'took (\\d+) ms' };
    await assert.rejects(prepare('echo took long', [regex]), /has a number for speed_ms by took \(\\d\+\) ms/);
    await assert.rejects(prepare('echo 7', [{ from: 'json' }]), /no line of its standard output is a JSON object with numbers/);
    await assert.rejects(prepare('echo 7 ms', [{ ...regex, pattern: '\\d+ ms' }]), /no group for its number/);
  });

  it('shows a node_modules that is a link to another folder', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'peagen-modules-'));
    const linked = mkdtempSync(join(tmpdir(), 'peagen-linked-'));
    try {
      writeFileSync(join(elsewhere, 'installed.txt'), 'x');
      symlinkSync(elsewhere, join(linked, 'node_modules'));
      for (const folder of [elsewhere, linked]) chmodSync(folder, 0o755);
      process.env['PEAGEN_ALLOW_FOLDERS'] = elsewhere;
      const options = { command: 'test "$(cat node_modules/installed.txt)" = x && ! touch node_modules/made', root: linked };
      const spec = { name: 'command', options };
      const { execution } = await evaluator.prepare(programOf('python', slow), spec, await contextOf());
      assert.equal(execution.outcome.kind, 'correct');
      assert.deepEqual(readdirSync(elsewhere), ['installed.txt']);
    } finally {
      delete process.env['PEAGEN_ALLOW_FOLDERS'];
      for (const folder of [elsewhere, linked]) rmSync(folder, { recursive: true });
    }
  });

  it('leaves no copy behind', () => {
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`peagen-copy-${process.pid}-`)),
      [],
    );
  });
});
