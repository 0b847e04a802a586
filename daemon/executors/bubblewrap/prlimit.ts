/** The per-process limits of the local tiers, as arguments of util-linux's prlimit. */
import type { SandboxLimits, SandboxSpec } from '../sandbox.ts';

/**
 * V8 reserves 512 MiB of code space per isolate, which counts as data though it is never used: once for the main thread
 * and once for the one that watches a counted candidate.
 */
const NODE_RESERVES = 1280 * 1024 ** 2;

/**
 * RLIMIT_AS would kill Node, which reserves far more than it uses; RLIMIT_DATA bounds it. SIGXCPU comes a second before
 * SIGKILL, so that the two can be told apart. `processes` only where the limit counts inside a user namespace; no
 * `memory` for CUDA, which reserves more address space than there is memory, in a container that bounds what is used. `sign`: a
 * number that each process of the tree carries as the highest size of a core file, which it does not write.
 */
export function prlimitCommand(
  limits: SandboxLimits,
  runtime: SandboxSpec['runtime'],
  processes: boolean,
  { memory = true, sign }: { memory?: boolean; sign?: number | undefined } = {},
): string[] {
  return [
    '/usr/bin/prlimit',
    ...(processes ? [`--nproc=${limits.processes}`] : []),
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    '--nofile=256',
    `--fsize=${limits.fileBytes}`,
    `--core=0${sign === undefined ? '' : `:${sign}`}`,
    '--memlock=65536',
    ...(memory ? [runtime === 'python' ? `--as=${limits.memoryBytes}` : `--data=${limits.memoryBytes + NODE_RESERVES}`] : []),
  ];
}
