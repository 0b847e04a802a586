/** The contract of a template engine: texts in, texts out, with no file and no code of the template's own. */
import type { RenderEngineName } from './task.ts';

export interface RenderJob {
  /** A name of `sources`. */
  readonly template: string;
  /** The variables as JSON text (see writeJson), which keeps order and number types. */
  readonly context: string;
}

export interface TemplateEngine {
  /** One text per job. Throws `invalid_input` that names the template, the line and the reason. */
  render(sources: Readonly<Record<string, string>>, jobs: readonly RenderJob[], signal: AbortSignal): Promise<string[]>;
}

/** The engine of this name, one per process. */
export async function openTemplateEngine(name: RenderEngineName): Promise<TemplateEngine> {
  if (name === 'jinja2') return (await import('./jinja2.ts')).jinja2Engine;
  return (await import('./minijinja.ts')).minijinjaEngine;
}
