/** What is believed of the times that a command reports of itself. */
import assert from 'node:assert/strict';
import { reportVerdict } from '../../../daemon/judging/forgery/reported.ts';

const runs = (reported: number, wall: number) => [
  { reported, wall },
  { reported: reported * 1.02, wall: wall + 2 },
];

describe('reported times', () => {
  it('are believed as far as the run got shorter', () => {
    const verdict = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 42),
      slowedOriginal: { reported: 360, wall: 400 },
      slowedCandidate: { reported: 303, wall: 342 },
    });
    assert.deepEqual(verdict, { leastMs: 3, unverified: false });
  });

  it('are bounded by the clock out here where the run did not get shorter', () => {
    const { leastMs, forged } = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: { reported: 360, wall: 400 },
      slowedCandidate: { reported: 303, wall: 400 },
    });
    assert.equal(forged, undefined);
    assert.ok(leastMs > 55, `${leastMs}`);
  });

  it('are forged where the same steps take a part of the time', () => {
    const { forged } = reportVerdict({
      original: runs(60, 100),
      candidate: runs(3, 100),
      slowedOriginal: { reported: 360, wall: 400 },
      slowedCandidate: { reported: 18, wall: 400 },
    });
    assert.match(forged ?? '', /20\.0th/);
  });

  it('are unverified where the benchmark goes on for a fixed time, and where nothing was seen', () => {
    const fixed = { original: runs(0.5, 1000), candidate: runs(0.1, 1000) };
    const slowed = { slowedOriginal: { reported: 30, wall: 1010 }, slowedCandidate: { reported: 29, wall: 1010 } };
    assert.deepEqual(reportVerdict({ ...fixed, ...slowed }), { leastMs: 0.1, unverified: true });
    const unseen = { slowedOriginal: undefined, slowedCandidate: undefined };
    assert.equal(reportVerdict({ original: runs(60, 100), candidate: runs(3, 42), ...unseen }).unverified, true);
  });

  it('of many runs have to be seen as often', () => {
    const { leastMs } = reportVerdict({
      original: runs(1, 1040),
      candidate: runs(0.1, 1000),
      slowedOriginal: { reported: 2, wall: 2040 },
      slowedCandidate: { reported: 1.1, wall: 2000 },
    });
    assert.ok(leastMs > 0.9, `${leastMs}`);
  });
});
