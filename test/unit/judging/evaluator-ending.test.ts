/** Commands that a candidate ended early. */
import assert from 'node:assert/strict';
import { endedEarly, leftOut } from '../../../daemon/judging/command/ending.ts';

const program = 'def sort(items):\n    print("swaps", 3, "rounds", 2)\n    return items\n';
const early = (outputs: readonly string[], own: string) => endedEarly(outputs, own, program);

/** What each runner ends with, for three tests. */
const ends: Readonly<Record<string, (time: string) => string>> = {
  pytest: (time) =>
    `===== test session starts =====\ncollected 3 items\n\ntest_a.py ...   [100%]\n\n===== 3 passed in ${time} =====`,
  'pytest -q': (time) => `...   [100%]\n3 passed in ${time}`,
  unittest: (time) => `...\n-----------\nRan 3 tests in ${time}\n\nOK`,
  mocha: () => '  sorting\n    ✔ one\n\n  3 passing (4ms)',
  'node --test': (time) => `✔ sorts (1.2ms)\nℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\nℹ duration_ms ${time}`,
  'node --test, TAP': (time) => `ok 1 - sorts\n# tests 3\n# pass 3\n# fail 0\n# duration_ms ${time}`,
  vitest: (time) => ` ✓ a.test.ts (3 tests)\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n   Duration  ${time}`,
  jest: (time) => `PASS ./a.test.js\n\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\nTime:        ${time}`,
  cargo: (time) => `running 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 0 ignored; finished in ${time}`,
};

describe('the end of a command', () => {
  for (const [runner, end] of Object.entries(ends)) {
    describe(`of ${runner}`, () => {
      const runs = [end('0.31s'), end('1.2s'), end('0.98s')];

      it('is that of the original, whatever time it took and whatever else was written', () => {
        assert.equal(early(runs, end('0.01s')), undefined);
        assert.equal(early(runs, `${end('0.02s')}\na warning of the candidate\nand another line of it`), undefined);
      });

      it('is missed when the candidate ended the process, and cannot be made up for by other lines', () => {
        assert.match(early(runs, '') ?? '', /ended with success, but without what every run of the original ends with: /);
        assert.match(early(runs, 'all is well\nreally') ?? '', /ended with success/);
      });

      it('names as many tests', () => {
        assert.match(early(runs, end('0.1s').replaceAll('3', '2')) ?? '', /ran 2 tests, the original 3/);
      });
    });
  }

  it('may tell of warnings and of more tests', () => {
    const { 'pytest -q': pytest = String } = ends;
    assert.equal(early([pytest('1s'), pytest('2s')], pytest('0.2s').replace('3 passed', '4 passed, 1 warning')), undefined);
  });

  it('of go is known too, which says no number', () => {
    const go = (time: string) => `ok  \texample.com/target\t${time}`;
    assert.equal(early([go('0.005s'), go('0.010s')], go('(cached)')), undefined);
    assert.match(early([go('0.005s'), go('0.010s')], '') ?? '', /ended with success/);
  });

  it('may be another one where the program writes it', () => {
    const run = 'loading\nswaps 120\nrounds 7';
    assert.equal(early([run, run], 'loading\nsorted at once'), undefined);
    assert.equal(early([run, run], 'loading'), undefined);
  });

  it('may be another one where a benchmark writes what the program answers', () => {
    const run = 'reading the map\nNorth Street\nOld Lane';
    assert.equal(early([run, run], 'reading the map\nOld Lane by the river\nNorthern Street'), undefined);
  });

  it('is missed where a benchmark writes it and nothing stands in its place', () => {
    const run = 'reading the map\n120 places in 3 ms\nchecked';
    assert.match(early([run, run], 'reading the map') ?? '', /ends with: checked/);
    assert.equal(early([run, run], 'reading the map\n120 places in 1 ms\nchecked'), undefined);
  });

  it('cannot be told where the original writes nothing, or nothing twice', () => {
    assert.equal(early(['', ''], ''), undefined);
    assert.equal(early(['alpha', 'beta'], ''), undefined);
    assert.equal(early([], 'x'), undefined);
  });

  it('has all that the original reports, and no fewer tests', () => {
    assert.equal(leftOut({ score: 1, tests: 3 }, { score: 2, tests: 3, more: 1 }), undefined);
    assert.match(leftOut({ score: 1 }, {}) ?? '', /did not report score/);
    assert.match(leftOut({ tests: 3 }, { tests: 2 }) ?? '', /ran 2 tests, the original 3/);
  });
});
