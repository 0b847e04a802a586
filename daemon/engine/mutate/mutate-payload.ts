/** What a mutator is given for a slot: a function of the journal up to its selection, so that a replay gives the same. */
import { structuredPatch } from 'diff';
import type { Sha256 } from '../../../shared/ids.ts';
import { Artifacts, type Execution, isCorrect } from '../../../shared/judging.ts';
import type { Attempt, Example, LineageNote, MutatePayload, Standing } from '../../../shared/payloads.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { CapTag } from '../../../shared/task.ts';
import { OWN_FAILURE, oneLine } from '../../llm/prompts/view.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { KnownProgram, OpenSlot } from '../run/state/slots.ts';
import type { TriedChange } from './memory.ts';
import type { MinHashes } from './min-hashes.ts';

/** How many steps of the parent's lineage a model is shown. */
const STEPS = 6;
/** Attempts from the same parent that are shown with their diff and all that became of them; of older ones the first line. */
const DIFFS = 4;
/** Characters of what an evaluator said of an attempt. */
const SAID_CHARS = 400;
/** Characters of an evaluation's output that a model is shown unless the run says otherwise. */
const ARTIFACT_CHARS = 3000;

export interface PayloadDeps {
  readonly state: RunState;
  readonly original: Program;
  readonly sketches: MinHashes;
  program(sha256: Sha256): Promise<Program>;
  readText(sha256: Sha256): Promise<string>;
}

/** `requires`: the tags of the mutator, which tell whether it asks a model. */
export async function mutatePayload(open: OpenSlot, deps: PayloadDeps, requires: readonly CapTag[]): Promise<MutatePayload> {
  const { spec, entry, division } = deps.state;
  const { selected, context } = open;
  const backend = division?.backends(selected) ?? selected.backend ?? spec.backend;
  // The control of an experiment learns from nothing that was tried.
  const learns = spec.strategy !== 'best-of-n' && spec.strategy !== 'greedy';
  const near = spec.near_duplicate;
  return {
    mutator: selected.mutator,
    seed: selected.seed,
    original: deps.original,
    ...(entry === undefined ? {} : { entry }),
    parent: await example(selected.parent, deps),
    inspirations: await Promise.all(selected.inspirations.map((sha256) => example(sha256, deps))),
    seen: context.seen,
    failures: learns ? failuresFor(selected.parent, context.failures, deps) : [],
    ...(requires.includes('llm')
      ? {
          lineage: await lineageNotes(selected.parent, deps),
          answered: hasAnswered(deps.state),
          standing: standingOf(deps.state),
          ...(selected.role === undefined ? {} : { role: selected.role }),
          ...(selected.plateau === undefined ? {} : { plateau: selected.plateau }),
          ...(learns && context.lessons !== undefined ? { lessons: context.lessons } : {}),
          ...(learns ? { tried: await attempts(context.tried, selected.parent, deps) } : {}),
        }
      : learns
        ? { failedChanges: [...context.failedChanges] }
        : {}),
    ...(near === undefined
      ? {}
      : { near: { share: near, sketches: await deps.sketches.of([selected.parent, ...context.recent]) } }),
    ...(spec.asking === undefined ? {} : { asking: spec.asking }),
    ...(await artifactsOf(selected.parent, deps)),
    ...(spec.max_code_length === undefined ? {} : { maxCodeLength: spec.max_code_length }),
    ...(spec.evaluator.name === 'function' ? { sameResults: true } : {}),
    ...(spec.instructions === undefined ? {} : { instructions: spec.instructions }),
    ...(backend === undefined ? {} : { backend }),
    nextRequires: [],
  };
}

/** Whether a model has answered in this run. A question in vain may have cost its prompt. */
export function hasAnswered({ spending }: RunState): boolean {
  return spending.tokens.completion > 0;
}

/** What an evaluation wrote, kept where models are asked: they are shown it. */
export async function keptArtifacts(
  { artifacts }: Pick<Execution, 'artifacts'>,
  spec: Pick<RunSpec, 'asking' | 'fix'>,
  put: (text: string) => Promise<Sha256>,
): Promise<{ artifacts?: Sha256 }> {
  return artifactChars(spec) === 0 || Object.keys(artifacts).length === 0
    ? {}
    : { artifacts: await put(JSON.stringify(artifacts)) };
}

/** A run that asks no model does not use them, unless its folder asks to keep them. */
const artifactChars = ({ asking, fix }: Pick<RunSpec, 'asking' | 'fix'>): number =>
  asking?.artifact_chars ?? (fix === true ? ARTIFACT_CHARS : 0);

/** What the parent's evaluation wrote, all of it cut to `artifact_chars`: each has as much room as the ones before left. */
async function artifactsOf(parent: Sha256, { state, readText }: PayloadDeps) {
  const limit = artifactChars(state.spec);
  const object = state.known.get(parent)?.artifacts;
  if (object === undefined || limit === 0) return {};
  const shown: Record<string, string> = {};
  let room = limit;
  for (const [name, text] of Object.entries(Artifacts.parse(JSON.parse(await readText(object))))) {
    if (room <= 0) break;
    shown[name] = text.length > room ? `${text.slice(0, room)}…` : text;
    room -= text.length;
  }
  return { artifacts: shown };
}

