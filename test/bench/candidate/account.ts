/**
 * Processor time of a whole process tree, killed sandboxes included. As root with cgroup version 1 the tree gets a group of
 * its own, under which it makes those of its sandboxes; elsewhere, the time of processes that were killed is not counted.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { cpuSeconds } from '../evolve/cpu.ts';

const ROOT = '/sys/fs/cgroup/cpuacct';

interface Tree {
  readonly child: ReturnType<typeof spawn>;
  /** Whether sandboxes that were killed are counted. */
  readonly whole: boolean;
  /** Seconds so far. */
  cpu(): number;
  dispose(): void;
}

export function startTree(command: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): Tree {
  const plain = { cwd: options.cwd, env: options.env ?? process.env, stdio: ['ignore', 'ignore', 'ignore'] as const };
  if (process.getuid?.() !== 0 || !existsSync(`${ROOT}/cpuacct.usage`)) {
    const child = spawn(command, args, { ...plain, stdio: [...plain.stdio] });
    return { child, whole: false, cpu: () => cpuSeconds(child.pid), dispose: () => undefined };
  }
  const group = `${ROOT}/peagen-bench-${process.pid}-${process.hrtime.bigint()}`;
  mkdirSync(group);
  // In a mount namespace of its own the tree takes its group for the root.
  const script = `echo $$ > ${group}/cgroup.procs && mount --bind ${group} ${ROOT} && exec "$@"`;
  const enter = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', command, ...args];
  const child = spawn('unshare', enter, { ...plain, stdio: [...plain.stdio] });
  const cpu = () => Number(readFileSync(`${group}/cpuacct.usage`, 'utf8')) / 1e9;
  const dispose = () => {
    try {
      for (const name of ['peagen', '.']) if (existsSync(`${group}/${name}`)) rmdirSync(`${group}/${name}`);
    } catch {
      // A sandbox is just ending; an empty group costs nothing.
    }
  };
  return { child, whole: true, cpu, dispose };
}
