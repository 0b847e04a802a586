/** Calls to begin with when none is given: combinations of likely values that the original accepts. */

import type { Call } from '../../../shared/judging.ts';
import { childOf, descendants, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import { tuned } from '../tuned.ts';
import type { OptionalSlot } from './candidates.ts';
import { familiesOf, typedExamples } from './guess.ts';
import { isDeliberate } from './select.ts';
import type { EntrySource, Parameter } from './source.ts';
import type { Sighting } from './survey.ts';
import { familiesInBody } from './values/by-use.ts';
import { givenOf, withValue } from './values/call-slots.ts';
import { type Draft, dictionary, type Given, itemsOf, keyOf, kindOf, pairsOf, smallestFirst, writeCall } from './values/data.ts';
import type { Family } from './values/names.ts';
import { keysIn } from './values/nesting.ts';
import { fitsType } from './values/type-fit.ts';
import { documentedType, parseType, typeNames } from './values/types.ts';

const MOST_EXAMPLES = 4;
/** Arguments for `*rest`. */
const MOST_FURTHER = 3;
const MOST_COMBINATIONS = 90;

interface Combination {
  /** Rank of the family of each parameter. */
  readonly ranks: readonly number[];
  readonly drafts: readonly Draft[];
}

/**
 * Optional parameters with values that they may have, and needed ones with what their types allow. In JavaScript every
 * parameter that some known call leaves out is optional.
 */
export function optionalsOf(source: EntrySource, known: readonly Draft[]): OptionalSlot[] {
  const python = source.language === 'python';
  const allKeys = keysIn(known.flatMap(({ args }) => args));
  const keys = allKeys.slice(0, MOST_EXAMPLES);
  const fewest = Math.min(...known.map(({ args }) => args.length));
  const of = (where: 'call' | 'init', parameters: readonly Parameter[]): OptionalSlot[] =>
    parameters.flatMap((parameter, index) => {
      if (parameter.rest !== undefined) return furtherOf(parameter, source, where, index);
      const needed = !parameter.optional && (python || where === 'init' || index < fewest);
      const given = known.map((draft) => givenIn(draft, where, index, parameter.name));
      const plain = needed ? neededValues(parameter, source, given) : optionalValues(parameter, source).filter(likeItems(given));
      const isField = isKey(parameter, source) || allKeys.some((key) => key === parameter.fallback);
      const examples = !needed && isField ? [...keys, ...plain] : plain;
      const place = parameter.named ? Number.MAX_SAFE_INTEGER : index;
      return [{ of: where, index: place, name: python ? parameter.name : undefined, examples, needed }];
    });
  return [...of('call', source.parameters), ...of('init', source.init ?? [])];
}

/** Further arguments: some places for items of `*rest`, and the names that the function looks up in `**rest`. */
function furtherOf(parameter: Parameter, source: EntrySource, of: 'call' | 'init', index: number): OptionalSlot[] {
  const slot = { of, needed: false };
  const used = familiesInBody(parameter, source);
  if (parameter.rest === 'dict') {
    const named = (used[0] ?? []).flatMap((value) => (kindOf(value) === 'dict' ? pairsOf(value) : []));
    const names = [...new Set(named.map(([key]) => key))].filter((key) => typeof key === 'string');
    const examplesOf = (name: string): Value[] => named.flatMap(([key, value]) => (key === name ? [value] : []));
    return names.map((name) => ({ ...slot, index: Number.MAX_SAFE_INTEGER, name, examples: examplesOf(name) }));
  }
  const [family = []] = parameter.type === undefined ? used : familiesOf(parameter, source);
  const examples = family.flatMap((value) => (kindOf(value) === 'list' ? itemsOf(value) : [value])).slice(0, MOST_EXAMPLES * 2);
  return Array.from({ length: MOST_FURTHER }, (_, at) => ({ ...slot, index: index + at, name: undefined, examples }));
}

/** Without a type, and used in brackets: it may name a field of another argument. */
function isKey({ name, type }: Parameter, { text, node }: EntrySource): boolean {
  return type === undefined && text.slice(node.start, node.end).includes(`[${name}]`);
}

/** Its type names several kinds, of which the known calls may show only some. */
const isUnion = ({ type }: Parameter): boolean => type !== undefined && /\||\b(?:Union|Optional)\[/.test(type);

const givenIn = (draft: Draft, where: 'call' | 'init', index: number, name: string): Value | undefined => {
  const given = where === 'call' ? draft : draft.init;
  return given?.args[index] ?? given?.kwargs[name];
};

/** Lists hold what those of the known calls hold: what the source does with it says less. */
function likeItems(known: readonly (Value | undefined)[]): (value: Value) => boolean {
  const kinds = new Set(known.flatMap((value) => itemsOf(value ?? null).map(kindOf)));
  return (value) => kinds.size === 0 || itemsOf(value).every((item) => kinds.has(kindOf(item)));
}

/** What a needed parameter may hold beyond what it holds in known calls: what its type says, or fields that the function asks for. */
function neededValues(parameter: Parameter, source: EntrySource, known: readonly (Value | undefined)[]): Value[] {
  const typed = typedExamples(parameter, source).filter((value) => isUnion(parameter) || hasFields(value));
  if (typed.length > 0 || parameter.type !== undefined) return typed;
  const first = known.find((value) => value !== undefined && hasFields(value));
  if (first === undefined) return [];
  const shown = kindOf(first) === 'list' ? itemsOf(first).find(hasFields) : first;
  if (shown === undefined || kindOf(shown) !== 'dict') return [];
  const withShown = (record: Value): Value => dictionary([...new Map([...pairsOf(record), ...pairsOf(shown)])]);
  const used = familiesInBody(parameter, source).flat();
  const records = used.flatMap((value) => (kindOf(value) === 'list' ? itemsOf(value) : [value])).filter(hasFields);
  // As in the known calls, and with more.
  const all = records.length === 0 ? [] : [shown, ...records.slice(0, MOST_EXAMPLES).map(withShown)];
  return kindOf(first) === 'list' ? all.map((record) => [record]) : all;
}

/** A type says more about a record than the known calls do; of lists they say more, such as that all are pairs. */
function hasFields(value: Value): boolean {
  const kind = kindOf(value);
  return kind === 'dict' || (kind === 'list' && itemsOf(value).some(hasFields));
}

/** Some of several types where nothing says which type it has. */
function optionalValues(parameter: Parameter, source: EntrySource): Value[] {
  if (hasNamedDefault(parameter, source)) return [];
  // Only the use of an omitted value with default None shows which kinds it may have: other kinds would be misuse.
  const { fallback = null } = parameter;
  // A text by default is a text: what is done with it says only which.
  const said = documentedType(parameter.name, source.doc);
  const type = said === undefined ? undefined : parseType(said, source.language === 'python');
  const used = familiesInBody(parameter, source).filter(
    ([first = null]) =>
      (typeof fallback !== 'string' || typeof first === 'string') &&
      (type === undefined || fitsType(first, type, typeNames(source))),
  );
  const families = used.length > 0 && parameter.type === undefined ? used : familiesOf(parameter, source);
  const isKnown = parameter.type !== undefined || fallback !== null;
  if (isKnown) return [...(fallback === null ? [] : [fallback]), ...(families[0] ?? [])].slice(0, MOST_EXAMPLES * 2);
  return families.slice(0, MOST_EXAMPLES * 2).flatMap((family) => family.slice(0, 2));
}

/** `size_of=len`: what stands there is most likely a function, and no value can be made in its place. */
function hasNamedDefault({ name }: Parameter, { node, text }: EntrySource): boolean {
  const of = (one: SyntaxNode | undefined): string => (one === undefined ? '' : text.slice(one.start, one.end));
  return descendants(node).some(
    (one) =>
      /^(?:typed_)?default_parameter$/.test(one.type) &&
      of(childOf(one, 'name')) === name &&
      childOf(one, 'value')?.type === 'identifier',
  );
}

/** Combinations of one family for each required parameter, or for each, the most likely first. */
function combinationsOf(source: EntrySource, random: Random, which: 'required' | 'all'): Combination[] {
  const needed = (parameters: readonly Parameter[]): Parameter[] =>
    parameters.filter(({ optional, rest }) => !optional || (which === 'all' && rest === undefined));
  const own = needed(source.parameters);
  const made = needed(source.init ?? []);
  const families = [...own, ...made].map((parameter) => familiesOf(parameter, source));
  const first = families.map(() => 0);
  const ranks = new Map([[first.join(), first]]);
  const add = (one: number[]): void => void ranks.set(one.join(), one);
  for (const [at, list] of families.entries()) for (const rank of list.keys()) add(first.with(at, rank));
  for (let tries = 0; tries < MOST_COMBINATIONS && families.length > 1; tries++) {
    add(families.map(({ length }) => random.int(Math.max(1, length))));
  }
  const sum = (one: readonly number[]): number => one.reduce((total, rank) => total + rank, 0);
  const ordered = [...ranks.values()].toSorted((a, b) => sum(a) - sum(b)).slice(0, MOST_COMBINATIONS);
  const optional =
    which === 'all' ? [] : optionalsOf(source, []).filter(({ needed, examples }) => !needed && examples.length > 0);
  return ordered.map((one) => {
    const drafts = draftsOf(source, own, made, families, one);
    // What is only used with options shows its kind only with them.
    const more = optional.length === 0 ? [] : drafts.slice(0, 2).map((draft, turn) => withAll(draft, optional, turn));
    return { ranks: one, drafts: [...drafts, ...more] };
  });
}

/** The likeliest calls, whether the original accepts them or not. */
export function likelyCalls(source: EntrySource, random: Random): Draft[] {
  return (['required', 'all'] as const).flatMap((which) => combinationsOf(source, random, which).flatMap(({ drafts }) => drafts));
}

/** With a value in each place that can be left out. */
function withAll(draft: Draft, optional: readonly OptionalSlot[], turn: number): Draft {
  let made = draft;
  for (const { of, index, name, examples } of optional) {
    const isNext = index === givenOf(made, { of, at: index }).args.length;
    if (isNext || name !== undefined)
      made = withValue(made, { of, at: isNext ? index : (name ?? index) }, examples[turn % examples.length] ?? null);
  }
  return made;
}

function draftsOf(
  source: EntrySource,
  own: readonly Parameter[],
  made: readonly Parameter[],
  families: readonly (readonly Family[])[],
  ranks: readonly number[],
): Draft[] {
  const drafts: Draft[] = [];
  const longest = Math.max(1, ...ranks.map((rank, at) => families[at]?.[rank]?.length ?? 1));
  for (let turn = 0; turn < Math.min(MOST_EXAMPLES + 2, longest); turn++) {
    const value = (at: number): Value => {
      const family = families[at]?.[ranks[at] ?? 0] ?? [];
      return family[(turn + (turn > 1 ? at : 0)) % Math.max(1, family.length)] ?? null;
    };
    const given = (parameters: readonly Parameter[], from: number): Given => ({
      args: parameters.flatMap(({ named }, at) => (named ? [] : [value(from + at)])),
      kwargs: Object.fromEntries(parameters.flatMap(({ named, name }, at) => (named ? [[name, value(from + at)]] : []))),
    });
    drafts.push({ ...given(own, 0), ...(source.init === undefined ? {} : { init: given(made, own.length) }) });
  }
  return drafts;
}

/** The function asks of what kind each of its arguments is, and so is meant for several: `Array.isArray(value)`. */
function asksForKinds({ parameters, node, text }: EntrySource): boolean {
  const own = text.slice(node.start, node.end);
  const asks = (name: string): boolean =>
    /^\w+$/.test(name) &&
    new RegExp(`(?:\\bisinstance|\\bArray\\.isArray|\\btype)\\(\\s*${name}\\b|\\btypeof\\s+${name}\\b`).test(own);
  return parameters.length > 0 && parameters.every(({ name, type, optional }) => optional || (type === undefined && asks(name)));
}

/** A short call of the likeliest kind by the source alone, options and all, in which nothing is empty. */
export function likeliestCall(source: EntrySource): Call {
  const plain = (parameters: readonly Parameter[] = []): Parameter[] => parameters.filter(({ rest }) => rest === undefined);
  const [own, made] = [plain(source.parameters), plain(source.init)];
  const families = [...own, ...made].map((parameter) => {
    const { fallback = null } = parameter;
    return fallback === null ? familiesOf(parameter, source) : [[fallback]];
  });
  const likeliest = families.map(() => 0);
  const drafts = draftsOf(source, own, made, families, likeliest);
  const full = drafts.filter((draft) => !/\[\]|\{\}|""/.test(JSON.stringify(draft.args)));
  const [first = { args: [], kwargs: {} }] = smallestFirst(full.length > 0 ? full : drafts, (one) => one);
  return writeCall(first);
}

/** The likeliest calls of each other kind of values, the same in all places. */
function ofOtherKinds(accepted: readonly Combination[], best: Combination | undefined): Draft[] {
  const kindsOf = ({ drafts: [first] }: Combination): string[] => [...new Set(first?.args.map(kindOf))];
  const found = new Map<string | undefined, Combination>();
  for (const one of accepted) {
    const [kind, ...more] = kindsOf(one);
    if (more.length === 0 && !found.has(kind)) found.set(kind, one);
  }
  return [...found.values()].filter((one) => one !== best).flatMap(({ drafts }) => drafts.slice(0, 2));
}

/**
 * Calls of the most likely combination that the original accepts; those of the likeliest ones that raise when it accepts none.
 * `run` makes calls on the original.
 */
export async function seedCalls(
  source: EntrySource,
  random: Random,
  run: (calls: readonly Call[]) => Promise<Sighting[]>,
): Promise<{ drafts: Draft[]; seen: Sighting[]; accepted: boolean }> {
  const found = await seedsAmong(combinationsOf(source, random, 'required'), source, run);
  // What only has defaults may accept nothing: nothing can be taken from an empty account.
  const hasDefaults = [...source.parameters, ...(source.init ?? [])].some(({ optional, rest }) => optional && rest === undefined);
  return found.accepted || !hasDefaults ? found : await seedsAmong(combinationsOf(source, random, 'all'), source, run);
}

async function seedsAmong(
  combinations: readonly Combination[],
  source: EntrySource,
  run: (calls: readonly Call[]) => Promise<Sighting[]>,
): Promise<{ drafts: Draft[]; seen: Sighting[]; accepted: boolean }> {
  const calls = combinations.flatMap(({ drafts }) => drafts);
  const seen = await run(calls.map(writeCall));
  const results = new Map(calls.map((draft, at) => [keyOf(draft), seen[at]] as const));
  const returned = (draft: Draft): boolean => {
    const sighting = results.get(keyOf(draft));
    return sighting?.hash !== undefined && sighting.raised === undefined;
  };
  const lines = source.text.split('\n');
  // What is refused on purpose is of the right kind.
  const understood = (draft: Draft): boolean => {
    const sighting = results.get(keyOf(draft));
    return returned(draft) || (sighting !== undefined && isDeliberate(sighting, (number) => lines[number - 1] ?? '', new Set()));
  };
  const some = combinations.filter(({ drafts }) => drafts.some(returned));
  const mostly = some.filter(({ drafts }) => drafts.filter(understood).length * 2 >= drafts.length);
  const linesRun = ({ drafts }: Combination): number =>
    new Set(drafts.filter(returned).flatMap((draft) => results.get(keyOf(draft))?.lines ?? [])).size;
  // Where values are of the wrong kind, nothing is equal, and less of the function runs.
  const fullest = (among: readonly Combination[]) => {
    const counted = among.map((combination) => ({ combination, ran: linesRun(combination) }));
    const most = Math.max(0, ...counted.map(({ ran }) => ran));
    return counted.find(({ ran }) => ran * (1 + tuned.minorShare) >= most);
  };
  const [likeliest, other] = [fullest(mostly), fullest(some)];
  // Where one argument has to name what is in another, few calls of the right kind are accepted.
  const isPartOnly = (other?.ran ?? 0) * 4 > (likeliest?.ran ?? 0) * 5;
  const best = (isPartOnly ? other : (likeliest ?? other))?.combination;
  const others = asksForKinds(source) ? ofOtherKinds(mostly, best) : [];
  const drafts = [...(best?.drafts ?? []), ...others].filter(returned);
  const all = [...new Map(drafts.map((draft) => [keyOf(draft), draft])).values()];
  return {
    drafts: all,
    seen: all.length > 0 ? all.flatMap((draft) => results.get(keyOf(draft)) ?? []) : seen,
    accepted: best !== undefined,
  };
}
