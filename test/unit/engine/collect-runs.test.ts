/** What is removed of old runs, and what stays. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectRuns } from '../../../daemon/engine/records/collect-runs.ts';
import { RunFiles, runIdFor } from '../../../daemon/engine/records/run-files.ts';

const DAY = 86_400_000;
const now = Date.now();

describe('collecting runs', () => {
  let workspace: string;
  let files: RunFiles;
  beforeEach(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'peagen-collect-'));
    files = new RunFiles(workspace);
  });
  afterEach(() => rm(workspace, { recursive: true }));

  const sha = (letter: string) => letter.repeat(64);
  const object = (letter: string) => join(files.objects, sha(letter).slice(0, 2), sha(letter).slice(2));

  /** A run of some days ago, which refers to these objects. */
  const made = async (days: number, letters: string) => {
    const run = runIdFor(`request of ${days} days ago`, now - days * DAY);
    await files.create(run);
    const journal = join(files.folder(run), 'journal.jsonl');
    await writeFile(journal, `${[...letters].map((letter) => JSON.stringify({ object: sha(letter) })).join('\n')}\n`);
    const then = new Date(now - days * DAY);
    await utimes(journal, then, then);
    for (const letter of letters) {
      await mkdir(join(object(letter), '..'), { recursive: true });
      await writeFile(object(letter), letter);
      await utimes(object(letter), then, then);
    }
    return run;
  };

  it('removes old runs but for the newest, and the objects that no other refers to', async () => {
    const old = await made(60, 'ab');
    const other = await made(50, 'bc');
    const young = await made(2, 'd');
    const { removed, kept, objects } = await collectRuns(files, { keep: 2, keep_ms: 30 * DAY, dry_run: false }, now);
    assert.deepEqual([removed, kept, objects], [[old], 2, 1]);
    assert.deepEqual(await files.list(), [young, other]);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((letter) => existsSync(object(letter))),
      [false, true, true, true],
    );
  });

  it('changes nothing in a dry run', async () => {
    const old = await made(60, 'a');
    const { removed, bytes } = await collectRuns(files, { keep: 0, keep_ms: 30 * DAY, dry_run: true }, now);
    assert.deepEqual(removed, [old]);
    assert.ok(bytes > 60);
    assert.ok(existsSync(object('a')));
    assert.deepEqual(await files.list(), [old]);
  });

  it('follows no link and waits for no pipe', async () => {
    const other = await mkdtemp(join(tmpdir(), 'peagen-collect-other-'));
    try {
      const linked = runIdFor('a link', now - 60 * DAY);
      await writeFile(join(other, 'kept'), 'kept');
      await made(70, 'a');
      await symlink(other, files.folder(linked));
      const piped = runIdFor('a pipe', now - DAY);
      await files.create(piped);
      for (const name of ['journal.jsonl', 'owner']) execFileSync('mkfifo', [join(files.folder(piped), name)]);
      const { removed, objects } = await collectRuns(files, { keep: 1, keep_ms: 0, dry_run: false }, now);
      assert.deepEqual([removed.includes(linked), objects], [true, 0]);
      assert.ok(existsSync(join(other, 'kept')));
      assert.ok(existsSync(object('a')), 'the run with the pipe may refer to it');
      await rm(join(workspace, '.peagen'), { recursive: true });
      await symlink(other, join(workspace, '.peagen'));
      await assert.rejects(collectRuns(files, { keep: 0, keep_ms: 0, dry_run: false }, now), { code: 'storage_failed' });
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('leaves a run that a living process works on, and young objects', async () => {
    const old = await made(60, 'a');
    const release = await files.lock(old);
    try {
      await mkdir(join(object('e'), '..'), { recursive: true });
      await writeFile(object('e'), 'e');
      const { removed, objects } = await collectRuns(files, { keep: 0, keep_ms: 0, dry_run: false }, now);
      assert.deepEqual([removed, objects], [[], 0]);
    } finally {
      release();
    }
  });
});
