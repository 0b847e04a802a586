/**
 * Jinja templates, by minijinja with Python's methods. Fuel bounds what a template can do; one that runs out, or does
 * not parse, is an `invalid_input` that names it.
 */
import { PeagenError } from '../../shared/errors.ts';
import { createEnvironment } from '../render/jinja/wasm.ts';

/** Instructions; our own templates take some thousands. */
const FUEL = 2_000_000;

export interface Templates {
  /** Renders by name; `include` finds the others. */
  render(name: string, context: object): string;
}

/** `sources` by name. */
export function templatesOf(sources: ReadonlyMap<string, string>): Templates {
  const environment = createEnvironment();
  environment.trimBlocks = true;
  environment.lstripBlocks = true;
  environment.fuel = FUEL;
  for (const [name, source] of sources) guarded(name, () => environment.addTemplate(name, source));
  return { render: (name, context) => guarded(name, () => environment.renderTemplate(name, context)) };
}

function guarded<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (caught) {
    const [reason] = (caught instanceof Error ? caught.message : String(caught)).split('\n');
    throw new PeagenError('invalid_input', `The template "${name}" fails: ${reason}.`, {
      hint: 'Fix it in the folder of templates.search_path, or remove it there to use the built-in one.',
      cause: caught,
    });
  }
}
