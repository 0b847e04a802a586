/** What a dashboard looks at: the course of a run, where an elite comes from, the fabric and its alerts. */
import * as z from 'zod';
import { HistoryPoint } from '../history.ts';
import { RunId, Sha256 } from '../ids.ts';
import { Metrics } from '../judging.ts';
import { notification, request } from './message.ts';

/** Client → daemon: how a run went so far; what follows is in its events. */
export const GetHistory = request('peagen/run/history', z.object({ run: RunId }), z.array(HistoryPoint));

/** A program among the ancestors of an elite. */
export const Ancestor = z.object({
  sha256: Sha256,
  parents: z.array(Sha256),
  mutator: z.string(),
  summary: z.string(),
  generation: z.number().int().min(0),
  /** Null for one that was not correct. */
  fitness: z.number().nullable(),
  metrics: Metrics,
});
export type Ancestor = z.infer<typeof Ancestor>;

/** Client → daemon: an elite with all its ancestors, itself first, at most 500; parents beyond that are not in the list. */
export const GetLineage = request('peagen/run/lineage', z.object({ run: RunId, sha256: Sha256 }), z.array(Ancestor));

/** Something that a user should look at; raised and withdrawn by the daemon. */
export const Alert = z.object({
  id: z.string().min(1),
  severity: z.enum(['info', 'warning', 'critical']),
  /** What is wrong, with the number. */
  summary: z.string(),
  /** What to do about it. */
  fix: z.string(),
  since: z.iso.datetime(),
});
export type Alert = z.infer<typeof Alert>;

/** Daemon → client: all alerts there are, whenever one came or went; on connecting only when there are any. */
export const Alerts = notification('peagen/alerts', z.object({ alerts: z.array(Alert) }));

/** What the fabric does at the moment. */
export const FabricState = z.object({
  at: z.iso.datetime(),
  /** Tokens of all models, prompt and completion, over the last ten seconds. */
  tokens_per_second: z.number().min(0),
  /** Since the daemon began. */
  tokens: z.number().min(0),
  /** Waiting tasks by kind. */
  pending: z.record(z.string(), z.number().int().min(0)),
  workers: z.object({ live: z.number().int().min(0), idle: z.number().int().min(0) }),
  alerts: z.array(Alert),
});
export type FabricState = z.infer<typeof FabricState>;

/** Client → daemon: begins or ends `FabricStatus` for this client; returns the state as it is. */
export const WatchFabric = request('peagen/fabric/watch', z.object({ watch: z.boolean() }), FabricState);

/** Daemon → client: once a second, to the clients that watch. */
export const FabricStatus = notification('peagen/fabric/status', FabricState);
