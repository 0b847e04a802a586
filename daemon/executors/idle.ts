/** Sandboxes that wait for more of the same work: they end after a while, and at once when a host of this process closes. */

const waiting = new Set<() => void>();

/** Calls `end` after that time, or when a host closes before. What is returned takes that back. */
export function whileIdle(ms: number, end: () => void): () => void {
  const over = (): void => {
    takeBack();
    end();
  };
  const timer = setTimeout(over, ms);
  const takeBack = (): void => {
    clearTimeout(timer);
    waiting.delete(over);
  };
  waiting.add(over);
  return takeBack;
}

/** Another host of this process loses no more than the time to start them again. */
export function endIdle(): void {
  for (const end of [...waiting]) end();
}
