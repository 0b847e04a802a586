/**
 * Calls of a method that come after others on the same instance: what it does depends on the state that these left. The original
 * decides which values its methods accept.
 */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import { familiesOf } from './guess.ts';
import { isMisused } from './select.ts';
import type { EntrySource, Method, Parameter } from './source.ts';
import type { Sighting } from './survey.ts';
import { type Draft, type Step, writeCall } from './values/data.ts';
import type { Family } from './values/names.ts';

const MOST_METHODS = 12;
/** Kinds of arguments that are tried for each method. */
const MOST_KINDS = 10;
const MOST_SEQUENCES = 48;
/** Calls in a sequence. */
export const MOST_STEPS = 9;

type Run = (calls: readonly Call[]) => Promise<Sighting[]>;

interface Known {
  readonly method: Method;
  readonly values: readonly Family[];
}

/** Sequences that the original accepts, with what it did; none for a function. `base`: calls that it accepts. */
export async function sequencesOf(
  source: EntrySource,
  base: readonly Draft[],
  random: Random,
  run: Run,
): Promise<{ draft: Draft; seen: Sighting }[]> {
  const fresh = source.init?.every(({ optional }) => optional) === true;
  const bases = base.flatMap((draft) =>
    draft.init !== undefined || fresh ? [{ init: { args: [], kwargs: {} }, ...draft }] : [],
  );
  if (bases.length === 0 || source.methods.length === 0) return [];
  const known: Known[] = [];
  for (const method of source.methods.slice(0, MOST_METHODS)) known.push(await acceptedBy(method, source, bases, random, run));
  const drafts = Array.from({ length: MOST_SEQUENCES }, (_, at): Draft => {
    const length = 1 + (at % MOST_STEPS);
    // A few methods in each: what one of them does shows where others do not undo it.
    const some = at % 3 === 0 ? known : random.shuffle(known).slice(0, 2);
    return { ...random.pick(bases), before: Array.from({ length }, () => stepOf(random.pick(some), random)) };
  });
  const seen = await run(drafts.map(writeCall));
  return drafts.flatMap((draft, at) => {
    const sighting = seen[at];
    return sighting !== undefined && isAccepted(sighting, source) ? [{ draft, seen: sighting }] : [];
  });
}

const isAccepted = (seen: Sighting, { text }: EntrySource): boolean =>
  seen.hash !== undefined && seen.raised === undefined && !isMisused(seen, text);

/** The kinds of values with which the method, and the call after it, do most. */
async function acceptedBy(
  method: Method,
  source: EntrySource,
  bases: readonly (Draft & Required<Pick<Draft, 'init'>>)[],
  random: Random,
  run: Run,
): Promise<Known> {
  const own = { ...source, node: method.node, doc: '', parameters: method.parameters };
  const families = method.parameters.map((parameter) => {
    const given = valuesGiven(parameter, source, bases);
    return given.length > 0 ? [given] : familiesOf(parameter, own).slice(0, MOST_KINDS);
  });
  const first = families.map(() => 0);
  const single = families.flatMap((list, at) => list.map((_, rank) => first.with(at, rank)));
  const mixed = Array.from({ length: families.length > 1 ? MOST_KINDS : 0 }, () =>
    families.map(({ length }) => random.int(Math.max(1, length))),
  );
  const ranks = [...new Map([first, ...single, ...mixed].map((one) => [one.join(), one])).values()].slice(0, 3 * MOST_KINDS);
  const choices = ranks.map((one): Known => ({ method, values: one.map((rank, at) => families[at]?.[rank] ?? []) }));
  if (choices.length === 1 && choices[0] !== undefined) return choices[0];
  const drafts = choices.map((choice) => ({ ...random.pick(bases), before: [0, 1].map((turn) => stepOf(choice, random, turn)) }));
  const seen = await run(drafts.map(writeCall));
  const rank = (at: number): number => {
    const sighting = seen[at];
    if (sighting === undefined || !isAccepted(sighting, source)) return -1;
    return sighting.earlier.filter((raised) => raised === '').length * 1000 + sighting.features.length;
  };
  const [best] = choices.map((choice, at) => ({ choice, worth: rank(at) })).toSorted((a, b) => b.worth - a.worth);
  return best?.choice ?? { method, values: [] };
}

/** What calls give a parameter of that name, of the method itself or of the constructor: it is most likely the same thing. */
function valuesGiven({ name }: Parameter, source: EntrySource, bases: readonly Draft[]): Value[] {
  const places = [
    { parameters: source.parameters, of: (draft: Draft) => draft },
    { parameters: source.init ?? [], of: (draft: Draft) => draft.init },
  ];
  return places.flatMap(({ parameters, of }) => {
    const index = parameters.findIndex((parameter) => parameter.name === name);
    if (index < 0) return [];
    return bases.flatMap((draft) => of(draft)?.args[index] ?? of(draft)?.kwargs[name] ?? []);
  });
}

/** One call of the method; optional parameters are given as often as not. `turn`: which of the values, one of them by chance unless given. */
function stepOf({ method, values }: Known, random: Random, turn?: number): Step {
  const args: Value[] = [];
  const kwargs: Record<string, Value> = {};
  for (const [at, { name, optional, named, rest }] of method.parameters.entries()) {
    if (rest !== undefined) continue;
    const family = values[at] ?? [];
    if (family.length === 0 && optional) break;
    if (optional && random.int(2) === 0) {
      if (named) continue;
      break;
    }
    const value = family[(turn ?? random.int(Math.max(1, family.length))) % Math.max(1, family.length)] ?? null;
    if (named) kwargs[name] = value;
    else args.push(value);
  }
  return { method: method.name, args, kwargs };
}
