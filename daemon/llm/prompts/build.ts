/**
 * Builds the prompt of a mutator from its payload, within a limit of tokens. When there is too much to show, whole items
 * are left out, the least important first; a long text loses whole lines, never part of one. Pure except for the templates.
 */
import type { Asking } from '../../../shared/asking.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import type { CountTokens } from '../cost/tokens.ts';
import type { Templates } from '../jinja.ts';
import { filled, ownValues } from './own.ts';
import { type FencedView, type PromptInput, type View, viewOf } from './view.ts';

export interface BuiltPrompt {
  readonly system: string;
  readonly prompt: string;
  readonly tokens: number;
}

/** Programs next to the parent that every prompt has room for. */
export const USUAL_EXAMPLES = 3;
/** Characters of an evaluation's output per token. */
const CHARS_PER_TOKEN = 3;

/** The most tokens that a prompt about this program may have. It is known before a run, and so is its cost. */
export function promptLimit(original: Program, count: CountTokens, asking: Asking = {}, examples = 0): number {
  const evolvable = original.spans.reduce((sum, span) => sum + count(spanText(original, span)), 0);
  const files = original.files.reduce((sum, file) => sum + count(file.text), 0);
  const { system = '', about = '', questions = {}, artifact_chars: artifacts = 0 } = asking;
  const own = [system, about, ...longest(Object.values(questions)), ...variationsOf(asking).flatMap(longest)];
  const said = own.reduce((sum, text) => sum + count(text), 0) + Math.ceil(artifacts / CHARS_PER_TOKEN);
  return 4_000 + said + (4 + Math.max(0, examples - USUAL_EXAMPLES)) * evolvable + Math.min(files, 4_000);
}

const variationsOf = ({ variations = {} }: Asking): string[][] => Object.values(variations);

/** The text with the most characters, as a list. */
const longest = (texts: readonly string[]): string[] => [...texts].sort((a, b) => b.length - a.length).slice(0, 1);

/** A run's own question, else the built-in one. A repair needs what only the built-in questions say. */
function questionOf({ kind, payload, repair }: PromptInput, view: FencedView, templates: Templates): string {
  const own = repair === undefined ? payload.asking?.questions?.[kind] : undefined;
  return own === undefined
    ? templates.render(kind, view)
    : filled(own, ownValues(view, templates.render('history', view)), payload);
}

/** Undefined when even the shortest prompt is above the limit. */
export function buildPrompt(
  input: PromptInput,
  options: { templates: Templates; count: CountTokens; limit: number },
): BuiltPrompt | undefined {
  const view = viewOf(input);
  const cuts = cutsOf(view);
  for (;;) {
    const context = { ...view, fence: fenceFor(view) };
    const system = tidy(options.templates.render('system', context));
    const prompt = tidy(questionOf(input, context, options.templates));
    // Eleven tokens frame two messages in the protocol; see tokens.ts.
    const tokens = options.count(system) + options.count(prompt) + 11;
    if (tokens <= options.limit) return { system, prompt, tokens };
    const cut = cuts.shift();
    if (cut === undefined) return undefined;
    cut();
  }
}

/** Parts that are absent leave blank lines behind, before the next heading. */
const tidy = (text: string): string => text.replaceAll(/\n{3,}(?=## )/g, '\n\n').trim();

/**
 * What can be left out, the least important first: most other programs, the output of the evaluation, the diffs of older
 * attempts, how the older steps of the lineage were made, older failures, the older steps themselves, older attempts, the
 * code around the changeable part, the last example, the rest.
 */
function cutsOf(view: View): (() => void)[] {
  const older = view.lineage.slice(1);
  const attempts = view.tried.slice(1);
  const drop = (list: unknown[]) => () => void list.pop();
  return [
    ...view.inspirations.slice(1).map(() => drop(view.inspirations)),
    ...view.artifacts.map(() => drop(view.artifacts)),
    ...attempts.toReversed().map((one) => () => {
      one.diff = '';
    }),
    ...older.reverse().map((step) => () => {
      step.diff = '';
    }),
    ...view.failures.slice(1).map(() => drop(view.failures)),
    ...older.map(() => drop(view.lineage)),
    ...attempts.map(() => drop(view.tried)),
    () => {
      view.whole = false;
      view.files = [];
    },
    ...view.inspirations.slice(0, 1).map(() => drop(view.inspirations)),
    () => {
      if (view.repair !== null) view.repair.answer = '';
    },
    ...view.lineage.slice(0, 1).map(() => drop(view.lineage)),
    ...view.failures.slice(0, 1).map(() => drop(view.failures)),
    ...view.tried.slice(0, 1).map(() => drop(view.tried)),
    () => {
      view.lines = [];
      view.lessons = [];
      view.workload = [];
      view.packages = '';
      view.promise = '';
    },
  ];
}

/** A fence that no text in the prompt can close. */
export function fenceFor(view: object): string {
  const runs = JSON.stringify(view).match(/`{3,}/g) ?? [];
  return '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
}
