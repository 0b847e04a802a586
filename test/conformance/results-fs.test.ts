import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { unpack } from '../../daemon/fabric/msgpack.ts';
import * as source from '../../daemon/fabric/results/fs.ts';
import { newTaskId } from '../../shared/ids.ts';
import { bundleDaemon } from '../bundle.ts';
import { okResult } from './queue/queue-setup.ts';
import { resultsConformance } from './results-cases.ts';

const shipping = mkdtempSync(join(tmpdir(), 'peagen-results-'));
await bundleDaemon({ fs: 'daemon/fabric/results/fs.ts' }, shipping);
const shipped: typeof import('../../daemon/fabric/results/fs.ts') = await import(join(shipping, 'fs.js'));
after(() => rmSync(shipping, { recursive: true, force: true }));

for (const [form, FsResultStore] of [
  ['from its source', source.FsResultStore],
  ['as it ships', shipped.FsResultStore],
] as const) {
  for (const compress of [true, false]) {
    describe(`${form}, ${compress ? 'compressed' : 'not compressed'}`, () => {
      const root = mkdtempSync(join(tmpdir(), 'peagen-results-'));
      after(() => rmSync(root, { recursive: true, force: true }));
      resultsConformance('file system', async () => new FsResultStore(join(root, 'results'), { compress }));
    });
  }
  describe(`the file system result store, ${form}`, () => fileSystemCases(FsResultStore));
}

function fileSystemCases(FsResultStore: typeof source.FsResultStore): void {
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

  /** As another writer of the same task holds it, or a killed one left it, that many milliseconds ago. */
  function lock(id: string, ageMs: number): string {
    const path = join(root, '.incoming', id);
    mkdirSync(path, { recursive: true });
    const then = new Date(Date.now() - ageMs);
    utimesSync(path, then, then);
    return path;
  }

  it('takes over from a writer that was killed in the middle, after waiting for it', async () => {
    const result = okResult(newTaskId());
    lock(result.task_id, 4800);
    assert.equal(await store().put(result), true);
    assert.deepEqual(await store().get(result.task_id), result);
    assert.deepEqual(readdirSync(join(root, '.incoming')), []);
  });

  it('waits for a writer that is at work', async () => {
    const result = okResult(newTaskId());
    const held = lock(result.task_id, 0);
    const put = store().put(result);
    await delay(100);
    assert.equal(await store().get(result.task_id), undefined);
    rmdirSync(held);
    assert.equal(await put, true);
    assert.deepEqual(await store().get(result.task_id), result);
  });

  it('leaves no lock behind where a result cannot be put in its place', async () => {
    const result = okResult(newTaskId());
    const inTheWay = join(root, '2026-01-31');
    writeFileSync(inTheWay, '');
    await assert.rejects(store().put(result), { code: 'storage_failed', retryable: true });
    assert.deepEqual(readdirSync(join(root, '.incoming')), []);
    rmSync(inTheWay);
    assert.equal(await store().put(result), true);
  });

  it('keeps git out of .peagen, whatever makes that folder first, and what the user ignores there', async () => {
    const kept = new FsResultStore(join(root, '.peagen', 'results'), { compress: true });
    await kept.put(okResult(newTaskId()));
    const ignored = join(root, '.peagen', '.gitignore');
    assert.equal(readFileSync(ignored, 'utf8'), '*\n');
    writeFileSync(ignored, '!*\n');
    await new FsResultStore(join(root, '.peagen', 'results'), { compress: true }).put(okResult(newTaskId()));
    assert.equal(readFileSync(ignored, 'utf8'), '!*\n');
    await new FsResultStore(join(root, 'elsewhere'), { compress: true }).put(okResult(newTaskId()));
    assert.ok(!existsSync(join(root, '.gitignore')));
  });

  it('removes what killed writers left long ago, and only that', async () => {
    const old = lock(newTaskId(), 2 * 3_600_000);
    const young = lock(newTaskId(), 60_000);
    await store().put(okResult(newTaskId()));
    assert.deepEqual([existsSync(old), existsSync(young)], [false, true]);
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
}
