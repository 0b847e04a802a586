import assert from 'node:assert/strict';
import fc from 'fast-check';
import { retryAfter } from '../../../daemon/llm/backends/compatible-failure.ts';
import { Breaker } from '../../../daemon/llm/breaker.ts';
import { backoffMs } from '../../../daemon/llm/ensemble.ts';
import { RateWindow } from '../../../daemon/llm/rate/window.ts';

describe('back-off', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('never waits less than the endpoint asked for, and little more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.nat(100_000), random, (failures, asked, dice) => {
        const wait = backoffMs(failures, asked, dice);
        assert.ok(wait >= asked && wait <= asked + 500);
      }),
    );
  });

  it('doubles its ceiling up to 20 s', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), random, (failures, dice) => {
        const wait = backoffMs(failures, undefined, dice);
        assert.ok(wait >= 0 && wait <= Math.min(20_000, 500 * 2 ** (failures - 1)));
      }),
    );
  });

  it('begins with the delay that is asked for, whatever it is', () => {
    assert.equal(backoffMs(1, undefined, 0.5, 5000), 2500);
    assert.equal(backoffMs(2, undefined, 0.5, 5000), 5000);
    assert.equal(backoffMs(1, undefined, 0.5, 60_000), 30_000);
  });

  it('reads Retry-After in any of its forms and nothing else', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    assert.equal(retryAfter(null, '2.5', now), 2500);
    assert.equal(retryAfter('150', '2', now), 150);
    assert.equal(retryAfter(null, 'Thu, 01 Jan 2026 00:00:09 GMT', now), 9000);
    assert.equal(retryAfter(null, 'Thu, 01 Jan 2015 00:00:09 GMT', now), 0);
    for (const junk of ['', ' ', 'soon', '-5', 'NaN', 'Infinity']) assert.equal(retryAfter(null, junk, now), undefined, junk);
  });
});

describe('the circuit breaker', () => {
  const failing = (times: number) => {
    const breaker = new Breaker();
    for (let i = 0; i < times; i++) {
      assert.ok(breaker.enter(0));
      breaker.failure(0);
    }
    return breaker;
  };

  it('stays closed for four failures in a row, and opens at the fifth', () => {
    assert.equal(failing(4).state(0), 'closed');
    assert.equal(failing(5).state(0), 'open');
    assert.equal(failing(5).enter(999), false);
  });

  it('lets exactly one through after its pause', () => {
    const breaker = failing(5);
    assert.equal(breaker.state(1000), 'half_open');
    assert.deepEqual(
      [1, 2, 3].map(() => breaker.enter(1000)),
      [true, false, false],
    );
  });

  it('closes when that one succeeds, and pauses twice as long when it fails', () => {
    const good = failing(5);
    good.enter(1000);
    good.success();
    assert.equal(good.state(1000), 'closed');
    const bad = failing(5);
    bad.enter(1000);
    bad.failure(1000);
    assert.deepEqual([bad.state(2999), bad.state(3000)], ['open', 'half_open']);
  });

  it('lets the next one try when the first was cancelled', () => {
    const breaker = failing(5);
    breaker.enter(1000);
    breaker.abandon();
    assert.ok(breaker.enter(1000));
  });

  it('is never open for more than a minute', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('success', 'failure', 'abandon'), { maxLength: 100 }), (outcomes) => {
        const breaker = new Breaker();
        let now = 0;
        for (const outcome of outcomes) {
          now = breaker.nextTry(now);
          assert.ok(breaker.enter(now));
          if (outcome === 'failure') breaker.failure(now);
          else breaker[outcome]();
          assert.ok(breaker.nextTry(now) - now <= 60_000);
        }
      }),
    );
  });
});

describe('the rate window', () => {
  const requests = fc.array(fc.record({ after: fc.nat(5000), tokens: fc.nat(80) }), { maxLength: 200 });

  it('lets no 60 seconds hold more than the limit, however the requests come', () => {
    fc.assert(
      fc.property(requests, (asked) => {
        const limit = { requests: 7, tokens: 200 };
        const window = new RateWindow(limit);
        const taken: { at: number; tokens: number }[] = [];
        let now = 0;
        for (const { after, tokens } of asked) {
          now += after;
          if (window.take(tokens, now) === 0) taken.push({ at: now, tokens });
        }
        for (const { at } of taken) {
          const minute = taken.filter((one) => one.at >= at && one.at < at + 60_000);
          assert.ok(minute.length <= limit.requests);
          assert.ok(minute.reduce((sum, one) => sum + one.tokens, 0) <= limit.tokens);
        }
      }),
    );
  });

  it('lets a request through after the wait it answered, when nobody else came', () => {
    fc.assert(
      fc.property(requests, (asked) => {
        const window = new RateWindow({ requests: 7, tokens: 200 });
        let now = 0;
        for (const { after, tokens } of asked) {
          now += after;
          for (let waits = 0; ; waits++) {
            const wait = window.take(tokens, now);
            if (wait === 0) break;
            assert.ok(wait > 0 && wait <= 61_000 && waits < 1);
            now += wait;
          }
        }
      }),
    );
  });

  it('lets a request above the whole limit through when the window is empty', () => {
    assert.equal(new RateWindow({ requests: 1, tokens: 10 }).take(5000, 0), 0);
  });

  it('gives back what a request did not use', () => {
    const window = new RateWindow({ requests: 10, tokens: 100 });
    window.take(100, 0);
    assert.ok(window.take(60, 0) > 0);
    window.settle(-70, 0);
    assert.equal(window.take(60, 0), 0);
  });
});
