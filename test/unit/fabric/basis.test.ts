/** What candidates are compared with, on its way to hosts: it is sent and fetched once, and refused when it is not what was sent. */
import assert from 'node:assert/strict';
import { sendBasis, withBasis } from '../../../daemon/fabric/basis.ts';
import { followUp } from '../../../daemon/handlers/follow-up.ts';
import type { PackedFolders } from '../../../daemon/handlers/handler.ts';
import { newTaskId, type Sha256 } from '../../../shared/ids.ts';
import { Basis } from '../../../shared/payloads.ts';
import type { Task } from '../../../shared/task.ts';

class Kept implements PackedFolders {
  readonly bytes = new Map<Sha256, Buffer>();
  puts = 0;
  gets = 0;

  async keep(id: Sha256): Promise<boolean> {
    return this.bytes.has(id);
  }

  async put(id: Sha256, parts: AsyncIterable<readonly [string, Buffer]>): Promise<void> {
    this.puts++;
    for await (const [, bytes] of parts) this.bytes.set(id, bytes);
  }

  async get(id: Sha256): Promise<(Buffer | undefined)[]> {
    this.gets++;
    return [this.bytes.get(id)];
  }
}

const original = {
  language: 'python',
  files: [{ path: 'a.py', text: 'a = 1\n' }],
  spans: [{ path: 'a.py', start: 0, end: 6 }],
};
const basisOf = (name: string, data: unknown): Basis =>
  Basis.parse({ evaluator: { name, options: { root: '/here' } }, original, data });

describe('the basis of tasks on a shared queue', () => {
  it('is sent once, fetched once, and whole for the handler', async () => {
    const kept = new Kept();
    const basis = basisOf('function', { calls: [1, 2, 3] });
    const reference = await sendBasis(basis, { root: 'there' }, kept);
    assert.deepEqual(await sendBasis(basis, { root: 'there' }, kept), reference);
    const whole = { ...basis, evaluator: { name: 'function', options: { root: 'there' } } };
    for (let times = 0; times < 3; times++) {
      const { payload } = await withBasis({ mode: 'candidate', basis: reference }, kept);
      assert.deepEqual(payload, { mode: 'candidate', basis: whole });
    }
    assert.deepEqual([kept.puts, kept.gets], [1, 1]);
    kept.bytes.clear();
    await sendBasis(basis, { root: 'there' }, kept);
    assert.equal(kept.puts, 2, 'a queue that has lost it gets it again');
  });

  it('is named by its hash again in the task that follows', async () => {
    const kept = new Kept();
    const reference = await sendBasis(basisOf('command', 1), {}, kept);
    const { payload, referring } = await withBasis({ mutator: 'patch', next: { mode: 'candidate', basis: reference } }, kept);
    const { next } = payload as { next: { basis: Basis } };
    assert.equal(next.basis.data, 1);
    const first: Task = {
      ...{ kind: 'mutate', id: newTaskId(), payload: {}, requires: [], attempts: 0, schema_v: 1 },
      created_at: '2026-01-31T14:25:01.000Z',
    };
    const execute = followUp(first, 'execute', { ...next, program: 0 }, ['cpu']);
    assert.deepEqual(referring(execute).payload, { mode: 'candidate', program: 0, basis: reference });
    assert.deepEqual(referring({ ...execute, payload: 'other' }).payload, 'other');
  });

  it('is refused when it is another one, and asked for again when it was gone', async () => {
    const kept = new Kept();
    const reference = await sendBasis(basisOf('function', 'a'), {}, kept);
    const bytes = kept.bytes.get(reference.sha256) ?? Buffer.alloc(0);
    const refused = (code: string, basis: unknown = reference) => assert.rejects(withBasis({ basis }, kept), { code });
    kept.bytes.clear();
    await refused('unavailable');
    kept.bytes.set(reference.sha256, Buffer.concat([bytes, Buffer.from([0])]));
    await refused('untrusted');
    kept.bytes.set(reference.sha256, bytes);
    await refused('untrusted', { ...reference, evaluator: { name: 'plugin' } });
    await withBasis({ basis: reference }, kept);
    await assert.rejects(withBasis({ basis: reference }, undefined), { code: 'unsupported' });
  });
});
