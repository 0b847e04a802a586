/**
 * The contract of a sandbox: one process tree, used once, with nothing of ours in reach. Tiers (docker, bubblewrap,
 * plain) implement it and pass test/conformance/sandbox.
 */
import type { Socket } from 'node:net';
import type { Config } from '../../shared/config.ts';

export interface SandboxLimits {
  /** Wall clock in milliseconds from spawn; then the whole tree is killed. */
  readonly wallMs: number;
  /** CPU seconds. */
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly processes: number;
  /** Bytes of a single file the candidate may write. */
  readonly fileBytes: number;
  /** Bytes of output kept and read; more ends the sandbox. */
  readonly outputBytes: number;
}

export const defaultLimits: SandboxLimits = {
  wallMs: 10_000,
  cpuSeconds: 30,
  memoryBytes: 1024 ** 3,
  processes: 128,
  fileBytes: 64 * 1024 ** 2,
  outputBytes: 16 * 1024 ** 2,
};

export interface Mount {
  readonly from: string;
  readonly at: string;
  readonly writable?: true;
}

/** What a sandbox runs. The tier finds the interpreter, mounts what is named, and adds nothing. */
export interface SandboxSpec {
  readonly runtime: 'python' | 'node' | 'command';
  /** Arguments behind the interpreter; for `command`, the whole command line. */
  readonly argv: readonly string[];
  /** Files put into the private, writable working folder before the start. */
  readonly files?: readonly { path: string; text: string }[];
  /** Folders of ours visible at `at`: read-only, except a throw-away copy that was made for this sandbox. */
  readonly mounts?: readonly Mount[];
  /** Where it starts: the place of a mount. Default: the private, writable working folder. */
  readonly cwd?: string;
  /** The whole environment except what the tier itself must set. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /**
   * The program is ours and gives its children namespaces of their own; the filter of system calls for them is in /tmp/filter.bpf.
   * Only for an executor that `nests`.
   */
  readonly nests?: true;
  /** The runtime that it starts, whose files and limits it has. Only for an executor that `nests`. */
  readonly executes?: 'node';
  /** Sockets that it is started with, above its standard descriptors. Only for an executor that `nests`. */
  readonly channels?: number;
}

/** How a sandbox ended, as seen from outside. */
export interface SandboxExit {
  readonly cause: 'exit' | 'timeout' | 'memory' | 'output' | 'killed';
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  readonly wallMs: number;
}

export interface Sandbox {
  /** Writes a line, or several with line breaks between them, to standard input. A sandbox that has ended ignores it. */
  send(lines: string): void;
  /** The next line of standard output; undefined when the sandbox has ended. */
  receive(): Promise<string | undefined>;
  /** Resolves when the whole tree is gone and its folder removed. Never rejects. */
  readonly exited: Promise<SandboxExit>;
  /** Kills the whole tree. */
  kill(): void;
  /** Our ends of the sockets that it was started with. */
  readonly channels?: readonly Socket[];
  /** Processor time that it has taken so far, in milliseconds; undefined where that cannot be found out. */
  cpuMs?(): Promise<number | undefined>;
  /**
   * The same at once and exactly, by the kernel's own account, which nobody inside can change and no load distorts. Absent
   * or undefined where the tier has none.
   */
  accountMs?(): number | undefined;
  /** The account is exact for threads and processes that have ended, too, which otherwise count in ticks of ten milliseconds. */
  readonly accountsForEnded?: boolean;
  /** The processor that its program ran on last; absent or undefined where that cannot be found out. */
  processor?(): number | undefined;
  /** Keeps its program on that processor from now on; false where the platform does not let it. Never rejects. */
  confine?(processor: number): Promise<boolean>;
}

export interface Executor {
  readonly name: string;
  /** Its programs run as a user who is not the one that opens it, and cannot read what only that one may. */
  readonly foreign?: boolean;
  /** Each sandbox has a user of its own, who may be the one that a writable mount belongs to. */
  readonly ownUsers?: boolean;
  /** A program of ours may make sandboxes within its own. */
  readonly nests?: boolean;
  /** Why it cannot be used here, with the fix; undefined when it can. */
  unavailable(): Promise<string | undefined>;
  open(spec: SandboxSpec): Promise<Sandbox>;
}

/** The tier a worker uses, chosen once by configuration. */
export interface SandboxFactory {
  readonly tier: Executor;
  /** A warning for the user when the tier is weaker than they might think. */
  readonly warning: string | undefined;
  /** Limits from the configuration. */
  readonly limits: SandboxLimits;
}

declare module '../registry.ts' {
  interface PluginKinds {
    executor: (config: Config) => Executor;
  }
}
