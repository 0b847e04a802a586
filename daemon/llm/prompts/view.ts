/** Everything that a prompt template can show, from the payload of a mutator. Pure. */
import type { Lessons } from '../../../shared/asking.ts';
import type { HotLine } from '../../../shared/judging.ts';
import type { Attempt, Example, MutatePayload } from '../../../shared/payloads.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import { goalOf, measured, type PromptGoal } from './goal.ts';
import { filled } from './own.ts';
import { roleText } from './roles.ts';
import { workloadOf } from './workload.ts';

export type PromptKind = 'patch' | 'rewrite' | 'crossover' | 'fix';

/** Why the previous answer could not be used. */
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

/** Lines of a failure's output, and of an earlier answer, that are shown. */
const FAILURE_LINES = 30;
const ANSWER_LINES = 80;
/** Lines of a diff in the history. */
const STEP_LINES = 24;
const TRIED_LINES = 14;
/** A part of up to this many lines is answered as a whole: a model rewrites it with fewer mistakes than it patches it. */
const SMALL_PART = 60;
/** Steps of a lineage that goes back to the original for certain: a longer one may be cut. */
const SHORT_LINEAGE = 4;
/** Packages that are listed. */
const PACKAGES = 12;
/** Where no line is run as often as this, what a program does happens inside of built-in functions, or hardly anything does. */
const FEW_RUNS = 100;

const languageNames: Readonly<Record<string, string>> = { python: 'Python', javascript: 'JavaScript', typescript: 'TypeScript' };

export const languageName = (language: string): string => languageNames[language] ?? language;

export type View = ReturnType<typeof viewOf>;
export type FencedView = View & { fence: string };

export function viewOf({ kind, payload, partner, repair }: PromptInput) {
  const { parent, entry, inspirations, failures, instructions, asking, artifacts, lineage = [], tried = [] } = payload;
  const { program } = parent;
  const goal = goalOf(payload);
  const spans = program.spans.map((span) => ({ path: span.path, code: spanText(program, span) }));
  const [own, others] = ownFailure(failures);
  const paths = program.files.map(({ path }) => path);
  return {
    language: program.language,
    languageName: languageName(program.language),
    entry: entry ?? null,
    /** Whole files, or only what may change when there is no room. */
    files: program.files.map(({ path, text }) => ({ path, code: text, shown: text.replace(/\n$/, '') })),
    whole: true,
    several: program.files.length > 1,
    spans,
    changeable: changeable(program, entry?.fn),
    small: spans.length === 1 && (spans[0]?.code.split('\n').length ?? 0) <= SMALL_PART,
    parent: shown(parent, goal),
    partner: partner === undefined ? null : shown(partner, goal),
    inspirations: inspirations
      .filter((one) => one.sha256 !== parent.sha256 && one.sha256 !== partner?.sha256)
      // The diffs of a short lineage say already what the original was.
      .filter((one) => lineage.length === 0 || lineage.length >= SHORT_LINEAGE || !isSame(one.program, payload.original))
      .map((one) => shown(one, goal)),
    /** How this program fails by itself; empty when it does not. */
    failure: own === undefined ? '' : firstLines(own, FAILURE_LINES),
    failures: others.map((failure) => firstLines(withoutLines(failure, paths), FAILURE_LINES)),
    /** The parent's own step first. */
    lineage: lineage.map((step) => ({
      change: withoutLines(step.change, paths),
      diff: firstLines(step.diff, STEP_LINES),
      measured: measured(step.metrics, goal, parent.metrics),
    })),
    tried: distinct(tried).map(({ change, result, metrics, diff }) => ({
      change,
      result: firstLines(result, 8),
      measured: measured(metrics, goal, parent.metrics),
      diff: firstLines(diff, TRIED_LINES),
    })),
    instructions: instructions ?? '',
    /** The head of the original function, where the program shown has lost it. */
    promise: entry === undefined ? '' : lostDocstring(payload.original, program),
    /** What the run wants a model to be; empty: as usual. */
    role: asking?.system === undefined ? '' : filled(asking.system, {}, payload),
    /** The program fails, so correctness is all that counts. */
    fixing: kind === 'fix',
    goal,
    /** The kind of change that is asked for, in a sentence. */
    approach: kind === 'fix' ? '' : roleText(payload.role, goal.kind),
    /** What the latest reflection concluded. */
    lessons: payload.lessons === undefined ? [] : lessonLines(payload.lessons),
    workload: workloadOf(payload),
    /** Results are compared with the original's, so nothing may be remembered between calls. */
    compared: goal.kind === 'speed',
    packages: packageText(asking?.packages ?? []),
    features: payload.next?.scoring?.axes.map(({ name }) => name) ?? [],
    metrics: parent.metrics,
    lines: hotLineTexts(payload.lines ?? [], program.files.length > 1),
    artifacts: Object.entries(artifacts ?? {}).map(([name, text]) => ({ name, text })),
    repair: repair === undefined ? null : { reason: repair.reason, answer: firstLines(repair.answer, ANSWER_LINES) },
  };
}

