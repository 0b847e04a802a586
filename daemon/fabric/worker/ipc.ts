/**
 * The messages between a one-shot worker and the process that launched it, over Node's IPC channel. The worker names
 * neither itself nor its task in them: the parent knows which child speaks and what it holds, so that a child can only
 * touch its own claim.
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { type ErrorData, errorCodes } from '../../../shared/errors.ts';
import { Sha256 } from '../../../shared/ids.ts';
import { ChatRequest } from '../../../shared/llm.ts';
import { type CapTag, Result, Task } from '../../../shared/task.ts';
import type { MachineFacts } from '../../executors/machine.ts';

/** What the worker counted during the task; see telemetry/counts.ts. */
const Count = z.object({
  name: z.string(),
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
  sum: z.number().min(0),
  count: z.number().int().min(0).optional(),
});

/** As telemetry/trace.ts has it. */
const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().max(200),
  kind: z.enum(['internal', 'server', 'client', 'producer', 'consumer']),
  attributes: z.record(z.string(), z.union([z.string(), z.number()])),
  start: z.number(),
  end: z.number(),
  error: z.string().optional(),
});

/** What the parent cannot know by itself about a handled task. */
const Report = z.object({
  handler: z.string().optional(),
  ms: z.number().min(0),
  metrics: z.array(Count).max(1000),
  spans: z.array(Span).max(1000).optional(),
});
export type Report = z.infer<typeof Report>;

const backend = z.string().max(200);
const TrafficAsk = z.discriminatedUnion('op', [
  z.object({ op: z.literal('enter'), backend }),
  z.object({ op: z.literal('leave'), backend, outcome: z.enum(['success', 'failure', 'abandon']), why: z.string().optional() }),
  z.object({ op: z.literal('take'), backend, tokens: z.number().min(0) }),
  z.object({ op: z.literal('settle'), backend, difference: z.number() }),
]);
export type TrafficAsk = z.infer<typeof TrafficAsk>;

const call = { call: z.number().int().min(0) };

export const FromWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('claim'), ...call, waitMs: z.number().min(0) }),
  z.object({ type: z.literal('stopWaiting') }),
  z.object({ type: z.literal('extend'), ...call }),
  z.object({ type: z.literal('complete'), ...call, result: Result, followUps: z.array(Task), report: Report }),
  z.object({
    type: z.literal('fail'),
    ...call,
    failure: z.object({ reason: z.string(), code: z.enum(errorCodes), retryable: z.boolean() }),
    report: Report,
  }),
  z.object({ type: z.literal('release'), ...call, report: Report }),
  /** A question for the editor's models, which only the parent can reach; answered while a task is held. */
  z.object({ type: z.literal('askEditor'), ...call, model: z.string(), request: ChatRequest }),
  /** Parts of a folder that the task in hand refers to; see judging/copies/packed.ts. */
  z.object({ type: z.literal('folder'), ...call, id: Sha256, names: z.array(z.string().max(64)).max(1000) }),
  /** What workers that ask the same back ends share; see llm/traffic.ts. */
  z.object({ type: z.literal('traffic'), ...call, ask: TrafficAsk }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** A worker trusts its parent, which is the same build: nothing here is parsed (a parsed Config must not be parsed again). */
export type ToWorker =
  /** The first message. The configuration holds no secrets; those are in the environment of workers that need them. */
  | { type: 'hello'; id: string; caps: readonly CapTag[]; config: Config; machine: MachineFacts }
  | { type: 'answer'; call: number; value: unknown }
  | { type: 'refusal'; call: number; error: ErrorData }
  /** The lease is lost, or the task was cancelled: stop working on it. */
  | { type: 'lost' }
  /** End after the task in hand. */
  | { type: 'drain' };

/** The parent's end of the wire to one worker. */
export interface WorkerChannel {
  send(message: ToWorker): void;
  /** What arrives is whatever the child sent: parse it. */
  listen(hear: (message: unknown) => void): void;
}
