/**
 * Sends what many callers ask for in one turn of the event loop as one step. Callers that share a client come back
 * together too, since one answer serves them all.
 */

/** At most this many callers in a step: with more, the client would idle while the server works, and the other way round. */
const AT_MOST = 25;
const BYTES = 1 << 20;

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Group<Item> {
  callers: Waiting<Item>[];
  bytes: number;
}

export class TurnBatch<Item> {
  private readonly run: (key: string, items: readonly Item[]) => Promise<readonly unknown[]>;
  private readonly groups = new Map<string, Group<Item>>();

  /** `run` returns a value for each item, in their order, and is safe to run again. */
  constructor(run: (key: string, items: readonly Item[]) => Promise<readonly unknown[]>) {
    this.run = run;
  }

  /** Only items with the same key go together. */
  add(key: string, item: Item, bytes = 0): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const group = this.groups.get(key) ?? this.open(key);
      group.callers.push({ item, resolve, reject });
      group.bytes += bytes;
      if (group.callers.length >= AT_MOST || group.bytes >= BYTES) this.send(key, group);
    });
  }

  private open(key: string): Group<Item> {
    const group = { callers: [], bytes: 0 };
    this.groups.set(key, group);
    process.nextTick(() => this.send(key, group));
    return group;
  }

  private send(key: string, group: Group<Item>): void {
    if (this.groups.get(key) === group) this.groups.delete(key);
    const { callers } = group;
    group.callers = [];
    if (callers.length > 0) void this.settle(key, callers);
  }

  private async settle(key: string, callers: readonly Waiting<Item>[]): Promise<void> {
    try {
      const items = callers.map(({ item }) => item);
      const answers = await this.run(key, items);
      for (const [i, { resolve }] of callers.entries()) resolve(answers[i]);
    } catch (error) {
      const [only, ...others] = callers;
      if (others.length === 0) only?.reject(error);
      // One that fails is not to take the others along.
      else for (const caller of callers) void this.settle(key, [caller]);
    }
  }
}
