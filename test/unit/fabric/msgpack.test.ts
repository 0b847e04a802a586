/** What tasks and results are on their way between machines. */
import assert from 'node:assert/strict';
import { pack, unpack } from '../../../daemon/fabric/msgpack.ts';

describe('MessagePack', () => {
  it('leaves out what is undefined, which an optional property may be and null may not', () => {
    const value = { kept: null, left: undefined, inner: { zero: 0, left: undefined }, list: [1, undefined, ''] };
    assert.deepEqual(unpack(pack(value)), { kept: null, inner: { zero: 0 }, list: [1, null, ''] });
    assert.deepEqual(unpack(pack({ left: undefined })), {});
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
