/** What a run takes from runs before it: the founders that enter next to its original, and its own end as a new beginning. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Program } from '../../../shared/program.ts';
import type { Extension, RunRequest } from '../../../shared/protocol/runs.ts';
import type { StopSpec } from '../../../shared/run-spec.ts';
import { programSha } from '../../evolution/hash.ts';
import { normalHash } from '../../evolution/syntax/normal.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { EventOf } from '../run/state/slots.ts';
import { submissionOf } from './submission.ts';

/** Elites of another run that enter at most. */
const ELITES = 16;

interface Records {
  readonly objects: { put(text: string): Promise<EventOf<'submitted'>['object']> };
  load(run: RunState['run']): Promise<RunState>;
  readProgram(object: EventOf<'submitted'>['object']): Promise<Program>;
}

/**
 * The founders' events, in the order of the request, each program once. Throws `invalid_input` for a text that is not a
 * variant of the target, and `not_found` for a run that there is not.
 */
export async function foundersOf(
  seeds: NonNullable<RunRequest['seeds']>,
  original: Program,
  records: Records,
): Promise<EventOf<'submitted'>[]> {
  const known = new Set([await normalHash(original)]);
  const founders: EventOf<'submitted'>[] = [];
  const from = { sha256: programSha(original), program: original };
  for (const seed of seeds) {
    const texts = 'text' in seed ? [seed.text] : await eliteTexts(seed.run, original, records);
    const origin = 'text' in seed ? 'a given program' : `a candidate of run ${seed.run}`;
    for (const text of texts) {
      // The original itself, or a program that is given twice, does not enter again.
      if (text === original.files[0]?.text) continue;
      const { program, sha256, normal } = await submissionOf(original, text, from);
      if (known.has(normal)) continue;
      known.add(normal);
      founders.push({
        type: 'submitted',
        at: new Date().toISOString(),
        sha256,
        normal,
        object: await records.objects.put(JSON.stringify(program)),
        origin: { parents: [from.sha256], mutator: 'seed', summary: `founder: ${origin}` },
        generation: 0,
      });
    }
  }
  return founders;
}

async function eliteTexts(run: RunState['run'], original: Program, records: Records): Promise<string[]> {
  const state = await records.load(run);
  const [file] = original.files;
  const texts: string[] = [];
  for (const { sha256 } of state.population.elites().slice(0, ELITES)) {
    const object = state.objectOf(sha256);
    if (object === undefined) continue;
    const program = await records.readProgram(object);
    const same = program.files.find(({ path }) => path === file?.path);
    if (same === undefined) {
      throw new PeagenError('invalid_input', `Run ${run} evolves ${state.spec.target.path}, not ${file?.path ?? 'this file'}.`, {
        hint: 'Give a run of the same file to --seed-from.',
      });
    }
    texts.push(same.text);
  }
  return texts;
}

/** How a run that is over goes on: `generations` more than it has made, with budgets on top of what was spent. */
export function extensionOf(
  { run, spec, stopped, generations: made, spending }: RunState,
  { generations, stop = {} }: Omit<Extension, 'run'>,
): Omit<EventOf<'extended'>, 'at'> {
  if (stopped === undefined || stopped.reason === 'failed') {
    const why = stopped === undefined ? 'is not over' : `failed: ${stopped.detail?.replace(/\.$/, '') ?? 'no reason is known'}`;
    throw new PeagenError('conflict', `Run ${run} cannot be extended: it ${why}.`, {
      hint: stopped === undefined ? 'Resume it with --resume, or wait for its end.' : 'Start a new one.',
    });
  }
  const given = (budget: number | undefined, before: number) => (budget === undefined ? undefined : budget - before);
  const {
    budget_tokens = given(spec.stop.budget_tokens, spending.before.tokens),
    budget_usd = given(spec.stop.budget_usd, spending.before.dollars),
  } = stop;
  const further: StopSpec = {
    ...spec.stop,
    ...(stop.run_timeout === undefined ? {} : { run_timeout: stop.run_timeout }),
    ...(budget_tokens === undefined ? {} : { budget_tokens: budget_tokens + spending.sum }),
    ...(budget_usd === undefined ? {} : { budget_usd: budget_usd + spending.dollars }),
    max_generations: made.done + generations,
  };
  return { type: 'extended', reason: stopped.reason, stop: further };
}
