/** An archive as plain data and back. Each elite is written once; niches refer to it by its index. */
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { Elite, FeatureAxis, NicheId } from '../../../shared/niche.ts';
import type { Cell } from '../archive.ts';
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
    z.object({ id: NicheId, champion: index, history: z.array(index), since: index, offered: index, order: index }),
  ),
  sequence: index,
  qd: z.number(),
});
export type ArchiveSnapshot = z.infer<typeof ArchiveSnapshot>;

export interface ArchiveParts {
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
  const niches = parts.cells.map((cell) => ({
    id: cell.id,
    champion: indexOf(cell.champion),
    history: cell.history.map(indexOf),
    since: cell.since,
    offered: cell.offered,
    order: cell.order,
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
  const cells = niches.map(({ champion, history, ...cell }) => ({
    ...cell,
    champion: eliteAt(champion),
    history: history.map(eliteAt),
    place: 0,
  }));
  return { axes, geometry: geometryOf(parsed.data, axes), known, cells, sequence, qd };
}

function geometryOf({ geometry }: ArchiveSnapshot, axes: readonly FeatureAxis[]): Geometry {
  if (geometry.kind === 'grid') return new Grid(axes);
  throw damaged(`its geometry "${geometry.kind}" is unknown to this build`);
}

function damaged(detail: string): PeagenError {
  return new PeagenError('invalid_input', `The snapshot of an archive is damaged: ${detail}.`, {
    hint: 'The journal holds everything: resume the run without the checkpoint.',
  });
}
