import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockHolder, releaseLock, takeLock } from '../../../daemon/lock.ts';

describe('a lock', () => {
  let folder: string;
  let path: string;
  const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pg-'));
    path = join(folder, 'x.lock');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is had by one at a time', () => {
    assert.ok(takeLock(path));
    assert.ok(!takeLock(path));
    releaseLock(path);
    assert.ok(takeLock(path));
  });

  it('names its holder and leaves nothing else behind', () => {
    takeLock(path);
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).pid, process.pid);
    assert.equal(lockHolder(path), process.pid);
    assert.deepEqual(readdirSync(folder), ['x.lock']);
  });

  it('is broken when its process has gone', () => {
    writeFileSync(path, JSON.stringify({ pid: deadPid(), started: '1' }));
    assert.equal(lockHolder(path), undefined);
    assert.ok(takeLock(path));
  });

  it('is broken when another process has the number of its holder', function () {
    if (!existsSync('/proc/self/stat')) return this.skip();
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: '1' }));
    assert.ok(takeLock(path));
  });

  it('is broken when its text is damaged', () => {
    writeFileSync(path, '{"pid":');
    assert.ok(takeLock(path));
  });

  it('is not broken while another is breaking it, unless that one was cut short', () => {
    writeFileSync(path, JSON.stringify({ pid: deadPid(), started: '1' }));
    writeFileSync(`${path}.breaking`, '');
    assert.ok(!takeLock(path));
    utimesSync(`${path}.breaking`, 0, 0);
    assert.ok(!takeLock(path));
    assert.ok(takeLock(path));
  });

  it('says where it cannot be written', () => {
    assert.throws(() => takeLock(join(folder, 'missing', 'x.lock')), { code: 'storage_failed', message: /x\.lock/ });
  });
});
