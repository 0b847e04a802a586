/** Lets steps that finish in any order take effect in index order, so that a deterministic run repeats itself. */
export class OrderGate {
  private next: number;
  private readonly left = new Set<number>();
  private readonly waiting = new Map<number, () => void>();

  constructor(first: number) {
    this.next = first;
  }

  /** Resolves when every lower index has left. */
  enter(index: number): Promise<void> {
    if (index <= this.next) return Promise.resolve();
    return new Promise((resolve) => this.waiting.set(index, resolve));
  }

  leave(index: number): void {
    this.left.add(index);
    while (this.left.delete(this.next)) this.next++;
    this.waiting.get(this.next)?.();
    this.waiting.delete(this.next);
  }
}
