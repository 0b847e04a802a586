/** Tries calls on the original: variants of those that it accepts, and around the ones that reached something new. */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import { tuned } from '../tuned.ts';
import { Candidates } from './candidates.ts';
import type { Original } from './original.ts';
import { linesOf } from './probes.ts';
import { optionalsOf } from './seeds.ts';
import { rejecting } from './select.ts';
import type { Patience, Sighting, Survey } from './survey.ts';
import { type Draft, writeCall } from './values/data.ts';
import { typeFilter } from './values/type-fit.ts';

/** Steps that all tried calls may take together, about a microsecond each, and calls between two looks at what is left. */
const MOST_STEPS = 1_500_000;
const MOST_UNSEEN = 16;
/** What one call may cost at least, however small the given ones are. */
export const LEAST_STEPS = 3000;

export interface Sighted {
  /** Only worth keeping where the original rejects it on purpose. */
  readonly intrudes?: boolean;
  readonly draft: Draft;
  readonly call: Call;
  readonly seen: Sighting;
}

/** Systematic variants first, then random ones around calls that reached something new: more of these while a line has not run. */
export async function explore(
  { runtime, source, probes }: Original,
  base: readonly Sighted[],
  random: Random,
  survey: Survey,
  patience: Patience,
  late: () => boolean,
): Promise<Sighted[]> {
  const constants = source?.constants ?? { ints: [], floats: [], strs: [], nulls: false, nests: [] };
  const known = base.map(({ draft }) => draft);
  const optional = source === undefined ? [] : optionalsOf(source, known);
  const fresh = source?.init?.every((parameter) => parameter.optional) === true;
  const candidates = new Candidates(known, random, runtime, constants, optional, fresh, typeFilter(source, known));
  const reached = new Set(base.flatMap(({ seen }) => seen.features));
  const parents = base.map(({ draft }) => draft);
  for (const { draft, seen } of base) candidates.feedBack(draft, seen.gave);
  const tried: Sighted[] = [];
  let left = MOST_STEPS;
  let ahead = tuned.calls + (tuned.rounds + 1) * tuned.round;
  const run = async (drafts: readonly Draft[], intrudes = false): Promise<void> => {
    const calls = drafts.map(writeCall);
    const seen: Sighting[] = [];
    for (let at = 0; at < calls.length; at += MOST_UNSEEN) {
      const some = calls.slice(at, at + MOST_UNSEEN);
      // One call may take a few times its share: of a slow function the largest calls are left out.
      const steps = Math.min(patience.steps, Math.max(LEAST_STEPS, Math.ceil((4 * left) / Math.max(1, ahead))));
      const ran = await survey.run(some, { ...patience, steps }, true);
      left = ran.reduce((rest, one) => rest - (one.cut === 1 ? steps : one.steps), left);
      ahead -= some.length;
      seen.push(...ran);
    }
    for (const [at, draft] of drafts.entries()) {
      const sighting = seen[at];
      const call = calls[at];
      if (sighting === undefined || call === undefined) continue;
      tried.push({ draft, call, seen: sighting, intrudes });
      if (intrudes) continue;
      if (sighting.hash === undefined || !sighting.features.some((feature) => !reached.has(feature))) continue;
      for (const feature of sighting.features) reached.add(feature);
      parents.push(draft);
      candidates.feedBack(draft, sighting.gave);
    }
  };
  await run(candidates.systematic(tuned.calls));
  if (source !== undefined && rejecting.test(source.text)) await run(candidates.intruders(known, tuned.round), true);
  const misses = (): boolean =>
    left > 0 &&
    linesOf(
      probes,
      survey.lines,
      [...base, ...tried].map(({ seen }) => seen),
    ).missed.length > 0;
  for (let round = 0; (round < tuned.rounds || (round < 2 * tuned.rounds && misses())) && !late(); round++) {
    // What reached something new last is the most likely to lead on.
    await run(candidates.around([...parents, ...parents.slice(-12)], tuned.round));
  }
  return tried;
}
