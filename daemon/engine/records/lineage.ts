/** How a run's best came to be, program by program. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Metrics } from '../../../shared/judging.ts';
import type { Origin, Program } from '../../../shared/program.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { RunRecords } from './run-records.ts';

export interface LineageStep {
  readonly sha256: Sha256;
  readonly program: Program;
  readonly origin: Origin;
  /** As the search judged it. */
  readonly metrics: Metrics;
}

/** From the original, through first parents, to the announced best. Throws `not_found` without one. */
export async function lineageOf(state: RunState, records: RunRecords): Promise<LineageStep[]> {
  if (state.best === null) {
    throw new PeagenError('not_found', `Run ${state.run} has announced no best.`, {
      hint: 'Let the run end with a best, or choose another run.',
    });
  }
  const path = new Set<Sha256>();
  for (let at: Sha256 | undefined = state.best.sha256; at !== undefined && !path.has(at); ) {
    path.add(at);
    [at] = state.known.get(at)?.origin.parents ?? [];
  }
  const steps = [...path].reverse().map(async (sha256) => {
    const known = state.known.get(sha256);
    if (known === undefined)
      throw new PeagenError('storage_failed', `The journal of run ${state.run} lacks the program ${sha256}.`);
    return { sha256, program: await records.readProgram(known.object), origin: known.origin, metrics: known.metrics };
  });
  return Promise.all(steps);
}
