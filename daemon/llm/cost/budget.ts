/**
 * A run's budget, of tokens or of dollars. What a question can cost at worst is reserved before it is asked, and settled to what it
 * did cost: settled and reserved together never pass the limit, whatever is in flight. Pure.
 *
 * A worker that dies in mid-question leaves no account: its reservation is settled in full (`forfeit`), and the task's
 * next attempt needs a reservation of its own.
 */
export class Budget {
  private readonly limit: number;
  private readonly open = new Map<string, number>();
  private settled = 0;
  private held = 0;

  /** Without a limit everything is granted, and still accounted for. */
  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  /** What has been spent. More than was reserved is possible only when an endpoint charges more than it was allowed to. */
  get spent(): number {
    return this.settled;
  }

  get reserved(): number {
    return this.held;
  }

  reservedFor(id: string): number {
    return this.open.get(id) ?? 0;
  }

  /** What can still be reserved. */
  get left(): number {
    return Math.max(0, this.limit - this.settled - this.held);
  }

  /** Whether the amount is granted. An id that holds a reservation keeps it and gets no second one. */
  reserve(id: string, amount: number): boolean {
    if (!(amount >= 0)) throw new RangeError(`reserve(${id}, ${amount}): expected an amount ≥ 0.`);
    if (this.open.has(id)) return true;
    if (this.settled + this.held + amount > this.limit) return false;
    this.open.set(id, amount);
    this.held += amount;
    return true;
  }

  /** The question has cost this; the rest of its reservation is free again. A second report of the same id counts nothing. */
  settle(id: string, spent: number): void {
    if (this.take(id)) this.settled += spent;
  }

  /** What the question has cost will never be known: all of it counts as spent. */
  forfeit(id: string): void {
    const amount = this.open.get(id) ?? 0;
    if (this.take(id)) this.settled += amount;
  }

  /** The question was not asked. */
  release(id: string): void {
    this.take(id);
  }

  /** What a resumed run has spent before. */
  spend(amount: number): void {
    this.settled += amount;
  }

  private take(id: string): boolean {
    this.held -= this.open.get(id) ?? 0;
    const held = this.open.delete(id);
    // Sums of fractions of a dollar leave a rest.
    if (this.open.size === 0) this.held = 0;
    return held;
  }
}
