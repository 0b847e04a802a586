/** The payloads and answers of render tasks. A payload is complete: no file is read where it is rendered. */
import * as z from 'zod';
import { ReasoningEffort, TokenUse } from '../../shared/asking.ts';

export const RenderEngineName = z.enum(['minijinja', 'jinja2']);
export type RenderEngineName = z.infer<typeof RenderEngineName>;

export const RenderPayload = z.object({
  engine: RenderEngineName,
  /** Templates by name: the ones to render and all that they may include. */
  sources: z.record(z.string(), z.string()),
  /** Variables of every job, as the JSON text of an object; a job's own come before them. */
  shared: z.string().default('{}'),
  jobs: z.array(z.object({ template: z.string(), context: z.string() })).min(1),
});
export type RenderPayload = z.infer<typeof RenderPayload>;

/** `failed`: the template is at fault, which is an answer, and no failure of the task. */
export const RenderOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({
    kind: z.literal('failed'),
    code: z.enum(['invalid_input', 'too_large']),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
export type RenderOutcome = z.infer<typeof RenderOutcome>;

export function failedOutcome(code: 'invalid_input' | 'too_large', message: string, hint = 'Fix the template.'): RenderOutcome {
  return { kind: 'failed', code, message, hint };
}

/**
 * Outcomes of the first jobs, at least one: the rest is for another task when the texts were many, and for none after
 * `too_large`.
 */
export const RenderData = z.object({ outcomes: z.array(RenderOutcome).min(1) });
export type RenderData = z.infer<typeof RenderData>;

/** Asks a language model for one text, such as a file; requires `llm`. */
export const GeneratePayload = z.object({
  system: z.string(),
  prompt: z.string(),
  temperature: z.number(),
  maxTokens: z.number().int().positive(),
  backend: z.string(),
  effort: ReasoningEffort.optional(),
  /** Tokens that a run with a budget has reserved for it: it is asked once, and all of them count when its worker dies. */
  allowance: z.number().int().positive().optional(),
});
export type GeneratePayload = z.infer<typeof GeneratePayload>;

/** `failed`: the model declined, or its answer holds no file; it has cost tokens all the same. */
export const GenerateData = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), backend: z.string(), tokens: TokenUse }),
  z.object({ kind: z.literal('failed'), reason: z.string(), tokens: TokenUse }),
]);
export type GenerateData = z.infer<typeof GenerateData>;
