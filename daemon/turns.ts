/** Keeps work that many wait for at the same moment from holding up the event loop as one piece. */
export class Turns {
  private last: Promise<void> = Promise.resolve();

  /** Resolves when the caller may go on: one in each round of the event loop, in the order in which they came. */
  next(): Promise<void> {
    this.last = this.last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.last;
  }
}
