/** A team's Redis: what a user is shown of it before work goes there. */
import * as z from 'zod';
import { CapTag } from '../task.ts';
import { request } from './message.ts';

/** Workers of one machine that serve a workspace: by capabilities, and how many tasks they take at a time. */
export const WorkerPool = z.object({
  id: z.string().min(1).max(200),
  host: z.string().max(200),
  classes: z.array(z.object({ caps: z.array(CapTag), parallel: z.number().int().min(0) })),
});
export type WorkerPool = z.infer<typeof WorkerPool>;

export const ClusterReport = z.object({
  /** `host:port`. */
  where: z.string(),
  version: z.string(),
  user: z.string(),
  /** The time of a round trip: the middle one of several. */
  latency_ms: z.number(),
  /** Commands that the queue needs and this user may not use. */
  denied: z.array(z.string()),
  pools: z.array(WorkerPool),
  /** Tasks of the workspace that wait, and that are worked on. */
  pending: z.number().int(),
  claimed: z.number().int(),
});
export type ClusterReport = z.infer<typeof ClusterReport>;

/**
 * Client → daemon: connects to a Redis as the queue would, and looks. Changes nothing there and nothing here. Errors say what
 * is wrong: `unavailable` (away), `invalid_config` (password, TLS, permissions), `unsupported` (too old, or set up to lose
 * tasks).
 */
export const CheckCluster = request(
  'peagen/cluster/check',
  z.object({ url: z.string().min(1), password: z.string().min(1).optional(), workspace: z.string().optional() }),
  ClusterReport,
);
