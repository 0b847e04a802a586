import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRoot } from '../../../daemon/version.ts';
import { PeagenError } from '../../../shared/errors.ts';

describe('the root of an installation', () => {
  it('is the nearest folder above that has a package.json', () => {
    assert.equal(findRoot(join(import.meta.dirname, 'nowhere', 'at', 'all')), join(import.meta.dirname, '..', '..', '..'));
  });

  it('is missed in words where there is none above', () => {
    const folder = mkdtempSync(join(tmpdir(), 'peagen-root-'));
    try {
      assert.throws(
        () => findRoot(folder),
        (error) => error instanceof PeagenError && error.message.includes(folder) && /Install/.test(error.line),
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
