import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunFiles, runIdFor } from '../../../daemon/engine/records/run-files.ts';
import { newRunId } from '../../../shared/ids.ts';

describe('the files of a run', () => {
  const run = newRunId(0);
  let folder: string;
  let files: RunFiles;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-files-'));
    files = new RunFiles(folder);
    await files.create(run);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('belong to one process at a time, which is named to the next', async () => {
    const release = await files.lock(run);
    assert.equal(files.owner(run), process.pid);
    const said = { code: 'conflict', message: new RegExp(`Run ${run} is in progress in process ${process.pid}`) };
    await assert.rejects(new RunFiles(folder).lock(run), said);
    release();
    assert.equal(files.owner(run), undefined);
    (await files.lock(run))();
  });

  it('are free when their process was killed, also when another one has its number by now', async function () {
    if (!existsSync('/proc/self/stat')) return this.skip();
    await writeFile(join(files.folder(run), 'owner'), JSON.stringify({ pid: process.pid, started: '1' }));
    assert.equal(files.owner(run), undefined);
    await files.lock(run);
    assert.equal(files.owner(run), process.pid);
  });

  it('are removed with the run, unless a process works on it', async () => {
    const release = await files.lock(run);
    await assert.rejects(files.delete(run), { code: 'conflict' });
    release();
    await files.delete(run);
    assert.deepEqual(await files.list(), []);
    await assert.rejects(files.delete(run), { code: 'not_found' });
  });

  it('are found by the request that started it, whatever lies in other folders', async () => {
    const [first, again, other] = [runIdFor('request-1', 0), runIdFor('request-1', 5000), runIdFor('request-2', 0)];
    for (const each of [first, again, other]) await files.create(each);
    assert.deepEqual(await files.ofRequest('request-1'), [again, first]);
    assert.deepEqual(await files.ofRequest('request-3'), []);
  });
});
