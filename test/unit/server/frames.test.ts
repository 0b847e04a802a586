import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { encodeFrame, FrameReader } from '../../../daemon/client/frames.ts';

describe('FrameReader', () => {
  it('finds the same frames however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(fc.json(), { maxLength: 6 }), fc.array(fc.nat({ max: 60 }), { minLength: 1 }), (messages, cuts) => {
        const bytes = Buffer.concat(messages.map((message) => encodeFrame(message)));
        const reader = new FrameReader();
        const found: unknown[] = [];
        let turn = 0;
        for (let at = 0; at < bytes.length; ) {
          const size = Math.max(1, cuts[turn++ % cuts.length] ?? 1);
          for (const body of reader.push(bytes.subarray(at, at + size))) found.push(JSON.parse(body.toString()));
          at += size;
        }
        assert.deepEqual(found, messages);
        assert.equal(reader.rest().length, 0);
      }),
    );
  });

  it('keeps what came behind the frame that was asked for', () => {
    const reader = new FrameReader();
    const first = reader.push(Buffer.concat([encodeFrame(1), encodeFrame(2)])).next();
    assert.equal(String(first.value), '1');
    assert.deepEqual(reader.rest(), encodeFrame(2));
  });

  it('refuses a frame over the limit at its header, before its bytes', () => {
    assert.throws(() => [...new FrameReader(1000).push(Buffer.from('Content-Length: 1001\r\n\r\n'))], { code: 'too_large' });
  });

  it('refuses what is not framed, without waiting for more', () => {
    assert.throws(() => [...new FrameReader().push(Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))], { code: 'invalid_input' });
    assert.throws(() => [...new FrameReader().push(Buffer.alloc(2000, 'x'))], { code: 'invalid_input' });
    assert.throws(() => [...new FrameReader().push(Buffer.from('Content-Length: -5\r\n\r\n'))], { code: 'invalid_input' });
  });
});
