/** A niche of an archive with what it holds. */
import type { Elite, NicheId } from '../../../shared/niche.ts';

export interface Held {
  readonly elite: Elite;
  /** Its number among all that were offered: of equals the lower one stays. */
  readonly order: number;
}

export interface Cell {
  readonly id: NicheId;
  /** The champion, then former champions, newest first. */
  held: [Held, ...Held[]];
  offered: number;
  /** Index among the champions. */
  place: number;
}

export function championOf(cell: Cell): Elite {
  return cell.held[0].elite;
}
