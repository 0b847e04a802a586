/**
 * The signature of what travels through a shared Redis: an HMAC-SHA-256 in front of the bytes, over what they are, which
 * workspace they are for and the bytes themselves. With a key, whatever is not signed by it is refused.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PeagenError } from '../../../shared/errors.ts';

/** No MessagePack of ours begins like this: it is a map. */
const MARK = Buffer.from('PGS1');
const MAC_BYTES = 32;
const VARIABLE = 'PEAGEN_QUEUE_KEY';

export class Signer {
  private readonly key: Buffer | undefined;
  private readonly workspace: string;

  /** Without a key nothing is signed, and nothing that is signed can be read. */
  constructor(key: Buffer | undefined, workspace: string) {
    this.key = key;
    this.workspace = workspace;
  }

  /** `what` is bound to the bytes, such as the id and the lane of a task. */
  sign(what: readonly string[], bytes: Buffer): Buffer {
    return this.key === undefined ? bytes : Buffer.concat([MARK, this.mac(this.key, what, bytes), bytes]);
  }

  /** The bytes, or why they are refused, as a sentence. */
  open(what: readonly string[], signed: Buffer): Buffer | string {
    const isSigned = signed.subarray(0, MARK.length).equals(MARK);
    if (this.key === undefined) return isSigned ? `It is signed, and this host has no key: set ${VARIABLE}.` : signed;
    if (!isSigned) return `It is not signed, and this host has a key: set ${VARIABLE} where it comes from.`;
    const [from, to] = [MARK.length, MARK.length + MAC_BYTES];
    const [mac, bytes] = [signed.subarray(from, to), signed.subarray(to)];
    if (mac.length === MAC_BYTES && timingSafeEqual(mac, this.mac(this.key, what, bytes))) return bytes;
    return `Its signature is wrong: it was changed, or ${VARIABLE} is another one where it comes from.`;
  }

  private mac(key: Buffer, what: readonly string[], bytes: Buffer): Buffer {
    const head = JSON.stringify([this.workspace, ...what]);
    return createHmac('sha256', key).update(`${head}\n`).update(bytes).digest();
  }
}

/** The key in the environment. Throws `invalid_config` for one that is too short to be one. */
export function queueKey(env: NodeJS.ProcessEnv): Buffer | undefined {
  const text = env[VARIABLE]?.trim();
  if (text === undefined || text === '') return undefined;
  const key = Buffer.from(text, 'base64url');
  if (key.length >= MAC_BYTES) return key;
  throw new PeagenError('invalid_config', `${VARIABLE} holds no key of at least ${MAC_BYTES} bytes.`, {
    hint: 'Make one with "peagen queue key", and set the same on every host.',
  });
}

export function newQueueKey(): string {
  return randomBytes(MAC_BYTES).toString('base64url');
}
