/** Removing old runs. */
import * as z from 'zod';
import { RunId } from '../ids.ts';
import { request } from './message.ts';

export const Retention = z.object({
  /** This number of the newest runs stay in any case. */
  keep: z.number().int().min(0),
  /** The others stay when they were last written to within this time; milliseconds. */
  keep_ms: z.number().min(0),
  /** Removes nothing. */
  dry_run: z.boolean(),
});
export type Retention = z.infer<typeof Retention>;

export const Collected = z.object({
  removed: z.array(RunId),
  kept: z.number().int(),
  objects: z.number().int(),
  bytes: z.number(),
});
export type Collected = z.infer<typeof Collected>;

/** Client → daemon: remove old runs that are not in use, and the objects that no other run refers to. */
export const CollectRuns = request('peagen/run/collect', Retention, Collected);
