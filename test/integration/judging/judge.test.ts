/** `peagen judge`: a user's own change against the original, through the queue, in real sandboxes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Verdict } from '../../../shared/protocol/targets.ts';
import { runPeagen } from '../../peagen.ts';

const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort');

describe('peagen judge', () => {
  let folder: string;
  let original: string;
  before(async () => {
    original = await readFile(join(sample, 'bad_sort.py'), 'utf8');
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-judge-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function judge(text: string, ...options: string[]) {
    await writeFile(join(folder, 'changed.py'), text);
    const ended = await runPeagen(['judge', sample, '--candidate', 'changed.py', '--sync', '--json', ...options], folder);
    return { ...ended, verdict: Verdict.safeParse(ended.lastJson).data };
  }

  it('measures a right change, on the held-out inputs too, and leaves no run behind', async () => {
    const shorter = ' - i';
    const changed = original.replace('rounds = 2', 'rounds = 1').replace('(len(result) - 1)', `(len(result) - 1${shorter})`);
    const { status, verdict, stderr } = await judge(changed, '--no-derive');
    assert.equal(status, 0, stderr);
    assert.ok(verdict?.speedup, JSON.stringify(verdict));
    assert.ok(verdict.speedup.low <= verdict.speedup.ratio && verdict.speedup.ratio <= verdict.speedup.high);
    assert.deepEqual([verdict.outcome.kind, verdict.heldout?.kind], ['correct', 'correct']);
    assert.ok((verdict.before.speed_ms ?? 0) > 0 && (verdict.after.speed_ms ?? 0) > 0);
    assert.ok((verdict.before.peak_kb ?? 0) > 0 && (verdict.after.peak_kb ?? 0) > 0);
    assert.equal((verdict.before.size ?? 0) + shorter.length, verdict.after.size);
    assert.match(verdict.diff, /-\s+rounds = 2\n\+\s+rounds = 1/);
    assert.deepEqual(
      (await readdir(join(folder, '.peagen')).catch(() => [])).filter((name) => name === 'runs'),
      [],
    );
  });

  it('fails for a wrong change, with the call that came out otherwise', async () => {
    const { status, verdict, stderr } = await judge(original.replace('left > right', 'left < right'), '--no-derive');
    assert.equal(status, 1);
    assert.ok(verdict !== undefined && ['wrong', 'crashed'].includes(verdict.outcome.kind), JSON.stringify(verdict));
    assert.equal(verdict.speedup, null);
    assert.match(stderr, /^peagen: The change (is wrong|crashes): .*bad_sort/m);
  });

  it('shows what a candidate raises without the characters that steer a terminal', async () => {
    const raises = 'def bad_sort(items):\n    raise ValueError("\\x1b]0;owned\\x07\\u202e")\n';
    const { status, stderr, stdout } = await judge(raises, '--no-derive');
    assert.equal(status, 1);
    assert.match(stderr, /\\u001b\]0;owned\\u0007/);
    assert.doesNotMatch(stdout + stderr, /(?!\n)\p{Cc}|\u202e/u);
  });

  it('says in its outcome that no call runs what changes', async () => {
    const lines = ['import hashlib', '', '', 'def fee(code: str, amounts: list[int]):', '    total = sum(amounts)'];
    lines.push(
      '    if hashlib.sha256(code.encode()).hexdigest().startswith("c0ffee12"):',
      '        total = total + 7',
      '    return total',
    );
    await writeFile(join(folder, 'fee.py'), `${lines.join('\n')}\n`);
    await writeFile(join(folder, 'changed.py'), `${lines.join('\n').replace('+ 7', '+ 8')}\n`);
    const asked = ['judge', '--target-file', 'fee.py', '--entry-fn', 'fee', '--candidate', 'changed.py', '--sync'];
    const { status, stdout } = await runPeagen(asked, folder);
    assert.equal(status, 0);
    assert.match(stdout, /^outcome +correct on (\d+) of \1 calls, but no call runs line 7, where it differs from the original$/m);
  });

  it('refuses a text without the function, and names what is there', async () => {
    const { status, stderr } = await judge(original.replace('def bad_sort(', 'def sort_badly('));
    assert.equal(status, 2);
    assert.match(stderr, /no function "bad_sort".*sort_badly/);
  });

  it('compares two git revisions of a function, and the file as it is with one of them', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-C', folder, ...args], { encoding: 'utf8' });
    const file = join(folder, 'total.py');
    const slow =
      'def total(items):\n    result = 0\n    for a in items:\n        for b in items:\n            result += a * b\n    return result\n';
    git('init', '--quiet');
    await writeFile(file, slow);
    git('add', 'total.py');
    git('commit', '--quiet', '-m', 'one');
    await writeFile(file, 'def total(items):\n    return sum(items) ** 2\n');
    git('commit', '--quiet', '-am', 'two');
    const about = ['--target-file', 'total.py', '--entry-fn', 'total', '--inputs', JSON.stringify([[[...Array(80).keys()]]])];
    const judgeRevisions = (base: string, ...more: string[]) =>
      runPeagen(['judge', ...about, '--base', base, '--no-derive', '--sync', ...more], folder);

    const { status, stdout, stderr } = await judgeRevisions('HEAD~1..HEAD');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^total\.py at HEAD against total\.py at HEAD~1$/m);
    assert.match(stdout, /^outcome +correct/m);
    assert.match(stdout, /^speed +\d+(\.\d\d)?× faster \(95 % interval [\d.]+ to [\d.]+\)$/m);
    for (const name of ['time', 'memory', 'operations', 'size'])
      assert.match(stdout, new RegExp(`^${name} +[\\d.]+ → [\\d.]+`, 'm'));

    await writeFile(file, slow.replace('a * b', 'a + b'));
    const wrong = await judgeRevisions('HEAD', '--json');
    assert.equal(wrong.status, 1);
    assert.equal(Verdict.parse(wrong.lastJson).outcome.kind, 'wrong');

    const unknown = await judgeRevisions('nowhere');
    assert.equal(unknown.status, 2);
    assert.match(unknown.stderr, /There is no git revision "nowhere"/);
  });
});
