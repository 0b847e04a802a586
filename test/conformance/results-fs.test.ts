import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpack } from '../../daemon/fabric/msgpack.ts';
import { FsResultStore } from '../../daemon/fabric/results/fs.ts';
import { newTaskId } from '../../shared/ids.ts';
import { okResult } from './queue-setup.ts';
import { resultsConformance } from './results-cases.ts';

for (const compress of [true, false]) {
  describe(compress ? 'compressed' : 'not compressed', () => {
    const root = mkdtempSync(join(tmpdir(), 'peagen-results-'));
    after(() => rmSync(root, { recursive: true, force: true }));
    resultsConformance('file system', async () => new FsResultStore(join(root, 'results'), { compress }));
  });
}

describe('the file system result store', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'peagen-results-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const store = () => new FsResultStore(root, { compress: true });

  it('writes one gzip MessagePack file per result under its date, and leaves nothing else', async () => {
    const result = okResult(newTaskId());
    await store().put(result);
    const file = join(root, '2026-01-31', `${result.task_id}.msgpack.gz`);
    assert.deepEqual(unpack(gunzipSync(readFileSync(file))), result);
    assert.deepEqual(readdirSync(join(root, '.incoming')), []);
  });

  it('finds results that were written with the other setting of compress', async () => {
    const result = okResult(newTaskId());
    await new FsResultStore(root, { compress: false }).put(result);
    assert.deepEqual(await store().get(result.task_id), result);
    assert.equal(await store().put({ ...result, data: 'other' }), false);
  });

  it('takes over from a writer that was killed in the middle', async () => {
    const result = okResult(newTaskId());
    mkdirSync(join(root, '.incoming'));
    const torn = join(root, '.incoming', result.task_id);
    writeFileSync(torn, 'half');
    utimesSync(torn, 0, 0);
    assert.equal(await store().put(result), true);
    assert.deepEqual(await store().get(result.task_id), result);
  });

  it('says what is wrong when it cannot write, and works again afterwards', async () => {
    const blocked = join(root, 'file');
    writeFileSync(blocked, '');
    const inside = new FsResultStore(join(blocked, 'results'), { compress: true });
    const result = okResult(newTaskId());
    await assert.rejects(inside.put(result), { code: 'storage_failed', retryable: true });
    rmSync(blocked);
    assert.equal(await inside.put(result), true);
  });

  it('refuses a damaged file, naming the task', async () => {
    const result = okResult(newTaskId());
    await store().put(result);
    writeFileSync(join(root, '2026-01-31', `${result.task_id}.msgpack.gz`), 'damaged');
    await assert.rejects(store().get(result.task_id), (error: Error) => error.message.includes(result.task_id));
  });

  it('answers a full disk with storage_failed and keeps nothing half written', async function () {
    const full = join(root, 'full');
    mkdirSync(full);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', full], { stdio: 'ignore' });
    } catch {
      console.log('skipped: mounting a small file system needs root');
      this.skip();
    }
    try {
      const small = new FsResultStore(full, { compress: false });
      const big = okResult(newTaskId(), 'x'.repeat(200_000));
      await assert.rejects(small.put(big), (error: Error) => /disk is full/.test(JSON.stringify(error)));
      assert.deepEqual(readdirSync(join(full, '.incoming')), []);
      const result = okResult(newTaskId());
      assert.equal(await small.put(result), true);
      assert.deepEqual(await small.get(result.task_id), result);
    } finally {
      execFileSync('umount', [full]);
    }
  });
});
