/** Replays a run from what the workspace has recorded of it: journal, programs and answers. */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { RunId, Sha256 } from '../../../shared/ids.ts';
import type { Program } from '../../../shared/program.ts';
import type { ReplayReport } from '../../../shared/protocol/replay.ts';
import type { Best } from '../../../shared/run.ts';
import type { CapTag } from '../../../shared/task.ts';
import type { Registry } from '../../registry.ts';
import { type Settled, settledSpeedup } from '../ending/settled-speedup.ts';
import { MinHashes } from '../mutate/min-hashes.ts';
import { loadEvaluator } from '../target/pool.ts';
import type { TaskClient } from '../task-client.ts';
import { replayRun } from './replay.ts';
import type { RunRecords } from './run-records.ts';

interface RecordedDeps {
  readonly records: RunRecords;
  readonly config: Config;
  readonly registry: Registry;
  readonly taskClient: TaskClient;
  mutateRequires(mutator: string): Promise<readonly CapTag[]>;
}

/** Throws `storage_failed` when the records lack a program or the baseline. `generation`: only this one; without it, all. */
export async function replayRecorded(run: RunId, generation: number | undefined, deps: RecordedDeps): Promise<ReplayReport> {
  const { records, config, registry, taskClient } = deps;
  const [started, ...events] = await records.events(run);
  const state = await records.begin(run, started);
  const evaluator = await loadEvaluator(state.spec.evaluator.name, config, registry);
  const program = async (sha256: Sha256): Promise<Program> => {
    const object = state.objectOf(sha256);
    if (object === undefined) throw new PeagenError('storage_failed', `The journal of run ${run} lacks the program ${sha256}.`);
    return records.readProgram(object);
  };
  const measure = async (best: Best): Promise<Settled> => {
    if (state.basis === undefined) throw new PeagenError('storage_failed', `The journal of run ${run} has no baseline.`);
    const basis = await records.readBasis(state.basis);
    const confirmer = {
      scope: { key: `${run}/replay`, run },
      taskClient: taskClient.own,
      evaluator,
      basis,
      signal: new AbortController().signal,
    };
    return settledSpeedup(confirmer, await program(best.sha256));
  };
  const readText = (sha256: Sha256) => records.readText(sha256);
  const mutateRequires = (mutator: string) => deps.mutateRequires(mutator);
  return replayRun(
    events,
    { state, sketches: new MinHashes(program), taskClient, mutateRequires, program, readText, measure },
    generation,
  );
}
