/** An archive as plain data and back. Each elite is written once; niches refer to it by its index. */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { Elite, FeatureAxis, NicheId } from '../../../shared/niche.ts';
import type { Cell, Held } from './cell.ts';
import { Cvt } from './cvt.ts';
import type { Geometry } from './geometry.ts';
import { Grid } from './grid.ts';

const index = z.number().int().min(0);

export const ArchiveSnapshot = z.object({
  v: z.literal(1),
  axes: z.array(FeatureAxis).min(1),
  geometry: z.object({ kind: z.string(), state: z.unknown() }),
  /** In the order in which they entered. */
  elites: z.array(Elite),
  /** The elites found by their program; the others are older entries of the same programs. */
  known: z.array(index),
  niches: z.array(
    z.object({
      id: NicheId,
      /** The champion, then former champions, newest first; each with its number among all that were offered. */
      held: z.array(z.object({ elite: index, order: index })).min(1),
      offered: index,
    }),
  ),
  sequence: index,
  qd: z.number(),
});
export type ArchiveSnapshot = z.infer<typeof ArchiveSnapshot>;

interface ArchiveParts {
  readonly axes: readonly FeatureAxis[];
  readonly geometry: Geometry;
  readonly known: ReadonlyMap<Sha256, Elite>;
  readonly cells: readonly Cell[];
  readonly sequence: number;
  readonly qd: number;
}

export function packArchive(parts: ArchiveParts): ArchiveSnapshot {
  const indices = new Map<Elite, number>();
  const indexOf = (elite: Elite): number => {
    const known = indices.get(elite);
    if (known !== undefined) return known;
    indices.set(elite, indices.size);
    return indices.size - 1;
  };
  const known = [...parts.known.values()].map(indexOf);
  const niches = parts.cells.map(({ id, held, offered }) => ({
    id,
    held: held.map(({ elite, order }) => ({ elite: indexOf(elite), order })),
    offered,
  }));
  const { geometry, sequence, qd } = parts;
  return {
    v: 1,
    axes: [...parts.axes],
    geometry: { kind: geometry.kind, state: geometry.snapshot() },
    elites: [...indices.keys()],
    known,
    niches,
    sequence,
    qd,
  };
}

export function unpackArchive(data: unknown): ArchiveParts {
  const parsed = ArchiveSnapshot.safeParse(data);
  if (!parsed.success) throw damaged(z.prettifyError(parsed.error));
  const { axes, elites, niches, sequence, qd } = parsed.data;
  const eliteAt = (at: number): Elite => {
    const elite = elites[at];
    if (elite === undefined) throw damaged(`it refers to elite ${at} of ${elites.length}`);
    return elite;
  };
  const known = new Map(parsed.data.known.map((at) => [eliteAt(at).sha256, eliteAt(at)] as const));
  const cells = niches.map(({ id, held, offered }, place): Cell => {
    const [champion, ...former] = held.map((one): Held => ({ elite: eliteAt(one.elite), order: one.order }));
    if (champion === undefined) throw damaged(`the niche ${id} is empty`);
    return { id, held: [champion, ...former], offered, place };
  });
  return { axes, geometry: geometryOf(parsed.data, axes), known, cells, sequence, qd };
}

function geometryOf({ geometry: { kind, state } }: ArchiveSnapshot, axes: readonly FeatureAxis[]): Geometry {
  try {
    if (kind === 'grid') return new Grid(axes, state);
    if (kind === 'cvt') return Cvt.restore(axes, state);
  } catch (caught) {
    if (caught instanceof z.ZodError) throw damaged(z.prettifyError(caught));
    throw caught;
  }
  throw damaged(`its geometry "${kind}" is unknown to this build`);
}

function damaged(detail: string): PeagenError {
  return new PeagenError('invalid_input', `The snapshot of an archive is damaged: ${detail}.`);
}
