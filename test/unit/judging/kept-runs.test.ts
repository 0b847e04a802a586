import assert from 'node:assert/strict';
import { KeptRuns } from '../../../daemon/judging/command/kept-runs.ts';
import { LIFE } from '../../../daemon/judging/timing/kept-originals.ts';

describe('runs of the original that newcomers share', () => {
  it('take turns, once there are two', () => {
    const kept = new KeptRuns<string>();
    kept.put('folder', 'first');
    assert.equal(kept.take('folder'), undefined);
    kept.put('folder', 'second');
    assert.deepEqual([kept.take('folder'), kept.take('folder'), kept.take('folder')], ['first', 'second', 'first']);
  });

  it('make room for fresh ones, and each serve a limited number of candidates', () => {
    const kept = new KeptRuns<string>();
    for (const ran of ['first', 'second', 'third']) kept.put('folder', ran);
    const taken = Array.from({ length: 4 * LIFE }, () => kept.take('folder')).filter((ran) => ran !== undefined);
    assert.deepEqual([...new Set(taken)].sort(), ['second', 'third']);
    assert.ok(taken.length <= 2 * LIFE, `${taken.length} taken`);
  });

  it('are those of the same original in the same folder', () => {
    const kept = new KeptRuns<string>();
    for (const ran of ['first', 'second']) kept.put('folder', ran);
    for (const ran of ['nowhere', 'else']) kept.put(undefined, ran);
    assert.deepEqual([kept.take('changed folder'), kept.take(undefined)], [undefined, undefined]);
  });
});
