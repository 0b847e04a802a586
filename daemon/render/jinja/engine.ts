/** The contract of a template engine: texts in, texts out, with no file and no code of the template's own. */
import type { RenderEngineName, RenderOutcome, RenderPayload } from '../task.ts';

/** Contexts are JSON texts (see writeJson), which keep order and number types. */
export type RenderBatch = Omit<RenderPayload, 'engine'>;

export interface TemplateEngine {
  /** The outcomes of the first jobs; see RenderData. Each job has its own time, and one that fails takes no other with it. */
  render(batch: RenderBatch, signal: AbortSignal): Promise<RenderOutcome[]>;
}

/** The engine of this name, one per process. */
export async function openTemplateEngine(name: RenderEngineName): Promise<TemplateEngine> {
  if (name === 'jinja2') return (await import('./jinja2.ts')).jinja2Engine;
  return (await import('./minijinja.ts')).minijinjaEngine;
}
