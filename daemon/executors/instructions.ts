/**
 * How many instructions a pass of a Python program takes, counted by callgrind: the same number on every machine of a kind,
 * whatever its load. It proves that a result is the same again; it does not replace time, which it misses by up to a
 * quarter for work inside C. Some forty times as slow as the program itself.
 */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { assetPath } from '../assets.ts';
import { findInterpreter } from './interpreters.ts';
import { Runner, type RunnerRuntime } from './runner.ts';
import type { SandboxFactory } from './sandbox.ts';

/** The difference between this many passes and one is free of what starting costs. */
const PASSES = 6;
const SLOWER = 60;

/** Throws `unsupported` or `missing_program` where instructions cannot be counted. Returns where valgrind is. */
export async function requireCounter(runtime: RunnerRuntime): Promise<string> {
  if (runtime !== 'python') {
    throw new PeagenError('unsupported', 'Instructions are counted for Python only: Node compiles on its own schedule.', {
      hint: 'Remove instructions under [evaluate]; a deterministic run counts the operations of JavaScript.',
    });
  }
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'valgrind');
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  throw new PeagenError('missing_program', 'valgrind, which counts instructions, was not found on the PATH.', {
    hint: 'Install the package valgrind, or remove instructions under [evaluate].',
  });
}

/** Orders for a runner; each answers why it failed. */
interface Counted {
  /** Loads the program and readies `passes` passes. */
  ready(runner: Runner, passes: number): Promise<void>;
}

/** Per pass. Throws `unavailable` when valgrind says nothing. */
export async function countInstructions(sandboxes: SandboxFactory, counted: Counted, passMs: number): Promise<number> {
  const valgrind = await requireCounter('python');
  const total = async (passes: number): Promise<number> => {
    const runner = await openCounted(sandboxes, valgrind);
    try {
      await runner.ready();
      await counted.ready(runner, PASSES);
      const withinMs = 20_000 + passMs * SLOWER * PASSES;
      const went = await runner.ask({ op: 'go', passes }, withinMs);
      const ended = went.kind === 'answer' ? await runner.ask({ op: 'end' }, withinMs) : went;
      const text = ended.kind === 'ended' ? ended.exit.stderr : '';
      const count = Number(/Collected : (\d+)/.exec(text)?.[1] ?? Number.NaN);
      if (Number.isFinite(count)) return count;
      throw new PeagenError('unavailable', `valgrind counted nothing (${ended.kind}): ${text.trim().slice(-300)}`, {
        hint: 'Remove instructions under [evaluate], or allow valgrind in the sandbox.',
      });
    } finally {
      await runner.close();
    }
  };
  const [most, one] = await Promise.all([total(PASSES), total(1)]);
  return (most - one) / (PASSES - 1);
}

async function openCounted(sandboxes: SandboxFactory, valgrind: string): Promise<Runner> {
  const { path, prefixes, env } = await findInterpreter('python');
  const { limits } = sandboxes;
  return await Runner.openWith(sandboxes, {
    runtime: 'command',
    argv: [
      ...[valgrind, '--tool=callgrind', '--vgdb=no', '--callgrind-out-file=/dev/null'],
      ...[path, '-S', '-s', '-B', '/peagen/runner.py'],
    ],
    mounts: [
      ...prefixes.map((prefix) => ({ from: prefix, at: prefix })),
      { from: assetPath('executors/runners'), at: '/peagen' },
    ],
    env: { ...env, PYTHONHASHSEED: '0' },
    limits: { ...limits, wallMs: limits.wallMs * SLOWER, cpuSeconds: limits.cpuSeconds * SLOWER },
  });
}
