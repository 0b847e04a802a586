/** Sandboxes when what they need goes away: the engine, its image, room on the disk. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDockerTier } from '../../daemon/executors/docker/docker.ts';
import { defaultLimits, type Executor, type SandboxSpec } from '../../daemon/executors/sandbox.ts';
import { Engine, missingEngine } from '../conformance/launchers/launcher-engine.ts';
import { TestFabric } from '../integration/fabric/worker-fabric.ts';
import { programOf } from '../integration/judging/judging.ts';
import { requireTier, tiersUnderTest } from '../sandboxes.ts';

const spec = (code: string): SandboxSpec => ({
  runtime: 'python',
  argv: ['-S', 'main.py'],
  files: [{ path: 'main.py', text: code }],
  limits: { ...defaultLimits, wallMs: 60_000 },
});

async function said(tier: Executor): Promise<string | undefined> {
  const sandbox = await tier.open(spec('print("here")'));
  const line = await sandbox.receive();
  await sandbox.exited;
  return line;
}

describe('a container engine that is stopped', () => {
  let engine: Engine;
  let tier: Executor;
  before(async function () {
    const missing = missingEngine();
    if (missing !== undefined) {
      process.stderr.write(`skipped: ${missing}\n`);
      this.skip();
    }
    engine = await Engine.start();
    tier = createDockerTier(engine.docker);
  });
  after(() => engine?.stop());

  it('ends the sandbox in hand, says so to the next, and serves again when it is back', async () => {
    const sandbox = await tier.open(spec('print("started", flush=True)\nwhile True: pass'));
    assert.equal(await sandbox.receive(), 'started');
    await engine.down();
    assert.equal(await sandbox.receive(), undefined);
    assert.notEqual((await sandbox.exited).code, 0);
    assert.match((await tier.unavailable()) ?? '', /No container engine answers .*Start Docker/);
    await assert.rejects(tier.open(spec('pass')), { code: 'unavailable', retryable: true });
    await engine.up();
    assert.equal(await tier.unavailable(), undefined);
    assert.equal(await said(tier), 'here');
  });

  it('or whose containers and images were removed is given what it needs again', async () => {
    assert.equal(await said(tier), 'here');
    for (const { Id } of await engine.docker.listContainers({ all: true })) {
      await engine.docker.getContainer(Id).remove({ force: true });
    }
    const images = await engine.docker.listImages();
    for (const { Id } of images) await engine.docker.getImage(Id).remove({ force: true });
    assert.equal(await said(tier), 'here');
  });
});

describe('a full disk', () => {
  const usual = process.env['TMPDIR'];
  let place: string;
  before(async function () {
    place = await mkdtemp(join(tmpdir(), 'peagen-full-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=768k,mode=0755', 'tmpfs', place]);
    if (status === 0) return;
    assert.ok(process.env['CI'] !== 'true' || process.getuid?.() !== 0, 'root could not mount a small disk');
    console.warn('skipped: a disk that is small enough to fill needs root');
    this.skip();
  });
  after(async () => {
    spawnSync('umount', ['--lazy', place]);
    await rm(place, { recursive: true, force: true });
  });
  afterEach(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  });

  async function fill(): Promise<void> {
    await writeFile(join(place, 'ballast'), Buffer.alloc(1 << 20)).catch(() => undefined);
    assert.equal((await statfs(place)).bavail, 0);
  }
  const free = () => rm(join(place, 'ballast'));

  for (const { name, create } of tiersUnderTest()) {
    // Files reach a sandbox of bubblewrap through pipes.
    const writes = name !== 'bubblewrap';
    const does = writes ? 'is reported by the' : 'does not matter to the';
    it(`${does} ${name} tier, which goes on when there is room`, async function () {
      const tier = create();
      // What it needs for itself, such as an engine, is elsewhere.
      await requireTier(tier, this);
      await said(tier);
      await chmod(place, 0o755);
      process.env['TMPDIR'] = place;
      await fill();
      if (writes) {
        await assert.rejects(tier.open(spec('pass')), {
          code: 'storage_failed',
          retryable: true,
          message: `There is no room for a sandbox in ${place}: it is full.`,
        });
      } else assert.equal(await said(tier), 'here');
      await free();
      assert.equal(await said(tier), 'here');
    });
  }

  it('costs no task: it is tried again, kept with its reason, and completed when there is room', async () => {
    const fabric = await TestFabric.open({
      caps: ['cpu', 'python'],
      plugins: ['execute-python'],
      env: { ...process.env, TMPDIR: place },
    });
    try {
      await fill();
      const program = programOf('python', 'def f(n):\n    return n\n');
      const evaluator = { name: 'function', options: { entry: { path: 'target.py', fn: 'f' }, calls: [{ args: [1] }] } };
      const payload = {
        mode: 'basis',
        program,
        basis: { evaluator, original: program, data: null },
        deterministic: true,
        effort: 'quick',
      };
      const task = await fabric.enqueue(payload, { kind: 'execute', requires: ['cpu', 'python'] });
      assert.equal((await fabric.result(task)).status, 'error');
      const letter = await fabric.queue.deadLetters.inspect(task.id);
      assert.match(letter?.reason ?? '', /no room for a sandbox|no space left/i);
      await free();
      await fabric.queue.deadLetters.retry([task.id]);
      fabric.spawner.wake();
      assert.equal((await fabric.result(task)).status, 'ok');
    } finally {
      await fabric.close();
    }
  });
});
