/** What readings in turns say, by readings that were recorded. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { agree, ratioIn, type Turn } from '../../../daemon/judging/timing/statistics/turns.ts';

/** Two processes of one program in Node, milliseconds: the first is warm, the second is still compiled. */
const compiled: Turn[] = [
  [11.0, 30.6],
  [10.9, 11.8],
  [8.6, 31.1],
  [8.7, 10.6],
];

describe('readings in turns', () => {
  it('agree when two of each side come near its shortest', () => {
    assert.equal(agree(compiled.slice(0, 2), 2), false);
    assert.equal(agree(compiled, 2), true);
    assert.equal(agree(compiled), false);
  });

  it('are as the shortest of each side where a compiler stopped some of them', () => {
    assert.equal(ratioIn(compiled, true), 8.6 / 10.6);
    assert.equal(ratioIn(compiled.slice(0, 1), true), 11 / 30.6);
  });

  it('are as their median where they agree, and where nothing is compiled', () => {
    const even: Turn[] = [
      [10, 5],
      [11, 5],
      [9.5, 5],
    ];
    assert.equal(ratioIn(even, true), 2);
    assert.equal(ratioIn([...even, [40, 5], [50, 5]], false), 2.2);
  });
});
