/** Removing old runs. */
import * as z from 'zod';
import { RunId } from '../ids.ts';
import { request } from './message.ts';

export const Retention = z.object({
  /** Of the newest runs, as many stay in any case. */
  keep: z.number().int().min(0),
  /** Of the others, those that were last written to within this time stay; milliseconds. */
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

/** Client → daemon: remove old runs that nobody works on, and the objects that no other run refers to. */
export const CollectRuns = request('peagen/run/collect', Retention, Collected);
