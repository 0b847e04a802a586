/** Sandboxes that wait for more of the same work: they end after a while, and at once when a host of this process closes. */

const waiting = new Set<() => void>();
let hosts = 0;
/** The last host has just closed: what its work still holds does not wait for more when it is let go. */
let isOver = false;
/** By then all of it is let go. */
const OVER_MS = 1000;

/** Calls `end` after that time, or when a host closes before. What is returned takes that back. */
export function whileIdle(ms: number, end: () => void): () => void {
  const over = (): void => {
    takeBack();
    end();
  };
  const timer = setTimeout(over, isOver ? 0 : ms);
  const takeBack = (): void => {
    clearTimeout(timer);
    waiting.delete(over);
  };
  waiting.add(over);
  return takeBack;
}

/** To be called when a host begins to take work; what is returned, when it closes. Another host has to start its sandboxes again. */
export function hostBegins(): () => void {
  hosts++;
  isOver = false;
  return () => {
    hosts--;
    isOver = hosts === 0;
    setTimeout(() => {
      isOver = false;
    }, OVER_MS).unref();
    for (const end of [...waiting]) end();
  };
}
