/** Questions that a run brings: texts with `{name}` in them, as OpenEvolve's templates have it. Pure. */
import type { MutatePayload } from '../../../shared/payloads.ts';
import { createRandom } from '../../random.ts';
import { short } from './goal.ts';
import type { FencedView } from './view.ts';

/** `{name}` becomes its value or one of the run's variations; `{{` and `}}` are braces; any other `{name}` stays as it is. */
export function filled(text: string, values: Readonly<Record<string, string>>, { asking, seed }: MutatePayload): string {
  const variations = asking?.variations ?? {};
  const random = createRandom(seed, 'variation');
  // One value for each name, however often it is there.
  const drawn = Object.fromEntries(Object.entries(variations).map(([name, texts]) => [name, random.pick(texts)]));
  const known = new Map(Object.entries({ ...drawn, ...values }));
  return text.replace(/\{\{|\}\}|\{(\w+)\}/g, (found, name: string | undefined) => {
    if (name === undefined) return found[0] ?? '';
    return known.get(name) ?? found;
  });
}

/** What such a text can name. `history`: programs, steps and failures, as the built-in questions show them. */
export function ownValues(view: FencedView, history: string): Record<string, string> {
  const { parent, artifacts, failure, failures, goal, language, metrics } = view;
  const listed = (names: readonly string[]) =>
    names.flatMap((name) => (metrics[name] === undefined ? [] : [`- ${name}: ${short(metrics[name])}`])).join('\n');
  const score = metrics[goal.metric];
  return {
    language,
    current_program: view.whole ? view.files.map(({ code }) => code).join('\n\n') : parent.code,
    evolution_history: history.trim(),
    metrics: listed(Object.keys(metrics)),
    fitness_score: score === undefined ? 'unknown' : short(score),
    feature_coords: listed(view.features) || 'none',
    feature_dimensions: view.features.join(', ') || 'none',
    improvement_areas: failure || (failures[0] ?? parent.note),
    artifacts: artifacts.map(({ name, text }) => `### ${name}\n${view.fence}\n${text}\n${view.fence}`).join('\n'),
  };
}