const isSame = (one: Program, other: Program): boolean => one.files.every(({ text }, i) => text === other.files[i]?.text);

function packageText(packages: readonly string[]): string {
  return [...packages.slice(0, PACKAGES), ...(packages.length > PACKAGES ? ['and others'] : [])].join(', ');
}

/** A text about another program, whose line numbers would be taken for lines of the program shown. */
function withoutLines(text: string, paths: readonly string[]): string {
  return text
    .replaceAll(/ at line \d+/g, '')
    .replaceAll(/(File "[^"\n]*"), line \d+/g, '$1')
    .replaceAll(/ \(from [0-9a-f]{8}\)/g, '')
    .replaceAll(/([\w./-]+\.\w+)(?::\d+)+/g, (whole, path: string) => (paths.includes(path) ? path : whole));
}

/** Signature and docstring of the original Python function; empty where the program still has the docstring, or never had one. */
function lostDocstring(original: Program, program: Program): string {
  for (const span of original.spans) {
    const head = /^[^\n]*def [\s\S]*?:[ \t]*\n\s*[rRuU]?("""|''')([\s\S]*?)\1/.exec(spanText(original, span))?.[0];
    const docstring = head?.slice(head.search(/"""|'''/));
    if (head === undefined || docstring === undefined) continue;
    if (!program.files.some(({ text }) => text.includes(docstring))) return head;
  }
  return '';
}

/** An answer that gave no program, and that says the same as another one, is not repeated. */
const distinct = (tried: readonly Attempt[]): Attempt[] =>
  tried.filter(
    (one, at) =>
      one.diff !== '' || tried.findIndex(({ change, result }) => change === one.change && result === one.result) === at,
  );

function hotLineTexts(lines: readonly HotLine[], several: boolean): { place: string; rest: string }[] {
  return lines.some(({ runs }) => runs >= FEW_RUNS) ? lines.map((one) => hotLineText(one, several)) : [];
}

/** `line 12, \`ages = […]\`: 48 % of the operations, run 2,000 times`. */
function hotLineText({ path, line, code, share, runs }: HotLine, several: boolean): { place: string; rest: string } {
  const times = `run ${runs.toLocaleString('en')} ${runs === 1 ? 'time' : 'times'}`;
  const place = `line ${line} of ${several ? `\`${path}\`` : 'the program shown'}, `;
  return { place, rest: `\`${code.replaceAll('`', "'")}\`: ${Math.round(100 * share)} % of the operations, ${times}` };
}

/** The engine puts the failure of the parent itself first, with this prefix. */
export const OWN_FAILURE = 'this program: ';

function ownFailure(failures: readonly string[]): [string | undefined, readonly string[]] {
  const [first] = failures;
  return first?.startsWith(OWN_FAILURE) === true ? [first.slice(OWN_FAILURE.length), failures.slice(1)] : [undefined, failures];
}

/** Which part may change, in one sentence that refers to the files as they are shown. */
function changeable(program: Program, fn: string | undefined): string {
  const { files, spans } = program;
  if (fn !== undefined && spans.length === 1) return `Only the function \`${fn}\` may change.`;
  const whole = spans.every((span) => spanText(program, span) === files.find(({ path }) => path === span.path)?.text);
  if (whole) return 'All of it may change.';
  if (files.some(({ text }) => text.includes('EVOLVE-BLOCK-START'))) {
    return 'Only the lines between `EVOLVE-BLOCK-START` and `EVOLVE-BLOCK-END` may change.';
  }
  const heads = spans.map((span) => spanText(program, span).trim().split('\n')[0] ?? '');
  return `Only the parts that begin with these lines may change: ${heads.map((head) => `\`${head.trim()}\``).join(', ')}.`;
}

interface ShownProgram {
  code: string;
  note: string;
  measured: string;
}

function shown(example: Example, goal: PromptGoal): ShownProgram {
  return {
    code: example.program.spans.map((span) => spanText(example.program, span).trimEnd()).join('\n\n'),
    note: withoutLines(
      example.note,
      example.program.files.map(({ path }) => path),
    )
      .trim()
      .replace(/[.:]$/, ''),
    measured: measured(example.metrics, goal),
  };
}

/** As questions show them. */
export function lessonLines({ works, fails, next }: Lessons): string[] {
  return [
    ...(works === undefined ? [] : [`Works: ${works}`]),
    ...(fails === undefined ? [] : [`Does not work: ${fails}`]),
    `Try next: ${next}`,
  ];
}

/** What a model says, cut to size, on one line and without anything that could steer a terminal. */
export function oneLine(text: string, limit: number): string {
  const line = text.replaceAll(/[\p{Cc}\u202a-\u202e\u2066-\u2069\s]+/gu, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** Whole lines from the beginning of a text, and how many are left out. */
export function firstLines(text: string, limit: number): string {
  const lines = text.split('\n');
  if (lines.length <= limit) return text;
  return [...lines.slice(0, limit), `[${lines.length - limit} more lines]`].join('\n');
}
