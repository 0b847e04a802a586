/** A user's wishes about the next parents, in the order in which they came: each is granted to a number of slots. Pure. */
import type { Sha256 } from '../../../shared/ids.ts';

interface ParentRequest {
  readonly parent: Sha256;
  readonly inspirations: readonly Sha256[];
  readonly mutator?: string | undefined;
}

interface Open {
  readonly wish: ParentRequest;
  /** Slots that have not been selected yet. */
  left: number;
}

export class ParentRequests {
  private open: Open[] = [];

  add(wish: ParentRequest, slots: number): void {
    this.open.push({ wish, left: slots });
  }

  /** The wish that the next slot is to grant after as many as are being granted; `granted` follows when that is on disk. */
  next(granting: number): ParentRequest | undefined {
    return this.open.flatMap(({ wish, left }) => Array.from({ length: left }, () => wish))[granting];
  }

  granted(parent: Sha256): void {
    const open = this.open.find(({ wish }) => wish.parent === parent);
    if (open === undefined) return;
    open.left--;
    this.open = this.open.filter(({ left }) => left > 0);
  }

  /** Drops what cannot be granted any more: wishes about this program, or all. */
  drop(sha256?: Sha256): void {
    this.open = this.open.filter(({ wish }) => sha256 !== undefined && wish.parent !== sha256);
  }
}
