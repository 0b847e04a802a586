/**
 * Tries calls on the original: variants of those that it accepts, then around the ones that reached something new, and at last
 * until its mutants are noticed.
 */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import { tuned } from '../tuned.ts';
import { Candidates } from './candidates.ts';
import type { Original } from './original.ts';
import { linesOf } from './probes.ts';
import { optionalsOf } from './seeds.ts';
import { rejecting } from './select.ts';
import { mutantsIn, type Patience, type Sighting, type Surveys } from './survey.ts';
import { type CallSlot, slotsOf, valueAt } from './values/call-slots.ts';
import { type Draft, writeCall } from './values/data.ts';
import { lacksField, type Shape, shapeOf } from './values/shape.ts';
import { mayIntrude, typeFilter } from './values/type-fit.ts';
import { requiredFields } from './values/uses.ts';

/** Steps that all tried calls may take together, about a microsecond each, and calls between two looks at what is left. */
const MOST_STEPS = 1_500_000;
const MOST_UNSEEN = 16;
/** Steps that the calls on which mutants are tried may take together. */
const MOST_NOTICING_STEPS = 300_000;
/** What one call may cost at least, however small the given ones are. */
export const LEAST_STEPS = 3000;

export interface Sighted {
  /** Such a call is only kept where the original rejects it on purpose. */
  readonly intrudes?: boolean;
  /** It notices a mutant that few others notice. */
  readonly notices?: boolean;
  readonly draft: Draft;
  readonly call: Call;
  readonly seen: Sighting;
}

/** Each mutant is to be noticed by one call of each half. */
const LEAST_NOTICING = 2;

/**
 * Systematic variants first, then random ones around calls that reached something new: more of these while a line has not run, or
 * one of the mutants, which are whole texts, does the same as the original.
 */
export async function explore(
  { runtime, source, probes, reversals }: Original,
  base: readonly Sighted[],
  mutants: readonly string[],
  random: Random,
  surveys: Surveys,
  patience: Patience,
  late: () => boolean,
): Promise<Sighted[]> {
  const constants = source?.constants ?? { ints: [], floats: [], strs: [], nulls: false, nests: [] };
  const known = base.map(({ draft }) => draft);
  const optional = source === undefined ? [] : optionalsOf(source, known);
  const fresh = source?.init?.every((parameter) => parameter.optional) === true;
  const fits = typeFilter(source, known);
  const candidates = new Candidates(known, random, runtime, constants, optional, fresh, fits);
  const lacks = source === undefined ? () => false : lackingIn(known, requiredFields(source.text, source.language));
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
      const ran = await surveys.traced.run(some, { ...patience, steps }, true);
      left = ran.reduce((rest, one) => rest - (one.cut === 1 ? steps : one.steps), left);
      ahead -= some.length;
      seen.push(...ran);
    }
    for (const [at, draft] of drafts.entries()) {
      const sighting = seen[at];
      const call = calls[at];
      if (sighting === undefined || call === undefined) continue;
      // The original happens not to look at a field that it demands: a candidate may look at it earlier.
      if (sighting.raised === undefined && lacks(draft)) continue;
      tried.push({ draft, call, seen: sighting, intrudes });
      if (intrudes) continue;
      if (sighting.hash === undefined || !sighting.features.some((feature) => !reached.has(feature))) continue;
      for (const feature of sighting.features) reached.add(feature);
      parents.push(draft);
      candidates.feedBack(draft, sighting.gave);
    }
  };
  await run(candidates.systematic(tuned.calls));
  if (source !== undefined && rejecting.test(source.text))
    await run(candidates.intruders(known, tuned.round).filter(mayIntrude(source, fits)), true);
  const misses = (): boolean =>
    left > 0 &&
    linesOf(
      probes,
      surveys.traced.lines,
      [...base, ...tried].map(({ seen }) => seen),
    ).missed.length > 0;
  for (let round = 0; (round < tuned.rounds || (round < 2 * tuned.rounds && misses())) && !late(); round++) {
    // The call that reached something new last is the most likely to lead to more.
    await run(candidates.around([...parents, ...parents.slice(-12)], tuned.round));
  }
  const calls = [...base, ...random.shuffle(tried)].filter(isPlain).slice(0, tuned.calls);
  const noticing = await noticedBy(mutants, calls, surveys, patience, async (found) => {
    if (left <= 0 || late()) return [];
    const from = tried.length;
    await run(candidates.around([...parents, ...found.slice(-12).map(({ draft }) => draft)], tuned.round));
    return tried.slice(from).filter(isPlain);
  });
  // The order is often of no matter: no more calls are made for that.
  const ordered = await noticedBy(reversals, calls, surveys, patience, async () => []);
  return tried.map((one) => (noticing.has(one) || ordered.has(one) ? { ...one, notices: true } : one));
}

/** Whether a record of a call is without one of these fields, where all known calls have it. */
function lackingIn(known: readonly Draft[], required: ReadonlySet<string>): (draft: Draft) => boolean {
  const shapes = new Map<string, Shape>();
  const shapeAt = (slot: CallSlot): Shape => {
    const place = JSON.stringify(slot);
    const shape = shapes.get(place) ?? shapeOf(known.map((draft) => valueAt(draft, slot)).filter((value) => value !== undefined));
    shapes.set(place, shape);
    return shape;
  };
  return (draft) =>
    required.size > 0 && slotsOf(draft).some((slot) => lacksField(valueAt(draft, slot) ?? null, shapeAt(slot), required));
}

/** The calls that notice a mutant: of those given, then of `more`, until each mutant is noticed or there are no more. */
async function noticedBy(
  mutants: readonly string[],
  given: readonly Sighted[],
  surveys: Surveys,
  patience: Patience,
  more: (found: readonly Sighted[]) => Promise<readonly Sighted[]>,
): Promise<ReadonlySet<Sighted>> {
  const found = new Set<Sighted>();
  let alive = mutants.map((text) => ({ text, by: 0 }));
  let calls = affordable(given);
  for (let round = 0; alive.length > 0 && calls.length > 0; round++) {
    const told = await mutantsIn(
      surveys,
      alive.map(({ text }) => text),
      calls.map(({ call }) => call),
      { steps: mutantSteps(calls), cpuMs: patience.cpuMs },
      LEAST_NOTICING,
    );
    for (const [at, one] of calls.entries()) if (told.some((places) => places?.includes(at))) found.add(one);
    // One that does not load says nothing.
    alive = alive.flatMap(({ text, by }, at) => {
      const count = by + (told[at]?.length ?? LEAST_NOTICING);
      return count < LEAST_NOTICING ? [{ text, by: count }] : [];
    });
    calls = alive.length > 0 && round < 2 * tuned.rounds ? affordable(await more([...found])) : [];
  }
  return found;
}

/** What a call may take in a mutant, which is cut when it does many times the work of the original. */
export const mutantSteps = (calls: readonly { readonly seen: Sighting }[]): number =>
  4 * Math.max(LEAST_STEPS, ...calls.map(({ seen }) => seen.steps));

/** Without the largest ones: each of the mutants makes all of them. */
function affordable(calls: readonly Sighted[]): Sighted[] {
  let left = MOST_NOTICING_STEPS;
  return calls.filter(({ seen: { steps } }) => {
    const fits = steps <= left / 4;
    if (fits) left -= steps;
    return fits;
  });
}

const isPlain = ({ seen, intrudes }: Sighted): boolean =>
  intrudes !== true && seen.hash !== undefined && seen.raised === undefined;
