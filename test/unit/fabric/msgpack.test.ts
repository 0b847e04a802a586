/** What tasks and results are on their way between machines. */
import assert from 'node:assert/strict';
import { pack, unpack } from '../../../daemon/fabric/msgpack.ts';
import { decodeResult, decodeTask } from '../../../daemon/fabric/redis/codec.ts';
import { Signer } from '../../../daemon/fabric/redis/signature.ts';
import { newTaskId } from '../../../shared/ids.ts';

describe('MessagePack', () => {
  it('leaves out what is undefined, which an optional property may be and null may not', () => {
    const value = { kept: null, left: undefined, inner: { zero: 0, left: undefined }, list: [1, undefined, ''] };
    assert.deepEqual(unpack(pack(value)), { kept: null, inner: { zero: 0 }, list: [1, null, ''] });
    assert.deepEqual(unpack(pack({ left: undefined })), {});
  });

  it('of few values is read however long it is, and of many not: each of their bytes would take fifty of memory', () => {
    const long = { text: 'x'.repeat(3 << 20), bytes: Buffer.alloc(70_000), list: [1.5, -7, 2 ** 40, true, null, 'é'] };
    assert.deepEqual(unpack(pack(long)), long);
    for (const value of [0xc0, 0x80, 0x90]) {
      const bomb = Buffer.alloc(4 << 20, value);
      bomb[0] = 0xdd;
      bomb.writeUInt32BE(bomb.length - 5, 1);
      assert.throws(() => unpack(bomb), /more than 2097152 values/);
    }
  });

  it('that is larger than a sender may send is refused by who receives it', () => {
    const [bytes, signer] = [Buffer.alloc((64 << 20) + 1), new Signer(undefined, 'w')];
    const task = decodeTask({ id: newTaskId(), lane: 'execute/cpu', attempts: 0, bytes }, signer);
    assert.match(task.kind === 'malformed' ? task.reason : '', /the queue carries up to 67108864/);
    assert.match(String(decodeResult(bytes, signer)), /the queue carries up to 67108864/);
  });

  it('keeps bytes, and maps of many keys', () => {
    const many = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`key ${i}`, i % 3 === 0 ? undefined : i]));
    const bytes = Buffer.from([0, 1, 255]);
    assert.deepEqual(unpack(pack({ bytes, many })), {
      bytes,
      many: Object.fromEntries(Object.entries(many).filter(([, value]) => value !== undefined)),
    });
  });
});
