import assert from 'node:assert/strict';
import { lettersToCsv } from '../../../daemon/cli/commands/queue.ts';
import { task } from '../../conformance/queue/queue-setup.ts';

describe('dead letters as CSV', () => {
  const letter = { id: 'ab', died_at: '2026-01-31T14:25:01.000Z', lane: 'execute/cpu', attempts: 4, code: 'internal' as const };

  it('has a header, one line each, and quotes what needs it', () => {
    const one = task({ payload: { a: 'x,"y"\n' } });
    const lines = lettersToCsv([{ ...letter, reason: 'said "no", twice', task: one }]).split('\r\n');
    assert.equal(lines[0], 'id,died_at,lane,attempts,code,reason,created_at,payload,raw');
    assert.ok(lines[1]?.includes('"said ""no"", twice"'));
    assert.ok(lines[1]?.includes('"{""a"":""x,\\""y\\""\\n""}"'));
    assert.equal(lines.length, 3);
  });

  it('makes no cell a formula', () => {
    for (const reason of ['=1+1', '+1', '-1', '@SUM(A1)']) {
      assert.ok(lettersToCsv([{ ...letter, reason, raw: 'AA==' }]).includes(`,'${reason},`));
    }
  });
});
