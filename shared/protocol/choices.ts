/** What a user chose in the editor, on top of the workspace's configuration: models, the queue, and the secrets for both. */
import * as z from 'zod';
import { LlmBackendConfig } from '../config.ts';
import { request } from './message.ts';

/**
 * Environment variables that hold secrets, by name: API keys, and Redis' password. Nothing else can be set from outside,
 * so that a client cannot change how programs are found or loaded.
 */
export const SecretName = z
  .string()
  .regex(/^([A-Z][A-Z0-9_]{0,60}_API_KEY|PEAGEN_REDIS_PASSWORD)$/, 'expected …_API_KEY or PEAGEN_REDIS_PASSWORD');

/** Which queue: a team's Redis, or the one in the daemon, whatever the configuration says. */
export const QueueChoice = z.discriminatedUnion('kind', [
  /** Without a password: that is a secret. */
  z.object({ kind: z.literal('redis'), url: z.string().min(1), workspace: z.string().optional() }),
  z.object({ kind: z.literal('local') }),
]);
export type QueueChoice = z.infer<typeof QueueChoice>;

export const Choices = z.object({
  /** Back ends in addition to the configured ones; a configured one of the same name is preferred. */
  backends: z.array(LlmBackendConfig).max(100).default([]),
  /** As configured, when missing. */
  queue: QueueChoice.optional(),
  /** Values by the name of their variable. They stay in the memory of the daemon, and reach the workers that need them. */
  secrets: z.record(SecretName, z.string().min(1).max(8192)).default({}),
});
export type Choices = z.infer<typeof Choices>;

/** Client → daemon: after connecting, and whenever the user chooses again; replaces what was chosen before. */
export const Choose = request('peagen/choose', Choices, z.object({}));
