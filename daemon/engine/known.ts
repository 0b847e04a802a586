/** What a run knows of the programs that were judged in it, by their hashes. */
import type { Sha256 } from '../../shared/ids.ts';
import { ORIGINAL } from '../../shared/original.ts';
import type { ArchiveEntry } from '../evolution/archive.ts';
import type { Known } from './slots.ts';

export class KnownPrograms extends Map<string, Known> {
  /** `fitness`: null when it fails by itself. */
  addOriginal(
    { sha256, object }: { readonly sha256: Sha256; readonly object: Sha256 },
    judged: Pick<Known, 'outcome' | 'metrics' | 'fitness' | 'artifacts'>,
  ): void {
    this.set(sha256, { object, ...judged, origin: { parents: [], mutator: ORIGINAL, summary: 'the original' }, generation: 0 });
  }

  /** What went wrong with a program, for the next prompt. */
  failureOf(sha256: Sha256): string {
    const known = this.get(sha256);
    if (known === undefined) return '';
    const { kind, detail } = known.outcome;
    return `${known.origin.summary.replace(/[.:]$/, '')}: ${kind}${detail && `: ${detail}`}`;
  }

  /** As the archive takes it. `index`: of its slot. */
  entry(sha256: Sha256, generation: number, index: number, features: number[]): ArchiveEntry {
    const known = this.get(sha256);
    return {
      sha256,
      fitness: known?.fitness ?? 0,
      features,
      metrics: known?.metrics ?? {},
      generation,
      index,
      parents: known?.origin.parents ?? [],
      mutator: known?.origin.mutator ?? '',
      summary: known?.origin.summary ?? '',
    };
  }
}
