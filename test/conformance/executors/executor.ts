/**
 * What every executor promises, whatever isolates its sandboxes: lines, limits, and that nothing is left. It is for Linux, with
 * Python and Node in the sandbox. Isolation itself is the escape suite's.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { defaultLimits, type Executor, type SandboxLimits, type SandboxSpec } from '../../../daemon/executors/sandbox.ts';

/** `ready`: skips or fails the suite where the executor cannot be used. */
export function executorConformance(
  name: string,
  create: () => Executor,
  ready: (tier: Executor, suite: Mocha.Context) => Promise<void> = async (tier) =>
    assert.equal(await tier.unavailable(), undefined),
): void {
  describe(`the ${name} tier`, function () {
    // Authors of plugins run it with a shorter limit of their own.
    this.timeout(300_000);
    let tier: Executor;
    // A temporary folder of its own, so that nobody else's sandboxes are counted.
    const usual = process.env['TMPDIR'];
    const temporary = mkdtempSync(join(tmpdir(), 'peagen-conformance-'));
    after(() => {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
      rmSync(temporary, { recursive: true });
    });
    before(async function () {
      tier = create();
      await ready(tier, this);
      // From here on: what the tier itself needs, such as an engine, outlives this suite.
      chmodSync(temporary, 0o755);
      process.env['TMPDIR'] = temporary;
    });

    const python = (code: string, limits: Partial<SandboxLimits> = {}, more: Partial<SandboxSpec> = {}): SandboxSpec => ({
      runtime: 'python',
      argv: ['-I', '-S', '-c', code],
      limits: { ...defaultLimits, ...limits },
      ...more,
    });
    const node = (code: string, limits: Partial<SandboxLimits> = {}): SandboxSpec => ({
      runtime: 'node',
      argv: ['-e', code],
      limits: { ...defaultLimits, ...limits },
    });
    const run = async (spec: SandboxSpec) => {
      const sandbox = await tier.open(spec);
      const lines: string[] = [];
      for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
      return { lines, exit: await sandbox.exited };
    };

    it('passes lines both ways, in order', async () => {
      const sandbox = await tier.open(python('import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)'));
      for (const word of ['one', 'two', 'three']) sandbox.send(word);
      assert.deepEqual([await sandbox.receive(), await sandbox.receive(), await sandbox.receive()], ['ONE', 'TWO', 'THREE']);
      sandbox.kill();
      assert.equal(await sandbox.receive(), undefined);
      assert.equal((await sandbox.exited).cause, 'killed');
    });

    it('runs Node, and reads a line longer than a pipe holds', async () => {
      const { lines, exit } = await run(node('console.log("x".repeat(1e6)); console.log(process.version)'));
      assert.equal(lines[0]?.length, 1e6);
      assert.match(lines[1] ?? '', /^v\d+\./);
      assert.deepEqual([exit.cause, exit.code], ['exit', 0]);
    });

    it('ignores input to a sandbox that has ended', async () => {
      const sandbox = await tier.open(python('pass'));
      await sandbox.exited;
      sandbox.send('anybody there?');
      assert.equal(await sandbox.receive(), undefined);
    });

    it('reports the status and the end of standard error', async () => {
      const { exit } = await run(python('import sys; sys.stderr.write("first\\n" + "." * 100000 + "last words"); sys.exit(3)'));
      assert.deepEqual([exit.cause, exit.code], ['exit', 3]);
      assert.match(exit.stderr, /last words$/);
      assert.ok(exit.stderr.length < 20_000);
    });

    it('ends after its wall clock, and says so', async () => {
      const { exit } = await run(python('while True: pass', { wallMs: 700 }));
      assert.equal(exit.cause, 'timeout');
      assert.ok(exit.wallMs >= 700 && exit.wallMs < 20_000, `${exit.wallMs} ms`);
    });

    it('ends after its processor time, and says so', async () => {
      const { exit } = await run(python('while True: pass', { cpuSeconds: 1 }));
      assert.equal(exit.cause, 'timeout');
    });

    it('reports the processor time that it has taken so far, and counts no waiting', async () => {
      const busy = await tier.open(python('while True: pass'));
      const idle = await tier.open(python('import time; print("there", flush=True); time.sleep(600)'));
      await idle.receive();
      const before = (await idle.cpuMs?.()) ?? Number.NaN;
      // A fifth of a second of its own; the suite's time limit ends the wait for one that never takes it.
      while (((await busy.cpuMs?.()) ?? 0) < before + 200) await delay(10);
      assert.ok(((await idle.cpuMs?.()) ?? Number.NaN) - before < 100);
      for (const sandbox of [busy, idle]) {
        sandbox.kill();
        await sandbox.exited;
      }
      assert.equal(await busy.cpuMs?.(), undefined);
    });

    it('reports the kernel’s account of it at once: the work of a child that has ended, and no waiting', async () => {
      const work = 'import os, time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n';
      const sandbox = await tier.open(
        python(
          `import subprocess, sys, time\nprint("there", flush=True)\ninput()\nsubprocess.run([sys.executable, "-S", "-c", ${JSON.stringify(work)}])\nprint("done", flush=True)\ntime.sleep(600)`,
        ),
      );
      await sandbox.receive();
      const before = sandbox.accountMs?.() ?? Number.NaN;
      sandbox.send('go');
      await sandbox.receive();
      const after = sandbox.accountMs?.() ?? Number.NaN;
      // What it did not know yet of a child that has just ended is given in hundredths of a second.
      assert.ok(after - before >= 280 && after - before < 5000, `${before} to ${after}`);
      const later = sandbox.accountMs?.() ?? Number.NaN;
      assert.ok(later >= after && later - after < 50, `${after} to ${later}`);
      sandbox.kill();
      await sandbox.exited;
      assert.equal(sandbox.accountMs?.(), undefined);
    });

    it('keeps its program, and what that starts, on the processor that it was given', async () => {
      const code = `import os
print("ready", flush=True)
input()
print(sorted(os.sched_getaffinity(0)), flush=True)
print(os.popen("nproc").read().strip(), flush=True)
input()`;
      const sandbox = await tier.open(python(code));
      assert.equal(await sandbox.receive(), 'ready');
      const processor = sandbox.processor?.();
      assert.ok(processor !== undefined && processor < cpus().length, `${processor}`);
      const confined = await sandbox.confine?.(processor);
      // Podman 4 has no way to change a container, and leaves it as it was.
      assert.ok(confined === true || tier.name === 'podman');
      sandbox.send('go');
      const its = [await sandbox.receive(), await sandbox.receive()];
      if (confined === true) assert.deepEqual(its, [`[${processor}]`, '1']);
      sandbox.kill();
      await sandbox.exited;
      // Nobody is left to be confined, and nobody complains.
      assert.equal(await sandbox.confine?.(processor), false);
      assert.equal(sandbox.processor?.(), undefined);
    });

    it('distinguishes a flood of output from a crash', async () => {
      const { exit } = await run(python('while True: print("x" * 10000)', { outputBytes: 1e6 }));
      assert.equal(exit.cause, 'output');
    });

    it('distinguishes lack of memory from a crash, in Python', async () => {
      const code = 'data = [bytearray(1 << 20) for _ in range(4096)]';
      const { exit } = await run(python(code, { memoryBytes: 256 << 20, wallMs: 60_000 }));
      assert.equal(exit.cause, 'memory');
    });

    it('distinguishes lack of memory from a crash, in Node', async () => {
      const code = 'const kept = []; for (;;) kept.push(Buffer.alloc(1 << 22, 1))';
      const { exit } = await run(node(code, { memoryBytes: 512 << 20, wallMs: 60_000 }));
      assert.equal(exit.cause, 'memory');
    });

    it('reports a crash by a signal', async () => {
      const { exit } = await run(python('import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'));
      assert.equal(exit.cause, 'killed');
    });

    it('kills the whole tree, even a grandchild in a session of its own that closed everything', async () => {
      const sign = `${process.pid}${Date.now()}`;
      const code = [
        'import os, sys, time',
        'if os.fork() == 0:',
        '    os.setsid()',
        '    if os.fork() == 0:',
        '        os.closerange(0, 64)',
        `        os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", "${sign}"])`,
        '    os._exit(0)',
        'time.sleep(0.3)',
        'print("forked", flush=True)',
        'time.sleep(600)',
      ].join('\n');
      const sandbox = await tier.open(python(code));
      assert.equal(await sandbox.receive(), 'forked');
      assert.equal(processesWith(sign).length > 0, true, 'the grandchild was there');
      sandbox.kill();
      await sandbox.exited;
      assert.deepEqual(processesWith(sign), []);
    });

    it('leaves nobody behind when the candidate itself ends and its child stays', async () => {
      const sign = `${process.pid}${Date.now()}b`;
      const code = [
        'import os, sys',
        'if os.fork() == 0:',
        '    os.setsid()',
        `    os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)", "${sign}"])`,
      ].join('\n');
      const sandbox = await tier.open(python(code));
      await sandbox.exited;
      assert.deepEqual(processesWith(sign), []);
    });

    it('gives the files and a writable folder, and the environment that was asked for', async () => {
      process.env['PEAGEN_TEST_SECRET'] = 'do not tell';
      const code = [
        'import json, os',
        'open("made.txt", "w").write("x")',
        'print(json.dumps([open("given.txt").read(), os.environ.get("ASKED"), "PEAGEN_TEST_SECRET" in os.environ, "HOME" in os.environ]))',
      ].join('\n');
      const spec = { files: [{ path: 'given.txt', text: 'héllo\r\n' }], env: { ASKED: 'for' } };
      const { lines } = await run({ ...python(code), argv: ['-c', code], ...spec });
      delete process.env['PEAGEN_TEST_SECRET'];
      assert.deepEqual(JSON.parse(lines[0] ?? 'null'), ['héllo\n', 'for', false, true]);
    });

    it('shows a mounted folder under its name', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'peagen-mount-'));
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'script.py'), 'print("from the mount")');
      try {
        const { lines } = await run({
          ...python(''),
          argv: ['-I', '-S', '/mounted/script.py'],
          mounts: [{ from: folder, at: '/mounted' }],
        });
        assert.deepEqual(lines, ['from the mount']);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('leaves no descriptor of ours open in it', async () => {
      const code =
        'import os, json; print(json.dumps([os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if int(n) > 2 and os.path.exists(f"/proc/self/fd/{n}")]))';
      const { lines } = await run(python(code));
      const left = (JSON.parse(lines[0] ?? '[]') as string[]).filter(
        (target) => target !== '/dev/null' && !target.startsWith('/proc/'),
      );
      assert.deepEqual(left, []);
    });

    it('leaves no folder behind', async () => {
      const before = ours();
      await Promise.all(Array.from({ length: 8 }, () => run(python('open("big", "w").write("x" * 1000)'))));
      assert.deepEqual(
        ours().filter((entry) => !before.includes(entry)),
        [],
      );
    });

    it('runs twenty side by side without mixing them up', async () => {
      const runs = Array.from({ length: 20 }, (_, index) => run(python(`print(${index})`, { wallMs: 60_000 })));
      const results = await Promise.all(runs);
      assert.deepEqual(
        results.map(({ lines }) => Number(lines[0])),
        Array.from({ length: 20 }, (_, index) => index),
      );
    });
  });
}

/** Folders of sandboxes; the seccomp filter of this process lives as long as the process. */
function ours(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^peagen-(box|plain)-/.test(name));
}

function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || name === String(process.pid) || !existsSync(`/proc/${name}/cmdline`)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}
