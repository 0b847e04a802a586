/**
 * One sandboxed process tree on this machine, as a Sandbox: its lines, its limits, its end. What isolates the tree is
 * the tier's business; this file only starts a command, watches it and kills it.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { devNull } from 'node:os';
import { Writable } from 'node:stream';
import { PeagenError } from '../../shared/errors.ts';
import { treeAccountMs, treeCpuMs } from './cpu-time.ts';
import { Output } from './output.ts';
import { confine, processorOf } from './processor.ts';
import type { Sandbox, SandboxExit, SandboxLimits } from './sandbox.ts';

interface ProcessPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * What the command gets as descriptors 3, 4, …: open files of ours, closed here once it has them, and contents, which it reads
   * to their end.
   */
  readonly descriptors: readonly (number | string | Uint8Array)[];
  /** Sockets that it gets behind those. */
  readonly channels?: number | undefined;
  readonly limits: SandboxLimits;
  /** Begins to look at the tree, where the system does not limit it: calls `end` when it takes too much. */
  readonly watch?: (pid: number, end: (why: SandboxExit['cause']) => void) => void;
  /** Kills everything that the process started, whatever it did to hide. */
  readonly killTree: (pid: number) => void;
  /** Runs when the whole tree is gone. True when the kernel ended it for its memory. */
  readonly dispose: () => Promise<boolean>;
  /** The kernel's account of the whole tree, where there is a better one than that of each process. */
  readonly accountMs: ((pid: number) => number | undefined) | undefined;
}

export function openProcess(plan: ProcessPlan): Promise<Sandbox> {
  const started = performance.now();
  const leaks = inheritedDescriptors();
  // Descriptors that we inherited ourselves would leak into the child: each is covered by ours or by /dev/null.
  const first = plan.descriptors.length;
  const end = first + (plan.channels ?? 0);
  const passed: (number | 'pipe' | 'ignore')[] = Array.from({ length: Math.max(leaks.last - 2, end) }, (_, index) => {
    if (index >= first && index < end) return 'pipe';
    const given = plan.descriptors[index] ?? (leaks.numbers.has(index + 3) ? leaks.cover : undefined);
    return given === undefined ? 'ignore' : typeof given === 'number' ? given : 'pipe';
  });
  const child = spawn(plan.command, plan.args, {
    cwd: plan.cwd,
    env: plan.env,
    // A group of its own, so that a signal reaches all who stay in it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...passed],
  });
  for (const [index, descriptor] of plan.descriptors.entries()) {
    if (typeof descriptor === 'number') {
      closeSync(descriptor);
      continue;
    }
    const pipe = child.stdio[index + 3];
    // A command that ends before it has read it reports that by its exit.
    pipe?.on('error', () => undefined);
    if (pipe instanceof Writable) pipe.end(descriptor);
  }

  const channels = child.stdio.slice(3 + first, 3 + end).filter((one) => one instanceof Socket);

  let cause: SandboxExit['cause'] | undefined;
  let open = true;

  const kill = (why: SandboxExit['cause']): void => {
    if (!open) return;
    cause ??= why;
    if (child.pid !== undefined) plan.killTree(child.pid);
  };
  if (child.pid !== undefined) plan.watch?.(child.pid, kill);
  const output = new Output(plan.limits.outputBytes, () => kill('output'));
  child.stdout?.on('data', (chunk: Buffer) => output.stdout(chunk));
  child.stderr?.on('data', (chunk: Buffer) => output.stderr(chunk));
  // A sandbox that has ended takes no more input; `exited` reports how it ended.
  child.stdin?.on('error', () => undefined);

  const timer = setTimeout(() => kill('timeout'), plan.limits.wallMs);
  const exited = new Promise<SandboxExit>((resolve) => {
    const finish = async (code: number | null, signal: string | null): Promise<void> => {
      if (!open) return;
      clearTimeout(timer);
      if (child.pid !== undefined) plan.killTree(child.pid);
      open = false;
      // A folder that cannot be removed is no reason to keep anybody waiting; `exited` never rejects.
      const outOfMemory = await plan.dispose().catch(() => false);
      const text = output.errorText;
      resolve({
        cause: cause ?? (outOfMemory ? 'memory' : causeOf(code, signal, text)),
        code,
        signal,
        stderr: text,
        wallMs: performance.now() - started,
      });
      output.end();
    };
    child.on('exit', () => {
      // A process that still holds the pipes is a survivor; without this kill `close` might never come.
      if (child.pid !== undefined) plan.killTree(child.pid);
    });
    child.on('close', (code, signal) => void finish(code, signal));
    child.on('error', () => {
      if (child.pid === undefined) void finish(null, null);
    });
  });

  return new Promise((resolve, reject) => {
    child.once('spawn', () =>
      resolve({
        send: (line) => {
          if (open) child.stdin?.write(`${line}\n`);
        },
        receive: () => output.receive(),
        exited,
        kill: () => kill('killed'),
        channels,
        cpuMs: () => Promise.resolve(open && child.pid !== undefined ? treeCpuMs(child.pid) : undefined),
        accountMs: () => (open && child.pid !== undefined ? (plan.accountMs ?? treeAccountMs)(child.pid) : undefined),
        accountsForEnded: plan.accountMs !== undefined,
        processor: () => (open && child.pid !== undefined ? processorOf(child.pid) : undefined),
        confine: async (processor) => open && child.pid !== undefined && (await confine(child.pid, processor)),
      }),
    );
    child.once('error', (cause) =>
      reject(new PeagenError('unavailable', `Cannot start ${plan.command}: ${cause.message}.`, { cause })),
    );
  });
}

/** SIGXCPU is the CPU limit; SIGKILL that we did not send is the kernel short of memory. */
export function causeOf(code: number | null, signal: string | null, stderr: string): SandboxExit['cause'] {
  if (code === 0) return 'exit';
  // A shell and bubblewrap report a child that a signal ended as 128 + its number.
  const number = signal === null ? (code ?? 0) - 128 : 0;
  if (signal === 'SIGXCPU' || number === 24) return 'timeout';
  if (/MemoryError|out of memory|Cannot allocate memory|bad_alloc/i.test(stderr.slice(-4096))) return 'memory';
  if (signal === 'SIGKILL' || number === 9) return 'memory';
  return signal !== null || number > 0 ? 'killed' : 'exit';
}

interface Leaks {
  readonly numbers: ReadonlySet<number>;
  /** The highest, or 2. */
  readonly last: number;
  /** An open /dev/null to put in their place. */
  readonly cover: number;
}

let inherited: Leaks | undefined;

/** Descriptors above 2 that this process was started with and that would pass to every child. Node's own never do. */
function inheritedDescriptors(): Leaks {
  if (inherited !== undefined) return inherited;
  const numbers = new Set<number>();
  const closeOnExec = 0o2000000;
  for (const name of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    if (Number(name) <= 2) continue;
    try {
      const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, 'utf8'))?.[1] ?? '0';
      if ((Number.parseInt(flags, 8) & closeOnExec) === 0) numbers.add(Number(name));
    } catch {
      // The descriptor of the listing itself is gone again.
    }
  }
  inherited = { numbers, last: Math.max(2, ...numbers), cover: openSync(devNull, 'r+') };
  return inherited;
}
