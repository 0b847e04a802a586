/** Keeps work that many wait for at the same moment from holding up the event loop as one piece. */

let last: Promise<void> = Promise.resolve();

/** Resolves when the caller may go on: one caller in each round of the event loop, in the order in which they came. */
export function turn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
