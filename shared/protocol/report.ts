/** What a run spent, on what, and what it got for it. */
import * as z from 'zod';
import { Confidence } from '../confidence.ts';
import { RunId, Sha256 } from '../ids.ts';
import { Objective } from '../judging.ts';
import { ArchiveStats, Elite } from '../niche.ts';
import { Refuted, Unconfirmed } from '../run.ts';
import { request } from './message.ts';

export const Share = z.object({
  attempts: z.number().int(),
  candidates: z.number().int(),
  /** How many of these entered the archive or improved a niche. */
  accepted: z.number().int(),
  tokens: z.number(),
  /** In US dollars, at the prices of the configuration; null when a back end that was asked has none there. */
  cost: z.number().nullable(),
});
export type Share = z.infer<typeof Share>;

const Count = z.number().int();

export const RunReport = z.object({
  run: RunId,
  total: Share,
  byGeneration: z.record(z.string(), Share),
  byMutator: z.record(z.string(), Share),
  byBackend: z.record(z.string(), Share),
  outcomes: z.record(z.string(), Count),
  /** Why attempts made no candidate. */
  rejections: z.record(z.string(), Count),
  /** Speed-up of the announced best, in percent over the original; null without one. */
  gain_percent: z.number().nullable(),
  /** Elites that were faster, but wrong on the held-out inputs. */
  overfitted: z.array(Sha256),
  /** Programs that a fresh call refuted before they were announced. */
  refuted: z.array(Refuted),
  /** The function that was called; null where none was. */
  function: z.string().nullable(),
  /** What a match with the original rests on; null where no calls are compared. */
  confidence: Confidence.nullable(),
  /** Leaders that did not hold up when they were measured with care. */
  unconfirmed: z.array(Unconfirmed),
  tokens_per_percent: z.number().nullable(),
  /** In US dollars, for each candidate that entered the archive or improved a niche. */
  cost_per_accepted: z.number().nullable(),
  /** What the run is about; empty where it is about speed, or the evaluator's own score. */
  objectives: z.array(Objective.pick({ metric: true, direction: true })),
  archive: ArchiveStats,
  /** One entry for each island, in ring order; empty without islands. */
  islands: z.array(ArchiveStats),
  /** Champions that settled on another island. */
  migrated: Count,
  /** The Pareto front; empty with one objective. */
  front: z.array(Elite.pick({ sha256: true, niche: true, fitness: true, metrics: true, summary: true })),
  /** The user's part: programs submitted, wishes, elites pinned and discarded. */
  steering: z.object({ submitted: Count, steered: Count, pinned: Count, discarded: Count }),
  /** Edits of the file that became the original. */
  rebases: Count,
});
export type RunReport = z.infer<typeof RunReport>;

/** Client → daemon: the report of a run, in progress or over. Throws `not_found`. */
export const ReportRun = request('peagen/run/report', z.object({ run: RunId }), RunReport);
