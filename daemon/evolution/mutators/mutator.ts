/** The contract of a mutator: one child of a parent, or the reason why there is none. */
import type { Config } from '../../../shared/config.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { MutateData, MutatePayload } from '../../../shared/payloads.ts';
import type { Log } from '../../telemetry/log.ts';

export interface MutatorContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Asks a model. Throws `backend_failed`, `budget_exceeded`, `unavailable` (no back end is configured) or `cancelled`. */
  ask(request: ChatRequest): Promise<ChatAnswer>;
}

/** A child before hashing and checks, which the mutate handler does the same for every mutator. */
export type Mutated =
  | Omit<Extract<MutateData, { kind: 'child' }>, 'sha256' | 'normal' | 'execute'>
  | Extract<MutateData, { kind: 'rejected' }>;

export interface Mutator {
  readonly name: string;
  /** Capability tags a worker needs in addition to `cpu`: `llm` when a model is asked. */
  readonly requires: readonly string[];
  /** Changes only what lies in the parent's spans. Deterministic in the payload, except for a model's answer. */
  mutate(payload: MutatePayload, context: MutatorContext): Promise<Mutated>;
}

declare module '../../registry.ts' {
  interface PluginKinds {
    mutator: (config: Config) => Mutator;
  }
}
