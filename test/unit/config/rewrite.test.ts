import assert from 'node:assert/strict';
import { parse } from 'smol-toml';
import { upgradeText, withPackages } from '../../../daemon/config/rewrite.ts';

describe('upgrading a configuration file', () => {
  it('renames an older key in its own table only, and keeps comments', () => {
    const { text, renamed } = upgradeText('# mine\n[task_queue]\nidle_ms = 5 # short\n[other]\nidle_ms = 1\n');
    assert.equal(text, '# mine\n[task_queue]\nlease_ms = 5 # short\n[other]\nidle_ms = 1\n');
    assert.deepEqual(renamed, ['line 3: task_queue.idle_ms is now task_queue.lease_ms']);
  });

  it('leaves a file without older keys as it is', () => {
    assert.deepEqual(upgradeText('[evolve]\nseed = 1\n'), { text: '[evolve]\nseed = 1\n', renamed: [] });
  });
});

describe('the list of plugin packages in a configuration file', () => {
  for (const [name, text] of [
    ['no table', '[evolve]\nseed = 1\n'],
    ['an empty file', ''],
    ['an empty table', '[plugins]\n\n[evolve]\nseed = 1\n'],
    ['a list on one line', '[plugins]\npackages = ["old"]\n\n[evolve]\nseed = 1\n'],
    ['a list over several lines', '[plugins]\npackages = [\n  "old",\n  "older",\n]\n[evolve]\nseed = 1\n'],
  ] as const) {
    it(`is written into a file with ${name}, and nothing else changes`, () => {
      const plain = (toml: string): unknown => JSON.parse(JSON.stringify(parse(toml)));
      const before = plain(text);
      const after = plain(withPackages(text, ['a', '@b/c']));
      assert.deepEqual(after, Object.assign({}, before, { plugins: { packages: ['a', '@b/c'] } }));
    });
  }
});
