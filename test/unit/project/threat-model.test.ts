/** The page of the threat model names tests that exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the threat model', () => {
  it('names a test that exists for every promise, and for every attack that once succeeded', () => {
    const text = readFileSync(join(root, 'media', 'docs', 'threat-model.md'), 'utf8');
    for (const section of ['Promises', 'What once succeeded']) {
      const [, found = ''] = new RegExp(`## ${section}[^\\n]*\\n([\\s\\S]*?)\\n## `).exec(text) ?? [];
      const rows = found.split('\n').filter((line) => /^\| [A-Z`]/.test(line));
      assert.ok(rows.length > 10, `${section}: ${rows.length}`);
      for (const row of rows) {
        const named = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
        assert.ok(named.length > 0, row);
        for (const path of named) assert.ok(existsSync(join(root, path)), path);
      }
    }
  });
});
