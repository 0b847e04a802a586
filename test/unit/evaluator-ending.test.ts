/** Commands that a candidate ended early. */
import assert from 'node:assert/strict';
import { endedEarly, leftOut } from '../../daemon/handlers/evaluators/ending.ts';

const pytest = (time: string) =>
  `===== test session starts =====\ncollected 3 items\n\ntest_a.py ...   [100%]\n\n===== 3 passed in ${time} =====`;
const runs = [pytest('0.31s'), pytest('1.2s'), pytest('980ms')];

describe('the end of a command', () => {
  it('is that of the original, whatever time it took and whatever else was written', () => {
    assert.equal(endedEarly(runs, pytest('0.01s')), undefined);
    assert.equal(endedEarly(runs, `a warning of the candidate\n${pytest('2ms')}`), undefined);
    assert.equal(endedEarly(runs, pytest('0.2s').replace('3 passed', '3 passed, 1 warning')), undefined);
  });

  it('is missed when the candidate ended the process', () => {
    assert.match(endedEarly(runs, '===== test session starts =====\ncollected 3 items') ?? '', /without what .*# passed/);
    assert.match(endedEarly(runs, '') ?? '', /ended with success/);
  });

  it('cannot be told where the original writes nothing, or nothing twice', () => {
    assert.equal(endedEarly(['', ''], ''), undefined);
    assert.equal(endedEarly(['alpha', 'beta'], ''), undefined);
    assert.equal(endedEarly([], 'x'), undefined);
  });

  it('has all that the original reports, and no fewer tests', () => {
    assert.equal(leftOut({ score: 1, tests: 3 }, { score: 2, tests: 3, more: 1 }), undefined);
    assert.match(leftOut({ score: 1 }, {}) ?? '', /did not report score/);
    assert.match(leftOut({ tests: 3 }, { tests: 2 }) ?? '', /ran 2 tests, the original 3/);
  });
});
