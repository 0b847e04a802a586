/**
 * What the processes of a sandbox take, where the system has no groups to limit and to end them: the table of processes is read
 * while sandboxes are open, once for all of them. Who leaves the tree between two looks, by a fork of a fork, and starts a program
 * without its environment, is not found.
 */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const LOOK_MS = 250;
const TABLE_BYTES = 1 << 24;
const columns = 'pid=,ppid=,pgid=,uid=,rss=,stat=,lstart=,command=';
/** With the environment behind the command, which takes longer. */
const whole = [process.platform === 'darwin' ? '-axEww' : 'axeww', '-o', columns];
// Its dates are in the language of the user.
const options = { encoding: 'utf8', maxBuffer: TABLE_BYTES, env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } } as const;

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly uid: number;
  readonly memoryBytes: number;
  /** When it began: distinguishes it from a later process with the same `pid`. */
  readonly started: string;
  /** What it was started with and, where that was asked for, its environment. */
  readonly command: string;
}

/** Leaves out processes that have ended but were not waited for, and lines that are not rows of the table. */
export function parseProcesses(table: string): ProcessRow[] {
  return table.split('\n').flatMap((line) => {
    const [, pid, parent, group, uid, kib, state = '', started = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+[\d:]+\s+\d+)\s?(.*)$/.exec(line) ?? [];
    if (pid === undefined || state.startsWith('Z')) return [];
    const numbers = { pid: Number(pid), parent: Number(parent), group: Number(group), uid: Number(uid) };
    return [{ ...numbers, memoryBytes: Number(kib) * 1024, started, command }];
  });
}

/**
 * The processes of the tree that begins with the group `root`, and those that carry its mark; `known` are those that were in it
 * before. O(rows · depth)
 */
export function membersOf(
  rows: readonly ProcessRow[],
  root: number,
  mark: string,
  known: ReadonlyMap<number, string>,
): ProcessRow[] {
  const isIn = ({ pid, group, started, command }: ProcessRow): boolean =>
    group === root || known.get(pid) === started || command.includes(mark);
  const members = new Set(rows.filter(isIn));
  for (let size = -1; size !== members.size; ) {
    size = members.size;
    const pids = new Set([...members].map(({ pid }) => pid));
    const groups = new Set([...members].map(({ group }) => group));
    for (const row of rows) if (pids.has(row.parent) || groups.has(row.group)) members.add(row);
  }
  return [...members];
}

export async function readProcesses(): Promise<ProcessRow[]> {
  return parseProcesses((await run('ps', ['-axo', columns], options)).stdout);
}

/** One sandbox's processes, from when it is opened until it has ended. */
export class Tree {
  private readonly known = new Map<number, string>();
  private readonly root: number;
  private readonly mark: string;
  private over = false;
  private readonly look: (members: readonly ProcessRow[]) => void;

  /** `mark`: a part of the environment of its first process. `look` is called with its processes again and again until `close`. */
  constructor(root: number, mark: string, look: (members: readonly ProcessRow[]) => void) {
    this.root = root;
    this.mark = mark;
    this.look = look;
    open.add(this);
    if (isLooking) return;
    isLooking = true;
    setTimeout(() => void tick(), LOOK_MS);
  }

  see(rows: readonly ProcessRow[]): ProcessRow[] {
    const members = membersOf(rows, this.root, this.mark, this.known);
    for (const { pid, started } of members) this.known.set(pid, started);
    return members;
  }

  tell(rows: readonly ProcessRow[]): void {
    this.look(this.see(rows));
  }

  /** A process may fork while the table is read: it is read again until nobody is left. */
  kill(): void {
    if (this.over) return;
    end(-this.root);
    for (let round = 0; round < 20; round++) {
      const members = this.see(parseProcesses(execFileSync('ps', whole, options)));
      this.over = members.length === 0;
      if (this.over) return;
      for (const { pid } of members) end(pid);
    }
  }

  close(): void {
    open.delete(this);
  }
}

const open = new Set<Tree>();
let isLooking = false;

async function tick(): Promise<void> {
  // Without a table nothing is known: a bomb may have taken every process that this user may have.
  const rows = await readProcesses().catch(() => []);
  for (const tree of open) tree.tell(rows);
  isLooking = open.size > 0;
  if (isLooking) setTimeout(() => void tick(), LOOK_MS);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone, or not ours.
  }
}
