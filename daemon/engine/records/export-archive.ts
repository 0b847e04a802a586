/** The archive of a run as JSON, or of several runs merged into one. */
import { isDeepStrictEqual } from 'node:util';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import { archiveJson } from '../../evolution/evodb/export.ts';
import { EvoDB } from '../../evolution/evodb.ts';

interface ExportedRun {
  readonly run: RunId;
  readonly archive: EvoDB;
  /** The Pareto front; empty with one objective. */
  readonly front: readonly Elite[];
}

/** Throws `invalid_input` without runs, and `conflict` for archives that cannot be compared. */
export function exportArchive(runs: readonly ExportedRun[]): string {
  const archive = merged(runs);
  // Several runs together have no front: what one covers in it may be gone.
  const front = runs.length === 1 ? (runs[0]?.front ?? []) : [];
  return archiveJson(archive, front);
}

/** Keeps the better of each niche, and of equals the one of the run named first. */
function merged([first, ...others]: readonly ExportedRun[]): EvoDB {
  if (first === undefined) throw new PeagenError('invalid_input', 'No run is named to export.', { hint: 'Name one.' });
  if (others.length === 0) return first.archive;
  const whole = EvoDB.restore(first.archive.snapshot());
  for (const { run, archive } of others) {
    if (!isDeepStrictEqual(archive.axes, whole.axes) || archive.geometry.kind !== whole.geometry.kind) {
      throw new PeagenError('conflict', `The archives of ${first.run} and ${run} have different axes and cannot be merged.`, {
        hint: 'Give both runs the same [evolve.archive].',
      });
    }
    whole.merge(archive);
  }
  return whole;
}
