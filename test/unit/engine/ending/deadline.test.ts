import assert from 'node:assert/strict';
import { AnnounceDeadline, announceBudget } from '../../../../daemon/engine/ending/deadline.ts';
import { confirmingOf, confirmingText } from '../../../../shared/gain.ts';

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
    let now = 0;
    const deadline = new AnnounceDeadline(() => now);
    assert.equal(deadline.leftMs, Number.POSITIVE_INFINITY);
    deadline.within(4000);
    now = 1000;
    assert.equal(deadline.leftMs, 3000);
    assert.equal(deadline.isAsked, false);
    deadline.stop();
    assert.deepEqual([deadline.isAsked, deadline.leftMs], [true, 3000]);
    now = 9000;
    assert.equal(deadline.leftMs, 0);
    deadline.close();
  });

  it('is told with the seconds that have gone by', () => {
    const at = '2026-01-01T00:00:00.000Z';
    const bounded = confirmingOf({ type: 'confirming', at, within_ms: 7600 });
    assert.equal(confirmingText(bounded, Date.parse(at) + 3200), 'confirming the best: 3 of 8 s');
    assert.equal(confirmingText(confirmingOf({ type: 'confirming', at }), Date.parse(at) + 3200), 'confirming the best: 3 s');
  });
});
