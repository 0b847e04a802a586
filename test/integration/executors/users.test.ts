/** Whose processes sandboxes are, seen from outside: without their namespaces, they would still be strangers to each other. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { createBubblewrapTier } from '../../../daemon/executors/bubblewrap/bubblewrap.ts';
import { isRoot, takeUid } from '../../../daemon/executors/reach.ts';
import { defaultLimits, type Sandbox } from '../../../daemon/executors/sandbox.ts';
import { requireTier } from '../../sandboxes.ts';

/** The program of a sandbox, by a word on its command line. */
function processWith(word: string): { pid: string; uid: number } {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      if (!words.includes(word) || words.includes('bwrap')) continue;
      return { pid, uid: Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) };
    } catch {
      // It has just ended.
    }
  }
  assert.fail(`no process has ${word}`);
}

const asUser = (uid: number, script: string): number | null =>
  spawnSync('setpriv', ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '/bin/sh', '-c', script]).status;

describe('two sandboxes at the same time', () => {
  const tier = createBubblewrapTier();
  const open: Sandbox[] = [];
  before(async function () {
    await requireTier(tier, this);
  });
  afterEach(async () => {
    for (const sandbox of open.splice(0)) {
      sandbox.kill();
      await sandbox.exited;
    }
  });

  async function waiting(word: string): Promise<{ pid: string; uid: number }> {
    const argv = ['-S', '-c', 'import os; print(os.getuid(), flush=True); input()', word];
    const sandbox = await tier.open({ runtime: 'python', argv, limits: defaultLimits });
    open.push(sandbox);
    assert.equal(await sandbox.receive(), '65534');
    return processWith(word);
  }

  it('are users of their own where root opens them, and neither signals nor reads the other', async () => {
    const one = await waiting(`one-${process.pid}`);
    const other = await waiting(`other-${process.pid}`);
    if (!isRoot) {
      assert.deepEqual([one.uid, other.uid], [process.getuid?.(), process.getuid?.()]);
      return;
    }
    assert.notEqual(one.uid, other.uid);
    for (const [own, their] of [
      [one, other],
      [other, one],
    ] as const) {
      assert.equal(asUser(own.uid, `kill -0 ${own.pid}`), 0);
      assert.notEqual(asUser(own.uid, `kill -0 ${their.pid}`), 0);
      assert.notEqual(asUser(own.uid, `cat /proc/${their.pid}/environ`), 0);
      assert.notEqual(asUser(own.uid, `ls /proc/${their.pid}/root/tmp`), 0);
    }
  });

  it('get users that are free again after them', () => {
    const given = [takeUid()];
    // More than there are share one. Other sandboxes of this process may have some of them.
    for (let next = takeUid(); isRoot && next.uid !== 65534; next = takeUid()) given.push(next);
    assert.ok(given.length > (isRoot ? 32 : 0), `${given.length}`);
    assert.equal(new Set(given.map(({ uid }) => uid)).size, given.length);
    assert.equal(takeUid().uid, 65534);
    given.at(-1)?.giveBack();
    assert.equal(takeUid().uid, given.at(-1)?.uid);
    for (const { giveBack } of given) giveBack();
  });
});

describe('a folder that a sandbox is shown', () => {
  const tier = createBubblewrapTier();
  before(async function () {
    await requireTier(tier, this);
  });

  it('is as it is now, and where root opens the sandbox, nothing there says where it lies', async () => {
    const folder = mkdtempSync(join(homedir(), 'own-name-'));
    chmodSync(folder, 0o755);
    const shown = async (): Promise<string[]> => {
      const argv = ['/bin/sh', '-c', 'cat /shown/file /proc/self/mountinfo; ls /shown; echo no > /shown/file'];
      const sandbox = await tier.open({
        runtime: 'command',
        argv,
        mounts: [{ from: folder, at: '/shown' }],
        limits: defaultLimits,
      });
      const lines: string[] = [];
      for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
      assert.match((await sandbox.exited).stderr, /Read-only file system/);
      return lines;
    };
    try {
      writeFileSync(join(folder, 'file'), 'one\n');
      const first = await shown();
      rmSync(join(folder, 'file'));
      writeFileSync(join(folder, 'file'), 'other\n');
      writeFileSync(join(folder, 'more'), '');
      const second = await shown();
      assert.deepEqual([first[0], first.at(-1), second[0], second.at(-1)], ['one', 'file', 'other', 'more']);
      const told = [...first, ...second].filter((line) => line.includes(basename(folder)));
      assert.equal(told.length > 0, !isRoot, told.join('\n'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
