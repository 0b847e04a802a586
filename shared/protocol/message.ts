/**
 * How a message is defined: once, with its method and the zod schemas of both directions. Both ends parse what they
 * receive. One file per feature next to this one holds the messages; a doc sentence says who sends each, and when.
 */
import type * as z from 'zod';

/** Raised on an incompatible change; a client and a daemon that differ refuse each other. */
export const PROTOCOL_VERSION = 1;

export interface RequestDefinition<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  readonly method: string;
  readonly params: P;
  readonly result: R;
}

export interface NotificationDefinition<P extends z.ZodType = z.ZodType> {
  readonly method: string;
  readonly params: P;
}

export function request<P extends z.ZodType, R extends z.ZodType>(method: string, params: P, result: R): RequestDefinition<P, R> {
  return { method, params, result };
}

export function notification<P extends z.ZodType>(method: string, params: P): NotificationDefinition<P> {
  return { method, params };
}
