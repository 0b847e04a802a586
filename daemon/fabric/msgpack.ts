/**
 * MessagePack as other languages read it: no records, no extension types of our own. What is undefined is left out of an object,
 * as in JSON, so that a reader of it finds the same optional properties as in this process; in a list it is nil.
 */
import { Packr } from 'msgpackr';

// The package's types do not know skipValues.
const options = { useRecords: false, encodeUndefinedAsNil: true, moreTypes: false, skipValues: [undefined] };
const packr = new Packr(options);

/** The bytes are a copy of their own: the packer's buffer is used again. */
export function pack(value: unknown): Buffer {
  return Buffer.from(packr.pack(value));
}

/** Throws on bytes that are not MessagePack, or hold more than one value. */
export function unpack(bytes: Uint8Array): unknown {
  return packr.unpack(bytes);
}
