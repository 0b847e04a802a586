import type { RunState } from './state/run-state.ts';

/** Lets steps that finish in any order take effect in index order, so that a deterministic run repeats itself. */
export class OrderGate {
  private next: number;
  private readonly left = new Set<number>();
  private readonly waiting = new Map<number, () => void>();

  constructor(first: number) {
    this.next = first;
  }

  /** Resolves when every lower index has left. Rejects with the signal's reason when it fires first. */
  enter(index: number, signal: AbortSignal): Promise<void> {
    if (index <= this.next) return Promise.resolve();
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.set(index, () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      });
    });
  }

  leave(index: number): void {
    this.left.add(index);
    while (this.left.delete(this.next)) this.next++;
    this.waiting.get(this.next)?.();
    this.waiting.delete(this.next);
  }
}

/** Gates for the slots of a run: those of a resumed run that are settled, or have their program, have left already. */
export function orderGates(state: RunState): { accepting: OrderGate; inserting: OrderGate } {
  const first = Math.min(state.nextIndex, ...state.open.unsettled());
  const accepting = new OrderGate(first);
  const inserting = new OrderGate(first);
  for (let index = first; index < state.nextIndex; index++) {
    const open = state.open.get(index);
    const settled = open === undefined && !state.open.reopened.has(index);
    if (settled) inserting.leave(index);
    if (settled || open?.mutated !== undefined) accepting.leave(index);
  }
  return { accepting, inserting };
}
