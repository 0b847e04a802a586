import assert from 'node:assert/strict';
import type { Withdrawing } from '../../../../daemon/engine/ending/confirm.ts';
import { AnnounceDeadline, announceBudget } from '../../../../daemon/engine/ending/deadline.ts';
import { confirmingOf, confirmingText } from '../../../../shared/gain.ts';
import { TaskId } from '../../../../shared/ids.ts';
import type { Task } from '../../../../shared/task.ts';
import { ScriptedClock } from '../scripted-clock.ts';

describe('the time of an announcement', () => {
  const usual = { deterministic: false };

  it('is a fifth of the run so far, at least 2 and at most 10 seconds', () => {
    assert.equal(announceBudget(usual, 0), 2000);
    assert.equal(announceBudget(usual, 20_000), 4000);
    assert.equal(announceBudget(usual, 3_600_000), 10_000);
  });

  it('is not bounded where it is to be precise, or to come out the same on any machine', () => {
    assert.equal(announceBudget({ ...usual, confirm: 'precise' }, 20_000), undefined);
    assert.equal(announceBudget({ deterministic: true }, 20_000), undefined);
  });

  it('is the shorter of the budget and the patience of a user who has stopped the run', () => {
    const clock = new ScriptedClock();
    const deadline = new AnnounceDeadline(clock);
    assert.equal(deadline.leftMs, Number.POSITIVE_INFINITY);
    deadline.within(4000);
    clock.advance(1000);
    assert.equal(deadline.leftMs, 3000);
    assert.equal(deadline.isAsked, false);
    deadline.stop();
    assert.deepEqual([deadline.isAsked, deadline.leftMs], [true, 3000]);
    clock.advance(8000);
    assert.equal(deadline.leftMs, 0);
  });

  it('begins again when what was looked at is wrong, a few times and not when a user waits', () => {
    const clock = new ScriptedClock();
    const deadline = new AnnounceDeadline(clock);
    assert.equal(deadline.again(), false);
    assert.equal(deadline.leftMs, Number.POSITIVE_INFINITY);
    deadline.within(4000);
    for (let times = 0; times < 3; times++) {
      clock.advance(5000);
      assert.equal(deadline.leftMs, 0);
      assert.equal(deadline.again(), true);
      assert.equal(deadline.leftMs, 4000);
    }
    assert.equal(deadline.again(), false);
    const asked = new AnnounceDeadline(clock);
    asked.within(4000);
    asked.stop();
    assert.equal(asked.again(), false);
  });

  /** A confirmer whose only task takes that long on the clock, and what was taken back. */
  function asking(clock: ScriptedClock, takesMs: number) {
    const cancelled: string[] = [];
    const run = (_: Task, signal: AbortSignal) =>
      new Promise<unknown>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        clock.after(takesMs, () => resolve('done'));
      });
    const cancel = async (ids: string[]) => void cancelled.push(...ids);
    const confirmer = { taskClient: { run, cancel }, signal: new AbortController().signal } as unknown as Withdrawing;
    const task = { id: TaskId.parse('0123456789abcdef') } as unknown as Task;
    return { confirmer, cancelled, ask: (bounded: Withdrawing) => bounded.taskClient.run(task, bounded.signal), task };
  }

  it('is shared: what takes longer than its part is taken back, and the rest is left for what comes next', async () => {
    const clock = new ScriptedClock();
    const deadline = new AnnounceDeadline(clock);
    deadline.within(8000);
    const { confirmer, cancelled, ask, task } = asking(clock, 7000);
    const asked = deadline.inTime(deadline.leftMs * 0.75, confirmer, ask);
    clock.advance(6000);
    assert.equal(await asked, undefined);
    assert.deepEqual(cancelled, [task.id]);
    assert.equal(deadline.leftMs, 2000);
  });

  it('is not used up by what is done earlier, and nothing is asked for when it is over', async () => {
    const clock = new ScriptedClock();
    const deadline = new AnnounceDeadline(clock);
    deadline.within(8000);
    const { confirmer, cancelled, ask } = asking(clock, 1000);
    const asked = deadline.inTime(deadline.leftMs, confirmer, ask);
    clock.advance(1000);
    assert.equal(await asked, 'done');
    clock.advance(7000);
    assert.equal(await deadline.inTime(deadline.leftMs, confirmer, () => assert.fail('asked')), undefined);
    assert.deepEqual(cancelled, []);
  });

  it('has no end unless it is given one', async () => {
    const clock = new ScriptedClock();
    const deadline = new AnnounceDeadline(clock);
    const { confirmer, ask } = asking(clock, 3_600_000);
    const asked = deadline.inTime(deadline.leftMs, confirmer, ask);
    clock.advance(3_600_000);
    assert.equal(await asked, 'done');
  });

  it('is reported with the seconds that have passed', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const bounded = confirmingOf({ type: 'confirming', at, within_ms: 7600 });
    assert.equal(confirmingText(bounded, Date.parse(at) + 3200), 'confirming the best: 3 of 8 s');
    assert.equal(confirmingText(confirmingOf({ type: 'confirming', at }), Date.parse(at) + 3200), 'confirming the best: 3 s');
  });
});
