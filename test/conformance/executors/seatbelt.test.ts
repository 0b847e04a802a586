/**
 * The tier of macOS. Its limits, its files and its end are tried here with a program that takes the place of sandbox-exec and
 * isolates nothing, which the tier must notice; the sandbox itself only on a Mac.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeatbeltTier } from '../../../daemon/executors/seatbelt/seatbelt.ts';
import { executorConformance } from './executor.ts';

describe('the sandbox of macOS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-seatbelt-'));
  const stub = join(folder, 'sandbox-exec');
  // Another user of the machine may run it.
  chmodSync(folder, 0o755);
  writeFileSync(stub, '#!/bin/bash\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n', { mode: 0o755 });
  after(() => rmSync(folder, { recursive: true }));

  it('says where it is not, and is not believed where it contains nothing', async () => {
    if (process.platform !== 'darwin')
      assert.equal(await createSeatbeltTier().unavailable(), 'sandbox-exec exists on macOS only.');
    const open = await createSeatbeltTier(stub).unavailable();
    assert.equal(open, 'sandbox-exec does not contain programs here: a program in it reads files of yours.');
    const missing = await createSeatbeltTier(join(folder, 'none')).unavailable();
    assert.match(missing ?? '', /^sandbox-exec does not work here \(exit, code 127\)/);
  });

  it('contains a program that reads, writes, connects and signals, on a Mac', async function () {
    if (process.platform !== 'darwin') {
      console.warn('skipped: sandbox-exec exists on macOS only');
      this.skip();
    }
    assert.equal(await createSeatbeltTier().unavailable(), undefined);
  });

  executorConformance(
    'seatbelt, without its isolation',
    () => createSeatbeltTier(stub),
    async () => undefined,
  );
});
