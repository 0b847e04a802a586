/** The question that a mutator asks about a payload, as it is sent and as `--show-prompt` prints it. */
import type { Config } from '../../../shared/config.ts';
import type { Example, MutatePayload } from '../../../shared/payloads.ts';
import { tokenCounter } from '../cost/tokens.ts';
import { type BuiltPrompt, buildPrompt, promptLimit } from './build.ts';
import { promptTemplates } from './templates.ts';
import type { PromptKind, Repair } from './view.ts';

/** Undefined when the program is too long to ask about. */
export async function questionAbout(
  name: PromptKind,
  payload: MutatePayload,
  config: Config,
  repair?: Repair,
): Promise<BuiltPrompt | undefined> {
  const partner = name === 'crossover' ? partnerOf(payload) : undefined;
  // Without a second program a crossover becomes a rewrite.
  const kind = name === 'crossover' && partner === undefined ? 'rewrite' : name;
  const count = await tokenCounter();
  return buildPrompt(
    { kind, payload, partner, repair },
    {
      templates: promptTemplates(config.templates.search_path),
      count,
      limit: promptLimit(payload.original, count, payload.asking, payload.inspirations.length),
    },
  );
}

/** The first inspiration that is not the parent, which the run records as the second parent. */
function partnerOf(payload: MutatePayload): Example | undefined {
  return payload.inspirations.find((one) => one.sha256 !== payload.parent.sha256);
}
