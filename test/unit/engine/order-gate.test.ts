import assert from 'node:assert/strict';
import fc from 'fast-check';
import { OrderGate } from '../../../daemon/engine/run/order-gate.ts';

const never = new AbortController().signal;

describe('OrderGate', () => {
  it('lets steps through in index order, whatever order they arrive in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(5), fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), async (first, arrivals) => {
        const gate = new OrderGate(first);
        const passed: number[] = [];
        await Promise.all(
          arrivals.map(async (offset) => {
            await gate.enter(first + offset, never);
            passed.push(offset);
            gate.leave(first + offset);
          }),
        );
        assert.deepEqual(passed, [0, 1, 2, 3, 4, 5, 6, 7]);
      }),
    );
  });

  it('passes over indices that left without entering', async () => {
    const gate = new OrderGate(0);
    gate.leave(1);
    gate.leave(0);
    await gate.enter(2, never);
  });

  it('lets nobody wait for ever once the signal fires', async () => {
    const aborter = new AbortController();
    const waiting = new OrderGate(0).enter(3, aborter.signal);
    aborter.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
  });
});
