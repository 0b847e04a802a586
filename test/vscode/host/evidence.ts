import assert from 'node:assert/strict';
import { changeText } from '../../../extension/commands/candidates/after-review.ts';
import { evidence } from '../../../extension/views/evidence.ts';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import { EvaluatorSpec, type Outcome } from '../../../shared/judging.ts';
import { EliteDetail, type RunInfo } from '../../../shared/run.ts';

const run = RunId.parse('20261121-080000-0123456789ab');
const sha256 = Sha256.parse('a'.repeat(64));
const info: RunInfo = {
  run,
  state: 'finished',
  target: { root: '/w', path: 'a.py', entry_fn: 'f' },
  started_at: '2026-11-21T08:00:00.000Z',
  generation: 4,
  max_generations: 4,
  candidates: 9,
  evaluated: 9,
  correct: 7,
  best: 2,
  stats: { coverage: 3, qd_score: 4, best: 2 },
  axes: [{ name: 'size', bin: 40, unit: 'characters' }],
  tokens: { prompt: 0, completion: 0 },
};

const passed = { tests: 5, failures: 0 };

function detailOf(
  evaluator: EvaluatorSpec,
  outcome: Partial<Outcome>,
  artifacts?: Record<string, string>,
  metrics: Record<string, number> = passed,
): EliteDetail {
  const elite = { sha256, niche: '3', fitness: 2, features: [120], metrics, generation: 2, index: 7 };
  const made = { parents: [], mutator: 'structural', summary: 'delete statement at line 3: x = 1' };
  return EliteDetail.parse({
    run,
    elite: { ...elite, ...made },
    changes: [{ path: 'a.py', before: 'a', after: 'b' }],
    origin: made,
    outcome: { kind: 'correct', ...outcome },
    judged_by: evaluator,
    artifacts,
  });
}

function told(...of: Parameters<typeof detailOf>): string[] {
  return evidence(info, detailOf(...of), { calls: [], heldout: [] }).split('\n');
}

describe('the evidence for an elite', () => {
  const command = EvaluatorSpec.parse({ name: 'command', options: { command: 'npm test -- a.py', root: '/w' } });

  it('names the command that judged it, how that ended, and what it counted', () => {
    const lines = told(command, {});
    assert.ok(lines.includes('    npm test -- a.py'), lines.join('\n'));
    assert.ok(lines.includes('It exited with status 0.'));
    assert.ok(lines.includes('| tests | 5 |'));
  });

  it('shows the excerpt of what went wrong', () => {
    const lines = told(command, { kind: 'wrong', detail: 'AssertionError: 3\n!= 4' });
    assert.ok(lines.includes('- Outcome: wrong, "AssertionError: 3\\\\n!= 4"'), lines.join('\n'));
    assert.ok(lines.includes('It did not pass.'));
  });

  it("names somebody else's evaluator, and shows what the evaluation wrote in lines that nothing in them ends", () => {
    const folder = EvaluatorSpec.parse({ name: 'openevolve', options: { root: '/w/puzzle', file: 'evaluator.py' } });
    const lines = told(folder, {}, { stderr: 'one\n# two\r\n```\n', 'a\n# b': '' });
    for (const line of ['## Evaluator openevolve', '    /w/puzzle: evaluator.py', 'It gave the candidate a score.'])
      assert.ok(lines.includes(line), `${line}\n\n${lines.join('\n')}`);
    const at = lines.indexOf('## Written: "stderr"');
    assert.deepEqual(lines.slice(at, at + 5), ['## Written: "stderr"', '', '    one', '    # two', '    ```']);
    assert.ok(lines.includes('## Written: "a\\\\n# b"'));
  });

  it('says what was measured in words, and by how much slower in the terms of slower', () => {
    const metrics = { mine: 7, speedup: 0.7, speedup_low: 0.5, speedup_high: 0.8, speed_ms: 1.23456789 };
    const lines = told(command, {}, undefined, metrics);
    assert.equal(lines[0], '# f: 1.43× slower (1.25 to 2.00), 1.23 ms');
    const from = lines.indexOf('| time, in ms | 1.23457 |');
    const after = ['| speed-up | 0.7 |', '| speed-up, at least | 0.5 |', '| speed-up, at most | 0.8 |', '| mine | 7 |'];
    assert.deepEqual(lines.slice(from + 1, from + 5), after, lines.join('\n'));
  });

  it('gives the interval alone where its edge is the reading in the middle, as of the few of a search', () => {
    const first = (speedup: number, low: number, high: number) =>
      told(command, {}, undefined, { speedup, speedup_low: low, speedup_high: high })[0];
    assert.equal(first(1.15, 1.15, 1.44), '# f: 1.15 to 1.44× faster');
    assert.equal(first(1 / 1.24, 1 / 1.24, 1 / 1.05), '# f: 1.05 to 1.24× slower');
  });

  it('makes the text of a commit, which begins with what it gains', () => {
    const metrics = { speedup: 2.1, speedup_low: 2, speedup_high: 2.2 };
    const fast = { ...info, baseline: { fitness: 1, is_speedup: true } };
    const lines = changeText(fast, detailOf(command, {}, undefined, metrics)).split('\n');
    assert.deepEqual(lines.slice(0, 6), [
      'Make f 2.00× faster',
      '',
      'Delete statement at line 3: x = 1. Found by the offline search, generation 2.',
      '',
      '- Measured: 2.10× faster (2.00 to 2.20)',
      '- Files changed: a.py',
    ]);
  });

  it('shows what a program or a model says as it is, also where Markdown would make a picture of it', () => {
    const lines = told(command, { kind: 'wrong', detail: '<img src="https://there.example/a.png">' });
    assert.ok(lines.includes('- Outcome: wrong, "\\<img src=\\\\"https://there.example/a.png\\\\"\\>"'), lines.join('\n'));
  });

  it('says of an evaluator of a plugin what it is called', () => {
    assert.ok(told(EvaluatorSpec.parse({ name: 'my-judge' }), {}).includes('## Evaluator my-judge'));
  });
});
