/** What the editor has kept, of reviews on disk and of answers in its state, may have been changed by anybody. Seeded; a failure prints the input. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import * as vscode from 'vscode';
import { judgingLabel, remembered } from '../../../extension/judging/remembered.ts';
import { StoredReviews } from '../../../extension/review/stored.ts';

const settings = { seed: 20_260_131, numRuns: 200 };
const json = fc.jsonValue({ maxDepth: 4 });
/** A value of the expected shape in which something may be anything. */
const shaped = (...makes: ((value: unknown) => unknown)[]) => fc.oneof(json, ...makes.map((make) => json.map(make)));

const proposal = {
  id: 'a',
  root: 'file:///w',
  title: '',
  why: '',
  metrics: '',
  changes: [{ path: 'f.py', before: 'a\n', after: 'b\n' }],
};
const files = [{ uri: 'file:///w/f.py', kind: 'edit', states: {} }];

describe('what the editor has kept', () => {
  it('of reviews is a review, or left out with a line in the log', async () => {
    const storage = mkdtempSync(join(tmpdir(), 'peagen-stored-'));
    await vscode.workspace.fs.createDirectory(vscode.Uri.file(join(storage, 'reviews')));
    const warnings: string[] = [];
    const log = { warn: (line: string) => warnings.push(line) } as unknown as vscode.LogOutputChannel;
    const none = { list: () => [], onDidChange: () => new vscode.Disposable(() => undefined) } as never;
    const reviews = new StoredReviews(none, vscode.Uri.file(storage), log);
    const texts = fc.oneof(
      fc.string(),
      shaped(
        (id) => ({ proposal: { ...proposal, id }, files }),
        (root) => ({ proposal: { ...proposal, root }, files }),
        (path) => ({ proposal: { ...proposal, changes: [{ path, before: '', after: '' }] }, files }),
        (uri) => ({ proposal, files: [{ uri, kind: 'edit', states: {} }] }),
        (states) => ({ proposal, files: [{ uri: 'file:///w/f.py', kind: 'edit', states }] }),
        (kind) => ({ proposal, files: [{ uri: 'file:///w/f.py', kind, states: { 1: 'accepted' } }] }),
      ).map((value) => JSON.stringify(value)),
    );
    const read = async (text: string) => {
      warnings.length = 0;
      writeFileSync(join(storage, 'reviews', 'one.json'), text);
      return (await reviews.read()).length;
    };
    try {
      assert.equal(await read(JSON.stringify({ proposal, files })), 1);
      await fc.assert(
        fc.asyncProperty(texts, async (text) => {
          assert.equal((await read(text)) + warnings.length, 1);
        }),
        settings,
      );
    } finally {
      reviews.dispose();
      rmSync(storage, { recursive: true });
    }
  });

  it('of how a function is judged is one of the ways, or nothing', () => {
    const ways = shaped(
      (judging) => ({ judging }),
      (calls) => ({ judging: { kind: 'calls', calls, derived: [], heldout: [] } }),
      (text) => ({ judging: { kind: 'typed', text } }),
      (evaluator) => ({ judging: { kind: 'way', label: 'x', evaluator } }),
      (run_timeout) => ({ judging: { kind: 'made' }, limits: { run_timeout } }),
      (metric) => ({ goal: { metric, direction: 'min' } }),
    );
    const target = { root: '/w', path: 'f.py', entry_fn: 'f' };
    const from = (value: unknown) => remembered({ get: () => value } as unknown as vscode.Memento, target);
    assert.deepEqual(from({ judging: { kind: 'made' } }).judging, { kind: 'made' });
    fc.assert(
      fc.property(ways, (value) => {
        const { judging, goal } = from(value);
        assert.ok(judging === undefined || judgingLabel(judging) !== '');
        assert.ok(goal === undefined || goal.metric !== '');
      }),
      settings,
    );
  });
});
