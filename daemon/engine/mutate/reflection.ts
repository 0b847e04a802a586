/**
 * Reflection: every few generations a model reads what was tried and what came of it, and says what works, what does not and
 * what to try next. Later questions show these lessons. They are advice: a search without them goes on.
 */
import { Lessons } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import { fenceFor, promptLimit } from '../../llm/prompts/build.ts';
import { goalOf } from '../../llm/prompts/goal.ts';
import { firstLines, languageName, lessonLines, oneLine } from '../../llm/prompts/view.ts';
import type { GeneratePayload } from '../../render/task.ts';
import type { RunState } from '../run/state/run-state.ts';
import { resultOf, standingOf } from './mutate-payload.ts';

/** Attempts that a reflection is about, and the characters of each. */
const ATTEMPTS = 24;
const ATTEMPT_CHARS = 300;
/** Lines of the best program. */
const LINES = 300;
/** Tokens of an answer: three lines, and what a model thinks before it writes them. */
export const REFLECTION_TOKENS = 4096;
/** With room for fewer, a model would not come to its last line. */
const SHORTEST_ANSWER = 512;

/** Whether it is time: every `reflect` generations, while there are candidates to come. */
export function reflectionDue({ spec, generations, memory, failing, nextIndex }: RunState): boolean {
  if (spec.reflect === undefined || failing !== undefined) return false;
  return generations.done - memory.reflectedAt >= spec.reflect && nextIndex < spec.stop.max_generations * spec.population;
}

/** The most reflections that a run of this many generations has. */
export function reflectionsIn(generations: number, every: number | undefined): number {
  return every === undefined ? 0 : Math.floor(Math.max(0, generations - 1) / every);
}

interface ReflectionQuestion extends Omit<GeneratePayload, 'maxTokens'> {
  readonly tokens: number;
}

interface QuestionDeps {
  readonly state: RunState;
  readonly original: Program;
  readonly config: Config;
  program(sha256: Sha256): Promise<Program>;
}

/** The question about the run as it stands; undefined when the program is too long to ask about. */
export async function reflectionQuestion({
  state,
  original,
  config,
  program,
}: QuestionDeps): Promise<ReflectionQuestion | undefined> {
  // A run that asks no model loads neither.
  const [{ promptTemplates }, { tokenCounter }] = await Promise.all([
    import('../../llm/prompts/templates.ts'),
    import('../../llm/cost/tokens.ts'),
  ]);
  const { spec, archive, fitnessRule, generations, improvedAt } = state;
  const sha256 = archive.best()?.sha256 ?? state.original.sha256;
  const best = await program(sha256);
  const { best: _, ...standing } = standingOf(state);
  const next = { scoring: fitnessRule, deterministic: spec.deterministic };
  const stalled = generations.done - improvedAt;
  const view = {
    languageName: languageName(original.language),
    language: original.language,
    goal: goalOf({ next, standing, parent: { metrics: state.known.get(sha256)?.metrics ?? {} } }),
    instructions: spec.instructions ?? '',
    code: firstLines(best.spans.map((span) => spanText(best, span)).join('\n\n'), LINES),
    tried: attemptsOf(state),
    before: state.memory.lessons === undefined ? [] : lessonLines(state.memory.lessons),
    stalled: spec.plateau !== undefined && stalled >= spec.plateau ? stalled : 0,
  };
  const templates = promptTemplates(config.templates.search_path);
  const count = await tokenCounter();
  const system = templates.render('reflect-system', {});
  for (;;) {
    const prompt = templates.render('reflect', { ...view, fence: fenceFor(view) }).trim();
    const tokens = count(system) + count(prompt) + 11;
    if (tokens <= promptLimit(original, count)) {
      const { backend = config.mutate.backend, asking } = spec;
      const temperature = asking?.temperature ?? config.mutate.temperature;
      const effort = config.mutate.efforts.reflect;
      const asks = effort === undefined ? {} : { effort };
      return {
        ...asks,
        system,
        prompt,
        tokens,
        backend,
        temperature: Array.isArray(temperature) ? (temperature[0] ?? 0) : temperature,
      };
    }
    if (view.tried.pop() === undefined) return undefined;
  }
}

/** How long the answer may be, with this number of tokens to spend on each of the back ends that are asked; 0: not worth asking. */
export function answerRoom(question: ReflectionQuestion, allowance: number): number {
  const room = Math.min(REFLECTION_TOKENS, Math.floor(allowance) - question.tokens);
  return room < SHORTEST_ANSWER ? 0 : room;
}

/** The latest candidates in the order of their slots, which does not depend on their speed. */
function attemptsOf({ shas, known }: RunState): string[] {
  const judged = shas.flatMap((sha256) => (sha256 === undefined ? [] : (known.get(sha256) ?? [])));
  return judged
    .slice(-ATTEMPTS)
    .reverse()
    .map((one) => {
      const [parent] = one.origin.parents;
      const result = resultOf(one, parent === undefined ? undefined : known.get(parent));
      return oneLine(`${one.origin.summary.replace(/[.:]$/, '')}. Result: ${result}`, ATTEMPT_CHARS);
    });
}

/** The lessons of an answer, or in one line why it has none. */
export function lessonsIn(answer: string): Lessons | string {
  const said = [...answer.matchAll(/^[\s*_#>-]*(works|does not work|try next)[*_]*:[*_]*/gim)];
  const found: Record<string, string> = {};
  for (const [i, match] of said.entries()) {
    const text = oneLine(answer.slice(match.index + match[0].length, said[i + 1]?.index), 600);
    if (text !== '') found[(match[1] ?? '').toLowerCase()] ??= text;
  }
  const { works, 'does not work': fails, 'try next': next } = found;
  const parsed = Lessons.safeParse({ ...(works && { works }), ...(fails && { fails }), next });
  return parsed.success ? parsed.data : 'the answer has no line that begins with "Try next:"';
}
