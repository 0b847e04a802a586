/** The payload and answer of a render task. A payload is complete: no file is read where it is rendered. */
import * as z from 'zod';

export const RenderEngineName = z.enum(['minijinja', 'jinja2']);
export type RenderEngineName = z.infer<typeof RenderEngineName>;

export const RenderPayload = z.object({
  engine: RenderEngineName,
  /** Templates by name: the ones to render and all that they may include. */
  sources: z.record(z.string(), z.string()),
  jobs: z.array(z.object({ template: z.string(), context: z.string() })).min(1),
});
export type RenderPayload = z.infer<typeof RenderPayload>;

/** `texts`: one per job. `failed`: the template is at fault, which is an answer, and no failure of the task. */
export const RenderData = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('texts'), texts: z.array(z.string()) }),
  z.object({
    kind: z.literal('failed'),
    code: z.enum(['invalid_input', 'too_large']),
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
export type RenderData = z.infer<typeof RenderData>;
