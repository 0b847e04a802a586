import assert from 'node:assert/strict';
import { AlertRules } from '../../../daemon/telemetry/alerts.ts';
import type { MetricsSample } from '../../../daemon/telemetry/sample.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const quiet: MetricsSample = {
  at: 0,
  pending: {},
  live: 0,
  idle: 0,
  tokens: 0,
  workerErrors: 0,
  tasks: new Map(),
  storeFailures: 0,
  bestScore: undefined,
};

/** Feeds a sample every five seconds from one minute to another, and answers what there is at the end. */
function pass(rules: AlertRules, from: number, to: number, sample: (minute: number) => Partial<MetricsSample>): string[] {
  let ids: string[] = [];
  for (let at = from * MINUTE; at <= to * MINUTE; at += 5 * SECOND) {
    ids = rules.observe({ ...quiet, ...sample(at / MINUTE), at }).map(({ id }) => id);
  }
  return ids;
}

const mutate = (all: number, failed: number) => ({ tasks: new Map([['mutate', { all, failed }]]) });

describe('the alerts of a daemon', () => {
  it('are none while all is well', () => {
    assert.deepEqual(
      pass(new AlertRules(), 0, 60, (minute) => ({
        ...mutate(minute * 10, minute),
        pending: { execute: 50 },
        bestScore: minute,
      })),
      [],
    );
  });

  it('tell of 51 candidates that wait for ten minutes, and no more when one of them is taken', () => {
    const rules = new AlertRules();
    const waiting = () => ({ pending: { execute: 51, mutate: 500 } });
    assert.deepEqual(pass(rules, 0, 9.9, waiting), []);
    assert.deepEqual(pass(rules, 10, 10.5, waiting), ['execute-backlog']);
    assert.deepEqual(
      pass(rules, 10.6, 10.7, () => ({ pending: { execute: 50 } })),
      [],
    );
  });

  it('tell of the sixth worker that ends badly in ten minutes, until ten minutes later', () => {
    const rules = new AlertRules();
    assert.deepEqual(
      pass(rules, 0, 4, (minute) => ({ workerErrors: 100 + Math.floor(minute) })),
      [],
    );
    assert.deepEqual(
      pass(rules, 4.1, 5, () => ({ workerErrors: 106 })),
      ['worker-errors'],
    );
    assert.deepEqual(
      pass(rules, 5.1, 16, () => ({ workerErrors: 106 })),
      [],
    );
  });

  it('tell within two minutes of a handler whose failures pass a tenth', () => {
    const rules = new AlertRules();
    assert.deepEqual(
      pass(rules, 0, 6, (minute) => mutate(100 * minute, 10 * minute)),
      [],
    );
    const failing = (minute: number) => mutate(100 * minute, 60 + 50 * (minute - 6));
    assert.deepEqual(pass(rules, 6.1, 8, failing), ['failures-mutate']);
  });

  it('are silent when few tasks failed, as where an original fails on its inputs', () => {
    assert.deepEqual(
      pass(new AlertRules(), 0, 4, (minute) => mutate(minute < 1 ? 0 : 4, minute < 1 ? 0 : 4)),
      [],
    );
  });

  it('tell of twice the usual tokens, once there is something usual', () => {
    const rules = new AlertRules();
    assert.deepEqual(
      pass(rules, 0, 30, (minute) => ({ tokens: 1000 * minute })),
      [],
      'whatever is used at first is not unusual',
    );
    assert.deepEqual(
      pass(rules, 30, 41, (minute) => ({ tokens: 30_000 + 3000 * (minute - 30) })),
      ['tokens'],
    );
  });

  it('tell at once of a result that could not be stored', () => {
    const rules = new AlertRules();
    pass(rules, 0, 1, () => ({}));
    const [alert] = rules.observe({ ...quiet, at: 2 * MINUTE, storeFailures: 1 });
    assert.equal(alert?.severity, 'critical');
    assert.equal(alert?.since, new Date(2 * MINUTE).toISOString());
  });

  it('tell of a best score that stands still for half an hour of work, but not of one that rests', () => {
    const working = (minute: number) => ({ bestScore: 2, ...mutate(minute * 10, 0) });
    const rules = new AlertRules();
    assert.deepEqual(pass(rules, 0, 29, working), []);
    assert.deepEqual(pass(rules, 29, 32, working), ['best-flat']);
    assert.deepEqual(
      pass(new AlertRules(), 0, 60, () => ({ bestScore: 2, ...mutate(10, 0) })),
      [],
    );
  });

  it('keep the time at which they began', () => {
    const rules = new AlertRules();
    pass(rules, 0, 1, () => ({}));
    const first = rules.observe({ ...quiet, at: 2 * MINUTE, storeFailures: 1 })[0]?.since;
    assert.equal(rules.observe({ ...quiet, at: 3 * MINUTE, storeFailures: 2 })[0]?.since, first);
  });
});
