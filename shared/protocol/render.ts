/** Rendering a project for an editor, which shows the files and writes them itself. */
import * as z from 'zod';
import { request } from './message.ts';

export const RenderFrom = z.object({
  /** Absolute path of the payload file. */
  project: z.string().min(1),
  /** Its text, when it is not what is on disk. */
  text: z.string().optional(),
  /** Absolute folder that the files belong to. */
  out: z.string().min(1),
});
export type RenderFrom = z.infer<typeof RenderFrom>;

export const RenderCost = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  /** Null when the price of a back end is unknown. */
  dollars: z.number().nullable(),
  /** How many files a model has to write. */
  files: z.number().int(),
});
export type RenderCost = z.infer<typeof RenderCost>;

export const RenderedFile = z.object({
  /** Relative to `out`, with forward slashes. */
  path: z.string(),
  /** `generated`: a model would write it. `kept`: it differs, and a user keeps what is there. */
  state: z.enum(['new', 'same', 'changed', 'generated', 'kept']),
  before: z.string().optional(),
  after: z.string().optional(),
});
export type RenderedFile = z.infer<typeof RenderedFile>;

const Rendered = z.object({ files: z.array(RenderedFile), warnings: z.array(z.string()), worst_case: RenderCost });
export type Rendered = z.infer<typeof Rendered>;

/** Client → daemon: what a rendering would do. Writes nothing and asks no model. */
export const PreviewRender = request('peagen/render/preview', RenderFrom, Rendered);

/** Client → daemon: renders a project into its folder, wholly or not at all. The daemon asks back with the two requests below. */
export const WriteRender = request(
  'peagen/render/write',
  RenderFrom.extend({
    start: z.object({ file: z.string().optional(), index: z.number().int().min(0).optional(), transitive: z.boolean() }),
    /** Write nothing and ask no model. */
    compare: z.boolean(),
  }),
  Rendered,
);

/** Daemon → client, while it renders: what the files that a model writes can cost. An error ends the rendering. */
export const AgreeToSpend = request('peagen/render/spend', z.object({ cost: RenderCost }), z.object({}));

/** Daemon → client, while it renders: which of the files that differ are replaced. An error ends the rendering. */
export const AgreeToReplace = request(
  'peagen/render/replace',
  z.object({ changes: z.array(z.object({ path: z.string(), before: z.string(), after: z.string() })) }),
  z.object({ replaced: z.array(z.string()) }),
);

/**
 * Client → daemon: all files, those of models too. Writes nothing. `budget_exceeded` when it can cost more than was agreed
 * to.
 */
export const MakeRender = request('peagen/render/make', RenderFrom.extend({ agreed: RenderCost }), Rendered);

/** An entry of EXTRAS that templates read. */
const Extra = z.object({
  name: z.string(),
  /** Its value in the set's own example; absent where that has none. */
  example: z.json().optional(),
});
export type Extra = z.infer<typeof Extra>;

export const SetExtras = z.object({ project: z.array(Extra), package: z.array(Extra), module: z.array(Extra) });
export type SetExtras = z.infer<typeof SetExtras>;

export const TemplateSetInfo = z.object({
  name: z.string(),
  from: z.string(),
  folder: z.string(),
  description: z.string(),
  extras: SetExtras,
});
export type TemplateSetInfo = z.infer<typeof TemplateSetInfo>;

/** Client → daemon: the template sets there are, and the JSON schema of a payload, which a form is made from. */
export const RenderChoices = request(
  'peagen/render/choices',
  z.object({}),
  z.object({ sets: z.array(TemplateSetInfo), schema: z.record(z.string(), z.unknown()) }),
);
