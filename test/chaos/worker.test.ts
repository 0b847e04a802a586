/** Workers and their parents killed at bad moments: no task is lost, no process is left. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessLauncher } from '../../daemon/fabric/launchers/process.ts';
import { Config } from '../../shared/config.ts';
import { pidAt, runs, TestFabric, until } from '../integration/fabric/worker-fabric.ts';

describe('a worker that is killed', () => {
  let fabric: TestFabric;
  afterEach(() => fabric.close());

  it('loses nothing: its task is taken back at once and completed by another', async () => {
    fabric = await TestFabric.open();
    const task = await fabric.enqueue({ do: 'hangOnce', mark: fabric.file('mark') });
    process.kill(await pidAt(fabric.file('mark')), 'SIGKILL');
    const killedAt = Date.now();
    const result = await fabric.result(task);
    assert.deepEqual(result.data, { attempts: 1 });
    // The lease is 30 s: nobody waited for it.
    assert.ok(Date.now() - killedAt < 25_000);
  });

  it('over and over leaves its task in the dead-letter queue', async () => {
    fabric = await TestFabric.open();
    const task = await fabric.enqueue({ do: 'hang', mark: fabric.file('mark') });
    const killed = new Set<number>();
    while (killed.size < 4) {
      const pid = await pidAt(fabric.file('mark'));
      if (killed.has(pid)) continue;
      killed.add(pid);
      process.kill(pid, 'SIGKILL');
      await until('another takes it up', async () => killed.size === 4 || (await pidAt(fabric.file('mark'))) !== pid);
    }
    assert.equal((await fabric.result(task)).status, 'error');
    assert.match((await fabric.queue.deadLetters.inspect(task.id))?.reason ?? '', /killed/);
  });

  it('finishes the task in hand after SIGTERM', async () => {
    fabric = await TestFabric.open();
    const task = await fabric.enqueue({ do: 'spin', mark: fabric.file('mark'), ms: 700 });
    const pid = await pidAt(fabric.file('mark'));
    process.kill(pid, 'SIGTERM');
    const result = await fabric.result(task);
    assert.deepEqual([result.data, result.attempts], ['spun', 0]);
    await until('it has ended', async () => !(await runs(pid)));
  });

  it('by the end of its spawner gives its task back uncounted', async () => {
    fabric = await TestFabric.open();
    await fabric.enqueue({ do: 'hang', mark: fabric.file('mark') });
    const pid = await pidAt(fabric.file('mark'));
    await fabric.spawner.close({ drainMs: 50 });
    assert.equal(await runs(pid), false);
    const { pending, claimed, delayed } = await fabric.queue.depth();
    assert.deepEqual([pending, claimed, delayed], [1, 0, 0]);
  });

  it('keeps its lease while its event loop is busy', async () => {
    fabric = await TestFabric.open({ leaseMs: 1500 });
    const task = await fabric.enqueue({ do: 'spin', mark: fabric.file('mark'), ms: 3500 });
    const result = await fabric.result(task);
    assert.deepEqual([result.data, result.attempts], ['spun', 0]);
  });
});

describe('a spawner that is killed', () => {
  let folder: string;
  let parent: ChildProcess;
  const start = async (what: 'hang' | 'spin'): Promise<number[]> => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-orphans-'));
    const mark = join(folder, 'mark');
    parent = spawn(process.execPath, [join(import.meta.dirname, 'worker-parent.ts'), folder, mark, what], { stdio: 'ignore' });
    await pidAt(mark);
    // The busy one and two warm ones.
    await until('three workers run', async () => (await recorded()).length === 3);
    const pids = await recorded();
    const gone = new Promise((resolve) => parent.once('exit', resolve));
    parent.kill('SIGKILL');
    await gone;
    return pids;
  };
  const recorded = async (): Promise<number[]> => {
    const records = join(folder, '.peagen', 'workers');
    const names = await readdir(records).catch(() => []);
    const texts = await Promise.all(names.map((name) => readFile(join(records, name), 'utf8').catch(() => '{}')));
    return texts.flatMap((text) => (text.includes('}') ? ((JSON.parse(text) as { pid?: number }).pid ?? []) : []));
  };
  const left = async (pids: number[]) => (await Promise.all(pids.map(runs))).filter(Boolean).length;
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('takes its workers along: they end by themselves', async () => {
    const pids = await start('hang');
    await until('all have ended', async () => (await left(pids)) === 0);
    const leftovers = await new ProcessLauncher({ config: Config.parse({}), workspace: folder }).leftovers();
    assert.deepEqual(leftovers, []);
    assert.deepEqual(await recorded(), [], 'their records are gone');
  });

  it('leaves a worker that hangs to the next spawner, which ends it', async () => {
    const pids = await start('spin');
    await until('the idle ones have ended', async () => (await left(pids)) === 1);
    const next = new ProcessLauncher({ config: Config.parse({}), workspace: folder });
    const leftovers = await next.leftovers();
    assert.equal(leftovers.length, 1);
    for (const worker of leftovers) {
      worker.kill();
      await worker.exited;
    }
    assert.equal(await left(pids), 0);
    assert.deepEqual(await next.leftovers(), []);
  });

  it('does not take the workers of a living spawner for leftovers', async () => {
    const fabric = await TestFabric.open();
    folder = fabric.folder;
    await fabric.enqueue({ do: 'hang', mark: fabric.file('mark') });
    await pidAt(fabric.file('mark'));
    const other = new ProcessLauncher({ config: Config.parse({}), workspace: folder });
    assert.deepEqual(await other.leftovers(), []);
    await fabric.close();
  });
});

describe('launches that fail', () => {
  it('say why, and succeed when the cause is gone', async () => {
    const fabric = await TestFabric.open();
    try {
      // A worker cannot start in a folder that is not there.
      await rm(fabric.folder, { recursive: true });
      const task = await fabric.enqueue({ do: 'echo', value: 1 });
      await until('the problem is reported', () => /could not be started: .*ENOENT/.test(fabric.spawner.stats().problem ?? ''));
      assert.equal(fabric.spawner.stats().live, 0);
      await mkdir(fabric.folder);
      assert.equal((await fabric.result(task)).data, 1);
      await until('the problem is forgotten', () => fabric.spawner.stats().problem === undefined);
    } finally {
      await fabric.close();
    }
  });
});
