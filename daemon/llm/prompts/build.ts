/**
 * Builds the prompt of a mutator from its payload, within a limit of tokens: when there is too much to say, whole
 * items go, the least important first, and long texts lose whole lines, never parts of one. Pure but for the templates.
 */

import type { Asking } from '../../../shared/asking.ts';
import type { Metrics } from '../../../shared/judging.ts';
import type { Example, MutatePayload } from '../../../shared/payloads.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import type { Templates } from '../jinja.ts';
import type { CountTokens } from '../tokens.ts';
import { filled, ownValues } from './own.ts';

export type PromptKind = 'patch' | 'rewrite' | 'crossover' | 'fix';

/** What went wrong with the answer before. */
export interface Repair {
  readonly reason: string;
  readonly answer: string;
}

export interface PromptInput {
  readonly kind: PromptKind;
  readonly payload: MutatePayload;
  /** The second parent of a crossover. */
  readonly partner?: Example | undefined;
  readonly repair?: Repair | undefined;
}

export interface BuiltPrompt {
  readonly system: string;
  readonly prompt: string;
  readonly tokens: number;
}

/** Lines of a failure's output, and of an earlier answer, that are shown. */
const FAILURE_LINES = 30;
const ANSWER_LINES = 80;
/** Describes one step of the lineage. */
const STEP_LINES = 24;

/** Programs next to the parent that a prompt has room for in any case. */
const USUAL_EXAMPLES = 3;
/** Characters that a token of an evaluation's output stands for. */
const CHARS_PER_TOKEN = 3;

/** The most tokens that a prompt about this program may have; known before a run, so its cost is. */
export function promptLimit(original: Program, count: CountTokens, asking: Asking = {}, examples = 0): number {
  const evolvable = original.spans.reduce((sum, span) => sum + count(spanText(original, span)), 0);
  const files = original.files.reduce((sum, file) => sum + count(file.text), 0);
  const own = [asking.system ?? '', ...longest(Object.values(asking.questions ?? {})), ...variationsOf(asking).flatMap(longest)];
  const said = own.reduce((sum, text) => sum + count(text), 0) + Math.ceil((asking.artifact_chars ?? 0) / CHARS_PER_TOKEN);
  return 4_000 + said + (4 + Math.max(0, examples - USUAL_EXAMPLES)) * evolvable + Math.min(files, 4_000);
}

const variationsOf = ({ variations = {} }: Asking): string[][] => Object.values(variations);

/** The one of most characters, as a list. */
const longest = (texts: readonly string[]): string[] => [...texts].sort((a, b) => b.length - a.length).slice(0, 1);

/** A run's own question, else the built-in one. A prompt that asks again, or crosses, needs what only the built-in ones say. */
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
    const system = options.templates.render('system', context).trim();
    const prompt = questionOf(input, context, options.templates).trim();
    // Eleven tokens frame two messages in the protocol; see tokens.ts.
    const tokens = options.count(system) + options.count(prompt) + 11;
    if (tokens <= options.limit) return { system, prompt, tokens };
    const cut = cuts.shift();
    if (cut === undefined) return undefined;
    cut();
  }
}

export interface ShownProgram {
  code: string;
  note: string;
  metrics: { name: string; value: string }[];
}

type View = ReturnType<typeof viewOf>;
export type FencedView = View & { fence: string };

function viewOf({ kind, payload, partner, repair }: PromptInput) {
  const { parent, entry, inspirations, failures, instructions, asking, artifacts, lineage = [] } = payload;
  const whole = parent.program.files.length === 1;
  const partSpans = parent.program.spans.map((span) => ({ path: span.path, code: spanText(parent.program, span) }));
  return {
    language: parent.program.language,
    entry: entry ?? null,
    /** Whole files, or only what may change when there is no room. */
    files: parent.program.files.map(({ path, text }) => ({ path, code: text })),
    whole: true,
    several: !whole,
    spans: partSpans,
    parent: shown(parent),
    partner: partner === undefined ? null : shown(partner),
    inspirations: inspirations.filter((one) => one.sha256 !== parent.sha256 && one.sha256 !== partner?.sha256).map(shown),
    failures: failures.map((failure) => firstLines(failure, FAILURE_LINES)),
    /** The parent's own step first. */
    lineage: lineage.map((step) => ({
      change: step.change,
      diff: firstLines(step.diff, STEP_LINES),
      metrics: numbers(step.metrics),
    })),
    instructions: instructions ?? '',
    /** What the run wants a model to be; empty: as usual. */
    role: asking?.system === undefined ? '' : filled(asking.system, {}, payload),
    /** The program fails: to be right is all that counts. */
    mends: kind === 'fix',
    /** The metric that counts, unless it is speed. */
    goal: goalOf(payload),
    features: payload.next?.scoring?.axes.map(({ name }) => name) ?? [],
    artifacts: Object.entries(artifacts ?? {}).map(([name, text]) => ({ name, text })),
    repair: repair === undefined ? null : { reason: repair.reason, answer: firstLines(repair.answer, ANSWER_LINES) },
  };
}

function goalOf({ next }: MutatePayload): string {
  const { metric = 'speedup', objectives } = next?.scoring ?? {};
  return objectives !== undefined || metric.startsWith('speedup') ? '' : metric;
}

function shown(example: Example): ShownProgram {
  return {
    code: example.program.spans.map((span) => spanText(example.program, span)).join('\n\n'),
    note: example.note,
    metrics: numbers(example.metrics),
  };
}

function numbers(metrics: Metrics): { name: string; value: string }[] {
  return Object.entries(metrics).map(([name, value]) => ({ name, value: String(Number(value.toPrecision(5))) }));
}

/**
 * What can go, the least important first: most other programs, what the evaluation wrote, how the older steps of the lineage
 * were made, older
 * failures, the older steps themselves, the code around, the last example, the rest.
 */
function cutsOf(view: View): (() => void)[] {
  const dropInspiration = () => void view.inspirations.pop();
  const dropFailure = () => void view.failures.pop();
  const dropStep = () => void view.lineage.pop();
  const older = view.lineage.slice(1);
  return [
    ...view.inspirations.slice(1).map(() => dropInspiration),
    ...view.artifacts.map(() => () => void view.artifacts.pop()),
    ...older.reverse().map((step) => () => {
      step.diff = '';
    }),
    ...view.failures.slice(1).map(() => dropFailure),
    ...older.map(() => dropStep),
    () => {
      view.whole = false;
      view.files = [];
    },
    ...view.inspirations.slice(0, 1).map(() => dropInspiration),
    () => {
      if (view.repair !== null) view.repair.answer = '';
    },
    ...view.lineage.slice(0, 1).map(() => dropStep),
    ...view.failures.slice(0, 1).map(() => dropFailure),
  ];
}

/** Whole lines from the beginning of a text, with a word on what is missing. */
function firstLines(text: string, limit: number): string {
  const lines = text.split('\n');
  if (lines.length <= limit) return text;
  return [...lines.slice(0, limit), `[${lines.length - limit} more lines]`].join('\n');
}

/** A fence that no text in the prompt can close. */
function fenceFor(view: View): string {
  const runs = JSON.stringify(view).match(/`{3,}/g) ?? [];
  return '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1);
}
