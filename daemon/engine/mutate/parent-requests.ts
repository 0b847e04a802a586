/** A user's wishes about the next parents, in the order in which they came: each is granted to a number of slots. Pure. */
import type { Sha256 } from '../../../shared/ids.ts';

export interface ParentRequest {
  readonly parent: Sha256;
  readonly inspirations: readonly Sha256[];
  readonly mutator?: string | undefined;
}

interface Open {
  readonly wish: ParentRequest;
  /** Slots that have not been selected yet, and of these those that are just being. */
  left: number;
  taken: number;
}

export class ParentRequests {
  private open: Open[] = [];

  add(wish: ParentRequest, slots: number): void {
    this.open.push({ wish, left: slots, taken: 0 });
  }

  /** The wish that the next slot is to grant; `granted` follows when that is on disk. */
  take(): ParentRequest | undefined {
    const next = this.open.find(({ left, taken }) => taken < left);
    if (next !== undefined) next.taken++;
    return next?.wish;
  }

  granted(parent: Sha256): void {
    const open = this.open.find(({ wish }) => wish.parent === parent);
    if (open === undefined) return;
    open.left--;
    open.taken = Math.max(0, open.taken - 1);
    this.open = this.open.filter(({ left }) => left > 0);
  }

  /** Drops what cannot be granted any more: wishes about this program, or all. */
  drop(sha256?: Sha256): void {
    this.open = this.open.filter(({ wish }) => sha256 !== undefined && wish.parent !== sha256);
  }
}
