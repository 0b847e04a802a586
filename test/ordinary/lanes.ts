/** Runs work for many items a few at a time: most of it is waiting for processes, so that two of them overlap well. */

/** Starts `work` for the items in their order, and returns what gives the result for one of them. */
export function inLanes<T, R>(items: readonly T[], work: (item: T) => Promise<R>, lanes = 2): (item: T) => Promise<R> {
  const results = new Map(items.map((item) => [item, Promise.withResolvers<R>()] as const));
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const settled = results.get(item);
      await work(item).then(settled?.resolve, settled?.reject);
    }
  };
  for (const { promise } of results.values()) promise.catch(() => undefined);
  for (let at = 0; at < lanes; at++) void lane();
  return async (item) => {
    const found = results.get(item);
    if (found === undefined) throw new Error('There is no such item.');
    return await found.promise;
  };
}
