/** Draws what has changed, piece by piece: a frame ends before it takes too long, and what is left waits for the next. */

/** A share of the 16 ms that a frame has at 60 Hz; the browser needs some itself. */
const BUDGET_MS = 6;
/** A piece that takes long to draw is drawn less often: at most this share of the time. */
const SHARE = 0.1;

export class Frames<Piece extends string> {
  private readonly draw: Readonly<Record<Piece, () => void>>;
  /** In the order in which they were asked for: none is passed over for ever. */
  private readonly waiting = new Set<Piece>();
  /** When a piece may be drawn again. */
  private readonly next = new Map<Piece, number>();
  private asked = false;

  constructor(draw: Readonly<Record<Piece, () => void>>) {
    this.draw = draw;
  }

  need(...pieces: readonly Piece[]): void {
    for (const piece of pieces) this.waiting.add(piece);
    this.ask();
  }

  private ask(): void {
    if (this.asked || this.waiting.size === 0) return;
    this.asked = true;
    requestAnimationFrame(() => this.frame());
  }

  private frame(): void {
    this.asked = false;
    const started = performance.now();
    for (const piece of [...this.waiting]) {
      const before = performance.now();
      if (before - started > BUDGET_MS) break;
      if (before < (this.next.get(piece) ?? 0)) continue;
      this.waiting.delete(piece);
      this.draw[piece]();
      const after = performance.now();
      this.next.set(piece, after + (after - before) / SHARE);
    }
    this.ask();
  }
}
