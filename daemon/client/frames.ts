/**
 * LSP framing: `Content-Length: N`, a blank line, N bytes of JSON. Parses with hard limits, because anyone who reaches the
 * socket can write anything.
 */
import { PeagenError } from '../../shared/errors.ts';

const MAX_HEADER = 1024;
const HEADER_END = Buffer.from('\r\n\r\n');

/** The largest frame of an authenticated connection, in bytes. */
const MAX_FRAME = 64 * 1024 * 1024;

/** Cuts a byte stream into frames. O(bytes); keeps at most one unfinished frame. */
export class FrameReader {
  private chunks: Buffer[] = [];
  private size = 0;
  /** Length of the body under way; undefined while reading a header. */
  private expected: number | undefined;
  private readonly maxFrame: number;

  constructor(maxFrame = MAX_FRAME) {
    this.maxFrame = maxFrame;
  }

  /** The bodies completed by `chunk`. Throws `invalid_input` or `too_large`; the stream is then useless. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk);
    this.size += chunk.length;
    for (;;) {
      if (this.expected === undefined && !this.readHeader()) return;
      if (this.expected === undefined || this.size < this.expected) return;
      const body = this.take(this.expected);
      this.expected = undefined;
      yield body;
    }
  }

  /** What came after the last frame; the reader is empty afterwards. */
  rest(): Buffer {
    return this.take(this.size);
  }

  private readHeader(): boolean {
    if (this.size === 0) return false;
    const head = this.peek(MAX_HEADER + HEADER_END.length);
    const end = head.indexOf(HEADER_END);
    if (end < 0) {
      if (head.length > MAX_HEADER) throw new PeagenError('invalid_input', 'Not a frame: no header in the first 1024 bytes.');
      return false;
    }
    const length = /^Content-Length: *(\d{1,10})$/im.exec(head.toString('latin1', 0, end))?.[1];
    if (length === undefined) throw new PeagenError('invalid_input', 'Not a frame: its header has no Content-Length.');
    if (Number(length) > this.maxFrame) {
      throw new PeagenError('too_large', `A frame of ${length} bytes is over the limit of ${this.maxFrame}.`);
    }
    this.take(end + HEADER_END.length);
    this.expected = Number(length);
    return true;
  }

  private peek(bytes: number): Buffer {
    const [first] = this.chunks;
    if (first !== undefined && (this.chunks.length === 1 || first.length >= bytes)) return first.subarray(0, bytes);
    return this.join().subarray(0, bytes);
  }

  private take(bytes: number): Buffer {
    const all = this.join();
    this.chunks = bytes < all.length ? [all.subarray(bytes)] : [];
    this.size -= bytes;
    return all.subarray(0, bytes);
  }

  private join(): Buffer {
    const [first] = this.chunks;
    const all = this.chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.chunks);
    this.chunks = [all];
    return all;
  }
}

export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}
