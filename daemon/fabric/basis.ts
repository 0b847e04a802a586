/**
 * The basis of execute tasks on a queue that machines share. It is large and the same for all tasks of a run: it is sent once, to
 * where packed folders are, each task names it by its hash, and a host keeps those that it has fetched.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { Sha256 } from '../../shared/ids.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import { Basis } from '../../shared/payloads.ts';
import type { Task } from '../../shared/task.ts';
import type { PackedFolders, PackedPart } from '../handlers/handler.ts';
import { pack, unpack } from './msgpack.ts';

/** In place of a basis. Which evaluator a task needs must be known before the basis is fetched. */
const BasisReference = z.object({ sha256: Sha256, evaluator: z.object({ name: z.string() }) });
type BasisReference = z.infer<typeof BasisReference>;

/** The name of the only part. */
const PART = 'basis';
/** Bases that a host keeps. */
const KEPT = 16;
/** As much as the queue carries in a task. */
const MOST_BYTES = 64 << 20;

const hashOf = (bytes: Buffer): Sha256 => Sha256.parse(createHash('sha256').update(bytes).digest('hex'));

interface Packed extends Pick<BasisReference, 'sha256'> {
  readonly bytes: Buffer;
  readonly root: unknown;
}

/** That of a run is packed once. */
const packed = new WeakMap<Basis, Packed>();

/** Sends the basis, with these options of its evaluator, where it is not there yet. */
export async function sendBasis(
  basis: Basis,
  options: EvaluatorSpec['options'],
  folders: PackedFolders,
): Promise<BasisReference> {
  const { name } = basis.evaluator;
  const { root } = options;
  let made = packed.get(basis);
  if (made === undefined || made.root !== root) {
    const bytes = pack({ ...basis, evaluator: { name, options } });
    if (bytes.length > MOST_BYTES) {
      throw new PeagenError('too_large', `What candidates are compared with has more than ${MOST_BYTES >> 20} MiB.`, {
        hint: 'Give fewer or smaller inputs.',
      });
    }
    made = { bytes, sha256: hashOf(bytes), root };
    packed.set(basis, made);
  }
  const { bytes, sha256 } = made;
  async function* parts(): AsyncGenerator<PackedPart> {
    yield [PART, bytes];
  }
  if (!(await folders.keep(sha256))) await folders.put(sha256, parts());
  return { sha256, evaluator: { name } };
}

const known = new Map<Sha256, Promise<Basis>>();

/**
 * The payload with the basis that it refers to, and what makes follow-up tasks refer to that again. Throws `unavailable` when the basis
 * is gone, `untrusted` when it is another one.
 */
export async function withBasis(
  payload: unknown,
  folders: Pick<PackedFolders, 'get'> | undefined,
): Promise<{ readonly payload: unknown; readonly referring: (followUp: Task) => Task }> {
  const own = fieldsOf(payload);
  // What a mutate task says of the execute task that follows it.
  const next = fieldsOf(own['next']);
  const reference = referenceIn(own) ?? referenceIn(next);
  if (reference === undefined) return { payload, referring: (followUp) => followUp };
  const basis = await basisOf(reference, folders);
  return {
    payload: referenceIn(own) === undefined ? { ...own, next: { ...next, basis } } : { ...own, basis },
    referring: (followUp) => {
      const fields = fieldsOf(followUp.payload);
      return fields['basis'] === basis ? { ...followUp, payload: { ...fields, basis: reference } } : followUp;
    },
  };
}

/** Payloads are large, and read by their handlers: only what refers to a basis is parsed here. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function referenceIn({ basis }: Readonly<Record<string, unknown>>): BasisReference | undefined {
  return 'sha256' in fieldsOf(basis) ? BasisReference.safeParse(basis).data : undefined;
}

async function basisOf({ sha256, evaluator }: BasisReference, folders: Pick<PackedFolders, 'get'> | undefined): Promise<Basis> {
  if (folders === undefined) throw new PeagenError('unsupported', 'This worker cannot fetch what the task refers to.');
  const fetching = known.get(sha256) ?? fetched(sha256, folders);
  known.delete(sha256);
  known.set(sha256, fetching);
  fetching.catch(() => known.delete(sha256));
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  const basis = await fetching;
  if (basis.evaluator.name !== evaluator.name) throw forged(sha256, 'its evaluator is another one');
  return basis;
}

async function fetched(sha256: Sha256, folders: Pick<PackedFolders, 'get'>): Promise<Basis> {
  const [bytes] = await folders.get(sha256, [PART]);
  if (bytes === undefined)
    throw new PeagenError('unavailable', `What the task compares with (${sha256.slice(0, 12)}) is not with the queue any more.`);
  const isSent = bytes.length <= MOST_BYTES && hashOf(bytes) === sha256;
  const parsed = Basis.safeParse(isSent ? unpack(bytes) : undefined);
  if (!parsed.success) throw forged(sha256, 'it is not what its hash says');
  return parsed.data;
}

function forged(sha256: Sha256, why: string): PeagenError {
  return new PeagenError('untrusted', `What the task compares with (${sha256.slice(0, 12)}) is refused: ${why}.`);
}
