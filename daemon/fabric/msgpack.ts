/** MessagePack as other languages read it: no records, no extension types of our own, undefined as nil. */
import { Packr } from 'msgpackr';

const packr = new Packr({ useRecords: false, encodeUndefinedAsNil: true, moreTypes: false });

/** The bytes are a copy of their own: the packer's buffer is used again. */
export function pack(value: unknown): Buffer {
  return Buffer.from(packr.pack(value));
}

/** Throws on bytes that are no MessagePack, or more than one value. */
export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
