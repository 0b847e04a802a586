import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { textSha } from '../../../daemon/evolution/hash.ts';
import { ObjectStore } from '../../../daemon/evolution/objects.ts';
import { PeagenError } from '../../../shared/errors.ts';

describe('objects', () => {
  let root: string;
  let store: ObjectStore;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'peagen-objects-'));
    store = new ObjectStore(join(root, 'objects'));
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  const files = async () =>
    (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name);

  it('gives back every text by its SHA-256', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2000 }), async (text) => {
        const sha = await store.put(text);
        assert.equal(sha, textSha(text));
        assert.equal(await store.get(sha), text);
      }),
      { numRuns: 50 },
    );
  });

  it('knows nothing of a text that was never put', async () => {
    assert.equal(await store.get(textSha('nothing')), undefined);
  });

  it('stores a text once, also when many put it at the same time from several stores', async () => {
    const other = new ObjectStore(join(root, 'objects'));
    await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? store : other).put('the same')));
    assert.equal((await files()).length, 1);
    assert.equal(await store.get(textSha('the same')), 'the same');
  });

  it('leaves no half-written text under its name, and no draft behind, when writing fails', async () => {
    const blocked = new ObjectStore(join(root, 'file', 'objects'));
    await writeFile(join(root, 'file'), 'in the way');
    await assert.rejects(blocked.put('text'), (error) => error instanceof PeagenError && error.code === 'storage_failed');
    assert.deepEqual(await files(), ['file']);
  });

  it('notices a text that was changed or cut behind its back', async () => {
    const sha = await store.put('a text that matters');
    const path = join(root, 'objects', sha.slice(0, 2), sha.slice(2));
    await truncate(path, 6);
    await assert.rejects(store.get(sha), (error) => error instanceof PeagenError && error.message.includes(path));
  });
});