/** First that of a parent that is to be fixed, which is not repeated under its own name. */
function failuresFor(parent: Sha256, recent: readonly string[], { state }: PayloadDeps): string[] {
  const outcome = state.known.get(parent)?.outcome;
  if (outcome === undefined || isCorrect(outcome)) return [...recent];
  const own = state.known.failureOf(parent);
  return [`${OWN_FAILURE}${outcome.kind}: ${outcome.detail}`, ...recent.filter((failure) => failure !== own)];
}

/** How far the search has come, for the goal in the prompt. */
export function standingOf({ baseline, archive, spec }: RunState): Standing {
  const best = archive.best()?.metrics;
  const { target_ms } = spec.stop;
  return {
    original: baseline,
    ...(best === undefined ? {} : { best }),
    ...(target_ms === undefined ? {} : { target_ms }),
  };
}

/** What was tried from the parent, with what became of it. */
async function attempts(tried: readonly TriedChange[], parent: Sha256, deps: PayloadDeps): Promise<Attempt[]> {
  const { state, program } = deps;
  const before = await program(parent);
  return Promise.all(
    tried.map(async ({ sha256, reason }, index) => {
      const known = sha256 === undefined ? undefined : state.known.get(sha256);
      if (sha256 === undefined || known === undefined) {
        return { change: 'An answer that gave no new program', result: reason ?? 'unknown', metrics: {}, diff: '' };
      }
      const again = reason === undefined ? '' : 'proposed again; the program exists already. ';
      const isLate = index < DIFFS;
      const diff = isLate ? diffBetween(before, await program(sha256)) : '';
      // The score is among the metrics.
      const result = again + resultOf(known, state.known.get(parent)).replace(/ \(Its score is [^()\n]*\)$/, '');
      return {
        change: known.origin.summary.replace(/[.:]$/, ''),
        result: isLate ? result + (await saidOf(known, deps)) : oneLine(result.split('\n')[0] ?? '', SAID_CHARS),
        metrics: known.metrics,
        diff,
      };
    }),
  );
}

/** What a folder's evaluator said of a program that it scored; that of one that failed is in the outcome. */
async function saidOf({ artifacts, fitness }: KnownProgram, { state, readText }: PayloadDeps): Promise<string> {
  const isFolder = ['openevolve', 'shinka'].includes(state.spec.evaluator.name);
  if (!isFolder || artifacts === undefined || fitness === null) return '';
  const { stderr: _, ...said } = Artifacts.parse(JSON.parse(await readText(artifacts)));
  const texts = Object.entries(said).map(([name, text]) => oneLine(`${name}: ${withoutTrace(text)}`, SAID_CHARS));
  return texts.length === 0 ? '' : `. The evaluator said: ${oneLine(texts.join('; '), SAID_CHARS)}`;
}

/** The last line of a traceback says what went wrong; its first lines say where the evaluator is. */
const withoutTrace = (text: string): string =>
  text.includes('Traceback (most recent call last)') ? (text.trimEnd().split('\n').at(-1) ?? '') : text;

/** `wrong: f(3) returned 4; the original returned 3`, or how the fitness compares with the parent's. */
export function resultOf({ outcome, fitness }: KnownProgram, parent: KnownProgram | undefined): string {
  if (fitness === null) return `${outcome.kind}: ${outcome.detail}`;
  const before = parent?.fitness ?? undefined;
  const change = before === undefined ? 'correct' : fitness > before ? 'better' : fitness < before ? 'worse' : 'no difference';
  return outcome.detail === '' ? change : `${change} (${outcome.detail})`;
}

async function example(sha256: Sha256, deps: PayloadDeps): Promise<Example> {
  const known = deps.state.known.get(sha256);
  return { sha256, program: await deps.program(sha256), metrics: known?.metrics ?? {}, note: known?.origin.summary ?? '' };
}

/** From the parent's own step backwards, through first parents. */
async function lineageNotes(parent: Sha256, { state, program }: PayloadDeps): Promise<LineageNote[]> {
  const notes: LineageNote[] = [];
  const passed = new Set<Sha256>();
  for (let at = parent; notes.length < STEPS && !passed.has(at); ) {
    passed.add(at);
    const known = state.known.get(at);
    const [from] = known?.origin.parents ?? [];
    if (known === undefined || from === undefined) break;
    const diff = diffBetween(await program(from), await program(at));
    notes.push({ change: known.origin.summary, metrics: known.metrics, diff });
    at = from;
  }
  return notes;
}

/** Describes the parts that may change, as a unified diff without its head. */
function diffBetween(before: Program, after: Program): string {
  const textOf = (program: Program) => program.spans.map((span) => spanText(program, span)).join('\n');
  return (
    structuredPatch('', '', textOf(before), textOf(after), '', '', { context: 1 })
      .hunks.flatMap(({ lines }, i) => (i === 0 ? lines : ['…', ...lines]))
      // A part that ends without a line break has such a line.
      .filter((line) => !line.startsWith('\\ '))
      .join('\n')
  );
}
