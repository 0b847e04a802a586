/**
 * What the steps of the search leave in the journal: the program that a mutator made, or why it made none, and the
 * judgement of a program. The order of the steps is that of the search.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import type { MutateData } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Slot } from '../../../shared/run.ts';
import type { Task } from '../../../shared/task.ts';
import { textSha } from '../../evolution/hash.ts';
import { candidateObject } from '../../evolution/objects.ts';
import { followUpId } from '../../handlers/follow-up.ts';
import { parentsOf } from '../mutate/maker.ts';
import { knowing } from '../mutate/memory.ts';
import { keptArtifacts } from '../mutate/mutate-payload.ts';
import { ATTEMPTS } from '../target/worst-case.ts';
import type { TaskClient } from '../task-client.ts';
import type { Assessor } from './assess.ts';
import type { RunState } from './state/run-state.ts';
import type { EventOf, NewEvent, OpenSlot } from './state/slots.ts';
import { nextMatch } from './title.ts';

export interface StepDeps {
  readonly state: RunState;
  readonly taskClient: TaskClient;
  /** Programs on their way into the journal, by the hash of their syntax trees: several may come to one at once. */
  readonly entering: Map<Sha256, Sha256>;
  program(sha256: Sha256): Promise<Program>;
  /** From here on `program` has it at hand. */
  hold(sha256: Sha256, program: Program): void;
  /** Writes the event to the journal, applies it to the state and notifies the listeners, in this order. */
  record(event: NewEvent): Promise<void>;
  putText(text: string): Promise<Sha256>;
}

/** What an attempt did for its slot. `given up`: no attempt is left. */
export type SettledSlot = 'filled' | 'rejected' | 'given up';

export async function recordMade(
  slot: Slot,
  open: OpenSlot,
  { task, data }: { task: Task; data: MutateData },
  { state, taskClient, entering, record, hold, putText }: StepDeps,
): Promise<SettledSlot> {
  const { tokens } = data;
  const twin = data.normal === undefined ? undefined : (state.memory.twinOf(data.normal) ?? entering.get(data.normal));
  if (data.kind === 'child' && twin === undefined) {
    entering.set(data.normal, data.sha256);
    hold(data.sha256, data.program);
    const object = await putText(candidateObject(data.program, data));
    const { prompt, answer } = data;
    const kept = {
      ...(prompt === undefined ? {} : { prompt: textSha(prompt) }),
      ...(answer === undefined ? {} : { answer: textSha(answer) }),
    };
    const origin = { ...data.origin, parents: parentsOf(open.selected, data.origin.mutator), ...kept };
    await record({ type: 'mutated', slot, sha256: data.sha256, normal: data.normal, object, origin, tokens });
    return 'filled';
  }
  if (data.kind === 'child') await taskClient.cancel([followUpId(task.id, 'execute')], 'duplicate of an earlier candidate');
  const reason = data.kind === 'rejected' ? data.reason : 'the same program as an earlier candidate';
  const final = slot.attempt + 1 >= ATTEMPTS;
  await record({ type: 'rejected', slot, reason, ...(twin === undefined ? {} : { twin }), tokens, final });
  return final ? 'given up' : 'rejected';
}

export async function judgeSlot(
  { slot, sha256 }: EventOf<'mutated'>,
  { state, assessor, program, record, putText }: StepDeps & { readonly assessor: Assessor },
): Promise<void> {
  const context = state.open.get(slot.index)?.context;
  const judged = await assessor.slot(slot, await program(sha256), context?.neighbours ?? []);
  const { metrics, fitness, features, readings } = judged;
  const outcome = knowing(context?.revealed ?? [], judged.outcome);
  const artifacts = await keptArtifacts(judged, state.spec, putText);
  const measured = readings === undefined ? {} : { readings };
  await record({ type: 'evaluated', slot, sha256, outcome, metrics, fitness, features, ...measured, ...artifacts });
}

/**
 * Measures a candidate that challenges a title again, together with the holder: the search must not be led by a lucky reading.
 */
export async function challenge(
  slot: Slot,
  { state, assessor, program, record, signal }: StepDeps & { readonly assessor: Assessor; readonly signal: AbortSignal },
): Promise<void> {
  for (let match = nextMatch(state, slot.index); match.length > 0; match = nextMatch(state, slot.index)) {
    const again = match.map(async (sha256) => {
      const { outcome, metrics, readings } = await assessor.again(slot, sha256, await program(sha256));
      return { type: 'measured', slot, sha256, outcome, metrics, ...(readings === undefined ? {} : { readings }) } as const;
    });
    const measured = await Promise.all(again);
    signal.throwIfAborted();
    for (const event of measured) await record(event);
  }
}

/** Closes the generations whose slots are all settled, in order. */
export async function closeGenerations({ state: { generations }, record }: Pick<StepDeps, 'state' | 'record'>): Promise<void> {
  for (let generation = generations.closable; generation !== undefined; generation = generations.closable)
    await record({ type: 'generation', generation });
}

/** Judges a program that no slot made, and enters it. */
export async function judgeSubmitted(
  sha256: Sha256,
  { state, assessor, program, record, signal }: StepDeps & { readonly assessor: Assessor; readonly signal: AbortSignal },
): Promise<void> {
  const pending = state.pending.get(sha256);
  if (pending === undefined) return;
  const judged = await assessor.submitted(sha256, await program(sha256), pending.generation);
  signal.throwIfAborted();
  // The same program was submitted twice at the same time.
  if (!state.pending.has(sha256)) return;
  const { metrics, fitness, features, readings } = judged;
  const outcome = knowing(state.memory.revealedNow, judged.outcome);
  const measured = readings === undefined ? {} : { readings };
  await record({ type: 'judged', sha256, outcome, metrics, fitness, features, ...measured });
}

/**
 * While nothing beats the original, what was found correct and waits to be measured again may be the best: the announcement
 * measures it with care.
 */
export async function insertFound({ state, record }: Pick<StepDeps, 'state' | 'record'>): Promise<void> {
  const { archive, mended, open, original, spec } = state;
  if (spec.deterministic || archive.best()?.sha256 !== (mended ?? original.sha256)) return;
  for (const index of open.unsettled()) {
    const { evaluated } = open.get(index) ?? {};
    if (evaluated === undefined || evaluated.fitness === null) continue;
    await record({ type: 'inserted', slot: evaluated.slot, sha256: evaluated.sha256 });
  }
}
