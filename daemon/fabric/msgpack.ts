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

/** Values in one message. Each may be a single byte of it, and takes some fifty of memory. */
const MOST_VALUES = 1 << 21;

/** Throws on bytes that are not MessagePack, or hold more than one value, or too many in it. */
export function unpack(bytes: Uint8Array): unknown {
  if (bytes.length > MOST_VALUES) requireFew(bytes);
  return packr.unpack(bytes);
}

/** Bytes of the number behind a type's byte: a length or a count; and of what has a fixed length, that length. */
const counted: Readonly<Record<'text' | 'list' | 'map', Readonly<Record<number, number>>>> = {
  text: { 196: 1, 197: 2, 198: 4, 199: 1, 200: 2, 201: 4, 217: 1, 218: 2, 219: 4 },
  list: { 220: 2, 221: 4 },
  map: { 222: 2, 223: 4 },
};
const fixed: Readonly<Record<number, number>> = {
  ...{ 202: 4, 203: 8, 204: 1, 205: 2, 206: 4, 207: 8, 208: 1, 209: 2, 210: 4, 211: 8 },
  ...{ 212: 2, 213: 3, 214: 5, 215: 9, 216: 17 },
};

/** Counts values without making them. O(values) */
function requireFew(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const number = (size = 0): number => {
    const value = size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at);
    at += size;
    return value;
  };
  let seen = 0;
  for (let open = 1; open > 0 && at < bytes.length; open--) {
    if (++seen > MOST_VALUES || open > MOST_VALUES) throw new RangeError(`it holds more than ${MOST_VALUES} values`);
    const type = bytes[at++] ?? 0;
    if (type >= 0x80 && type < 0x90) open += 2 * (type & 0x0f);
    else if (type >= 0x90 && type < 0xa0) open += type & 0x0f;
    else if (type >= 0xa0 && type < 0xc0) at += type & 0x1f;
    else if (counted.list[type] !== undefined) open += number(counted.list[type]);
    else if (counted.map[type] !== undefined) open += 2 * number(counted.map[type]);
    else if (counted.text[type] !== undefined) at += number(counted.text[type]) + (type >= 0xc7 && type <= 0xc9 ? 1 : 0);
    else at += fixed[type] ?? 0;
  }
}
