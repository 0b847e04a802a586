/** A clock that goes forward when a test says so, and calls back in the order of its times. */
import type { TimerClock } from '../../../daemon/engine/ending/deadline.ts';

export class ScriptedClock implements TimerClock {
  private at = 0;
  private waiting: { readonly due: number; readonly callback: () => void }[] = [];

  readonly now = (): number => this.at;

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const one = { due: this.at + ms, callback };
    this.waiting.push(one);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== one);
    };
  };

  advance(ms: number): void {
    this.at += ms;
    const due = this.waiting.filter((one) => one.due <= this.at).sort((a, b) => a.due - b.due);
    this.waiting = this.waiting.filter((one) => !due.includes(one));
    for (const { callback } of due) callback();
  }
}
