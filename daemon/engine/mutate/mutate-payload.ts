/** What a mutator is given for a slot: a function of the journal up to its selection, so that a replay gives the same. */
import { structuredPatch } from 'diff';
import type { Asking } from '../../../shared/asking.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import { Artifacts, type Execution, isCorrect } from '../../../shared/judging.ts';
import type { Example, LineageNote, MutatePayload } from '../../../shared/payloads.ts';
import { type Program, spanText } from '../../../shared/program.ts';
import type { RunSpec } from '../../../shared/run.ts';
import type { CapTag } from '../../../shared/task.ts';
import type { RunState } from '../run/run-state.ts';
import type { OpenSlot } from '../run/slots.ts';
import type { Sketches } from './sketches.ts';

/** Steps of the parent's lineage that a model is told of. */
const STEPS = 6;

export interface PayloadDeps {
  readonly state: RunState;
  readonly original: Program;
  readonly sketches: Sketches;
  program(sha256: Sha256): Promise<Program>;
  readText(sha256: Sha256): Promise<string>;
}

/** `requires`: the tags of the mutator, which tell whether it asks a model. */
export async function mutatePayload(open: OpenSlot, deps: PayloadDeps, requires: readonly CapTag[]): Promise<MutatePayload> {
  const { spec, entry, division } = deps.state;
  const { selected, context } = open;
  const backend = division?.backends(selected) ?? selected.backend ?? spec.backend;
  // The control of an experiment learns from nothing that was tried.
  const learns = spec.strategy !== 'best-of-n';
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
      ? { lineage: await lineageNotes(selected.parent, deps), answered: hasAnswered(deps.state) }
      : {}),
    ...(near === undefined
      ? {}
      : { near: { share: near, sketches: await deps.sketches.of([selected.parent, ...context.recent]) } }),
    ...(spec.asking === undefined ? {} : { asking: spec.asking, ...(await artifactsOf(selected.parent, spec.asking, deps)) }),
    ...(spec.max_code_length === undefined ? {} : { maxCodeLength: spec.max_code_length }),
    ...(spec.instructions === undefined ? {} : { instructions: spec.instructions }),
    ...(backend === undefined ? {} : { backend }),
    nextRequires: [],
  };
}

/** Whether a model has answered in this run. A question in vain may have cost its prompt. */
export function hasAnswered({ tokens }: RunState): boolean {
  return tokens.completion > 0;
}

/** What an evaluation wrote, put away where mutators are shown it. */
export async function keptArtifacts(
  { artifacts }: Pick<Execution, 'artifacts'>,
  { asking }: Pick<RunSpec, 'asking'>,
  put: (text: string) => Promise<Sha256>,
): Promise<{ artifacts?: Sha256 }> {
  const shown = asking?.artifact_chars ?? 0;
  return shown === 0 || Object.keys(artifacts).length === 0 ? {} : { artifacts: await put(JSON.stringify(artifacts)) };
}

/** What the parent's evaluation wrote, all of it cut to `artifact_chars`: each has as much room as the ones before left. */
async function artifactsOf(parent: Sha256, { artifact_chars: limit = 0 }: Asking, { state, readText }: PayloadDeps) {
  const object = state.known.get(parent)?.artifacts;
  if (object === undefined) return {};
  const shown: Record<string, string> = {};
  let room = limit;
  for (const [name, text] of Object.entries(Artifacts.parse(JSON.parse(await readText(object))))) {
    if (room <= 0) break;
    shown[name] = text.length > room ? `${text.slice(0, room)}…` : text;
    room -= text.length;
  }
  return { artifacts: shown };
}

/** First that of a parent that is to be mended, which is not told again under its own name. */
function failuresFor(parent: Sha256, recent: readonly string[], { state }: PayloadDeps): string[] {
  const outcome = state.known.get(parent)?.outcome;
  if (outcome === undefined || isCorrect(outcome)) return [...recent];
  const own = state.known.failureOf(parent);
  return [`this program: ${outcome.kind}: ${outcome.detail}`, ...recent.filter((failure) => failure !== own)];
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

/** Of the parts that may change, as a unified diff without its head. */
function diffBetween(before: Program, after: Program): string {
  const textOf = (program: Program) => program.spans.map((span) => spanText(program, span)).join('\n');
  return structuredPatch('', '', textOf(before), textOf(after), '', '', { context: 1 })
    .hunks.flatMap(({ lines }, i) => (i === 0 ? lines : ['…', ...lines]))
    .join('\n');
}
