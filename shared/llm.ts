/** A question to a language model and its answer: the same for every back end, and for the editor's own models. */
import * as z from 'zod';
import { ReasoningEffort, TokenUse } from './asking.ts';

export const ChatRequest = z.object({
  system: z.string(),
  prompt: z.string(),
  temperature: z.number().min(0).max(2),
  topP: z.number().min(0).max(1).optional(),
  maxTokens: z.number().int().positive(),
  seed: z.number().int().optional(),
  /** How much the model reasons before it answers, in place of what is configured for the back end. */
  effort: ReasoningEffort.optional(),
  /** A back end's name, several in order of preference with commas, or `auto`, `weighted`, `all`. */
  backend: z.string(),
  /** At most this many attempts that an endpoint may charge for. */
  maxPaid: z.number().int().positive().optional(),
  /** Models have answered the caller before: back ends that are away are waited for longer. */
  patient: z.boolean().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatAnswer = z.object({
  text: z.string(),
  backend: z.string(),
  model: z.string(),
  tokens: TokenUse,
  /** `length`: cut at maxTokens. `refused`: the model or its filter declined. */
  finish: z.enum(['stop', 'length', 'refused']),
  firstTokenMs: z.number(),
  totalMs: z.number(),
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;
