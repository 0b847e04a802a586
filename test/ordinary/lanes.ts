/** Runs work for many items a few at a time: most of it is waiting for processes, so that several of them overlap well. */

export interface Lanes<T, R> {
  /** What the work on the item came to. The first that is asked for begins it all: with the item, and those behind it. */
  of(item: T): Promise<R>;
  /** Begins no more, and waits for what has begun: one test of many asks for one item only. */
  close(): Promise<void>;
}

/** `work` runs for at most `lanes` items at a time, in their order. */
export function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>, lanes = 2): Lanes<T, R> {
  const results = new Map(items.map((item) => [item, Promise.withResolvers<R>()] as const));
  for (const { promise } of results.values()) promise.catch(() => undefined);
  let waiting: T[] = [];
  let running: Promise<void>[] = [];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const settled = results.get(item);
      await work(item).then(settled?.resolve, settled?.reject);
    }
  };
  return {
    of: async (item) => {
      const found = results.get(item);
      if (found === undefined) throw new Error('There is no such item.');
      if (running.length === 0) {
        waiting = items.slice(items.indexOf(item));
        running = Array.from({ length: lanes }, lane);
      }
      return await found.promise;
    },
    close: async () => {
      waiting = [];
      await Promise.all(running);
    },
  };
}
