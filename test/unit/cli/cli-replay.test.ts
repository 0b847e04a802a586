import assert from 'node:assert/strict';
import { disagreementOf } from '../../../daemon/cli/commands/replay.ts';
import { newRunId, Sha256 } from '../../../shared/ids.ts';
import type { ReplayReport } from '../../../shared/protocol/replay.ts';

const sha256 = Sha256.parse('a'.repeat(64));
const report = (recorded: number, measured: number): ReplayReport => ({
  run: newRunId(0),
  candidates: 4,
  identical: 4,
  differing: [],
  best: { sha256, recorded: 2, measured: 2.1, ratio: 1.05, cost: { recorded, measured } },
});

describe('a replay', () => {
  it('agrees with its run when the operations of the best do, whatever the clock says', () => {
    assert.equal(disagreementOf(report(100_000, 100_000)), undefined);
    assert.equal(disagreementOf(report(100_000, 100_050)), undefined);
    assert.equal(disagreementOf({ ...report(1, 2), best: null }), undefined);
  });

  it('says what differs: operations, or candidates before them', () => {
    assert.match(disagreementOf(report(100_000, 100_200))?.message ?? '', /takes 100200 operations a pass now, and took 100000/);
    const differing = [{ index: 3, expected: sha256, actual: 'rejected: twin' }];
    assert.match(disagreementOf({ ...report(1, 2), differing })?.message ?? '', /1 of 4 candidates came out different.*index 3/);
  });
});
