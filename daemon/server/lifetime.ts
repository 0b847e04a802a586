/** Decides when an idle daemon ends: without a client and without a run for the whole grace period. */

/** The process that started the daemon gets this much time to connect, however short the grace period is. Milliseconds. */
const FIRST_CLIENT_MS = 5000;

export class Lifetime {
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private wasBusy = false;
  private readonly graceMs: number;
  private readonly busy: () => boolean;
  private readonly onIdle: () => void;

  constructor(graceMs: number, busy: () => boolean, onIdle: () => void) {
    this.graceMs = graceMs;
    this.busy = busy;
    this.onIdle = onIdle;
  }

  /** To be called whenever a client comes or goes, or work begins or ends. */
  check(): void {
    if (this.ended) return;
    if (this.busy()) {
      this.wasBusy = true;
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    const graceMs = this.wasBusy ? this.graceMs : Math.max(this.graceMs, FIRST_CLIENT_MS);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      if (this.busy()) return;
      this.ended = true;
      this.onIdle();
    }, graceMs);
  }

  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
