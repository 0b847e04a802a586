/** Renders a template in this process, for an editor's question about it; the files of a project go through the queue. */
import { PeagenError } from '../../../shared/errors.ts';
import type { RenderItem } from '../plan.ts';
import { openTemplateEngine } from './engine.ts';

/** Throws what is wrong with the template. */
export async function outcomeText({ sources, entry, shared, context }: Omit<RenderItem, 'what'>): Promise<string> {
  const engine = await openTemplateEngine('minijinja');
  const [outcome] = await engine.render({ sources, shared, jobs: [{ template: entry, context }] }, new AbortController().signal);
  if (outcome?.kind === 'text') return outcome.text;
  throw new PeagenError(outcome?.code ?? 'internal', outcome?.message ?? 'The engine gave no answer.', { hint: outcome?.hint });
}
