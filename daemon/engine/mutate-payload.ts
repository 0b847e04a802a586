/** What a mutator is given for a slot: a function of the journal up to its selection, so that a replay gives the same. */
import type { Sha256 } from '../../shared/ids.ts';
import type { Example, MutatePayload } from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import type { OpenSlot, RunState } from './run-state.ts';

export interface PayloadDeps {
  readonly state: RunState;
  readonly original: Program;
  program(sha256: Sha256): Promise<Program>;
}

export async function mutatePayload(open: OpenSlot, deps: PayloadDeps): Promise<MutatePayload> {
  const { spec, entry } = deps.state;
  const { selected, context } = open;
  return {
    mutator: selected.mutator,
    seed: selected.seed,
    original: deps.original,
    ...(entry === undefined ? {} : { entry }),
    parent: await example(selected.parent, deps),
    inspirations: await Promise.all(selected.inspirations.map((sha256) => example(sha256, deps))),
    seen: context.seen,
    failures: [...context.failures],
    ...(spec.instructions === undefined ? {} : { instructions: spec.instructions }),
    ...(spec.backend === undefined ? {} : { backend: spec.backend }),
    nextRequires: [],
  };
}

async function example(sha256: Sha256, deps: PayloadDeps): Promise<Example> {
  const known = deps.state.known.get(sha256);
  return { sha256, program: await deps.program(sha256), metrics: known?.metrics ?? {}, note: known?.origin.summary ?? '' };
}
