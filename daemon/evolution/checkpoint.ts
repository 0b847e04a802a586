/**
 * A checkpoint of a run: `checkpoint.msgpack`, what was known after a number of events of the journal, to start from
 * quickly. It is whole or absent, and never needed: the journal holds everything.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { RunId } from '../../shared/ids.ts';
import { writeWholeFile } from './whole-file.ts';

export const Checkpoint = z.object({
  v: z.literal(1),
  run: RunId,
  /** Lines of the journal that it stands for. */
  events: z.number().int().min(0),
  /** Archive or islands, as their `snapshot` gives them. */
  archive: z.unknown(),
  /** What else the run needs to go on. */
  state: z.unknown(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** Plain maps on the wire, without msgpackr's own record extension: any MessagePack library can read it. */
const packr = new Packr({ useRecords: false, mapsAsObjects: true });

/** Replaces the last one. Throws `storage_failed`. */
export async function writeCheckpoint(runDir: string, checkpoint: Checkpoint): Promise<void> {
  const path = join(runDir, 'checkpoint.msgpack');
  try {
    await writeWholeFile(path, packr.pack(checkpoint));
  } catch (caught) {
    throw new PeagenError(
      'storage_failed',
      `Cannot write the checkpoint ${path}: ${caught instanceof Error ? caught.message : caught}.`,
      {
        hint: 'Make room on the disk, or check the rights of the folder.',
        cause: caught,
      },
    );
  }
}

/** Undefined without one. A damaged one is left out with a warning. */
export async function readCheckpoint(runDir: string): Promise<{ checkpoint?: Checkpoint; warning?: string }> {
  const path = join(runDir, 'checkpoint.msgpack');
  const leftOut = (why: string) => ({ warning: `${path}: the checkpoint is left out, the journal is read instead: ${why}.` });
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (caught) {
    if (caught instanceof Error && 'code' in caught && caught.code === 'ENOENT') return {};
    return leftOut(caught instanceof Error ? caught.message : 'it cannot be read');
  }
  let data: unknown;
  try {
    data = packr.unpack(bytes);
  } catch {
    return leftOut('it is damaged');
  }
  const parsed = Checkpoint.safeParse(data);
  return parsed.success ? { checkpoint: parsed.data } : leftOut(z.prettifyError(parsed.error));
}
