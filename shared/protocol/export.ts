/** Taking the results of runs elsewhere. */
import * as z from 'zod';
import { RunId } from '../ids.ts';
import { request } from './message.ts';

/** Client → daemon: the archive of a run, or of several merged, as JSON. Throws `conflict` for archives that cannot be compared. */
export const ExportArchive = request(
  'peagen/run/export',
  z.object({ runs: z.array(RunId).min(1) }),
  z.object({ text: z.string() }),
);
