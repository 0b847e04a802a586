/**
 * Replays a run: makes every candidate again from the journal's selections, seeds and recorded answers, through the
 * same tasks and mutators, and compares hashes; then measures the best again.
 */

import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId, type Sha256 } from '../../../shared/ids.ts';
import { MutateData } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { ReplayedBest, ReplayReport } from '../../../shared/protocol/replay.ts';
import type { Best, RunEvent } from '../../../shared/run.ts';
import type { CapTag } from '../../../shared/task.ts';
import { answerOf } from '../../evolution/objects.ts';
import { derivedTaskId } from '../../handlers/follow-up.ts';
import type { Settled } from '../ending/settled-speedup.ts';
import type { MinHashes } from '../mutate/min-hashes.ts';
import { mutatePayload } from '../mutate/mutate-payload.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { OpenSlot } from '../run/state/slots.ts';
import type { TaskClient } from '../task-client.ts';
import { soleMutateTask } from '../tasks.ts';

/** Candidates that are made again side by side. */
const WIDTH = 8;

interface ReplayDeps {
  /** Fresh, with only `started` behind it. */
  readonly state: RunState;
  readonly sketches: MinHashes;
  readonly taskClient: TaskClient;
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
  program(sha256: Sha256): Promise<Program>;
  readText(sha256: Sha256): Promise<string>;
  /** Measures an announced best once more. */
  measure(best: Best): Promise<Settled>;
}

/** `generation`: only this one; without it, all. */
export async function replayRun(events: readonly RunEvent[], deps: ReplayDeps, generation?: number): Promise<ReplayReport> {
  const { state } = deps;
  const report: ReplayReport = { run: state.run, candidates: 0, identical: 0, differing: [], best: null };
  const session = newTaskId();
  const pending = new Set<Promise<void>>();
  let announced: Best | null = null;
  for (const event of events) {
    const open = event.type === 'mutated' ? state.open.get(event.slot.index) : undefined;
    // After a rebase, later candidates have another original.
    const original = state.original.sha256;
    state.apply(event);
    if (event.type === 'confirmed') announced = event.best;
    if (event.type !== 'mutated' || open === undefined) continue;
    if (generation !== undefined && event.slot.generation !== generation) continue;
    const check = remake(event, open, { ...deps, original }, session).then((actual) => {
      report.candidates++;
      if (actual === event.sha256) report.identical++;
      else report.differing.push({ index: event.slot.index, expected: event.sha256, actual });
    });
    pending.add(check);
    check.finally(() => pending.delete(check)).catch(() => undefined);
    if (pending.size >= WIDTH) await Promise.race(pending);
  }
  await Promise.all(pending);
  if (announced !== null && (generation ?? announced.generation) === announced.generation) {
    report.best = compared(announced, await deps.measure(announced));
  }
  if (generation !== undefined && report.candidates === 0) {
    throw new PeagenError('not_found', `Run ${state.run} has no candidates in generation ${generation}.`, {
      hint: 'Check --generation.',
    });
  }
  report.differing.sort((a, b) => a.index - b.index);
  return report;
}

function compared({ sha256, speedup: recorded, cost: before }: Best, { speedup: measured, cost: now }: Settled): ReplayedBest {
  const cost = before === undefined || now === undefined ? {} : { cost: { recorded: before, measured: now } };
  return { sha256, recorded, measured, ratio: measured / recorded, ...cost };
}

/** The hash of the candidate as it comes out now, or why there is none. */
async function remake(
  event: Extract<RunEvent, { type: 'mutated' }>,
  open: OpenSlot,
  deps: ReplayDeps & { original: Sha256 },
  session: string,
): Promise<string> {
  const answer = await answerOf(event, deps.readText);
  const original = await deps.program(deps.original);
  const needed = await deps.mutateRequires(open.selected.mutator);
  const payload = {
    ...(await mutatePayload(open, { ...deps, original }, needed)),
    recorded: answer === undefined ? [] : [answer],
  };
  const id = derivedTaskId(session, event.slot.index);
  // Recorded answers need no model: any worker can do it.
  const requires = needed.filter((tag) => tag !== 'llm');
  const data = MutateData.parse(await deps.taskClient.run(soleMutateTask(id, payload, requires), new AbortController().signal));
  return data.kind === 'child' ? data.sha256 : `rejected: ${data.reason}`;
}
