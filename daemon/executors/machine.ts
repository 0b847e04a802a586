/**
 * What a process found out about its machine for its sandboxes, and hands to the workers that it launches: asking an
 * interpreter who it is and trying bubblewrap cost more than many a candidate, and a one-shot worker would ask every time.
 */

export type RuntimeName = 'python' | 'node';

export interface Interpreter {
  /** Absolute path of the real program, not of a shim: a shim costs about 100 ms per start. */
  readonly path: string;
  /** Folders outside /usr that the interpreter reads: its own prefix, the one of its virtual environment. */
  readonly prefixes: readonly string[];
  /** Folders in which Python looks for packages. */
  readonly libraries: readonly string[];
  readonly version: string;
  /** What must be in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface MachineFacts {
  interpreters: Partial<Record<RuntimeName, Interpreter>>;
  /** It was tried, and works. */
  bubblewrap: boolean;
}

/** Describes this process. Only what was found is noted: what is missing may be installed at any time. */
export const machine: MachineFacts = { interpreters: {}, bubblewrap: false };
