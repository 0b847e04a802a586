/**
 * Exchanges values of guessed calls for values of other kinds, at any place inside of them, as long as more of the function runs.
 * What becomes of a value says more than the source does: a record with a number in place of a date comes no further than the line
 * that reads the date, and with a date it does. Calls that raise are exchanged as well. Source: hill climbing on coverage.
 */
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import type { Sighted } from './explore.ts';
import { fieldsRead, recordsRead } from './guess.ts';
import type { Original } from './original.ts';
import { linesOf } from './probes.ts';
import { likelyCalls } from './seeds.ts';
import { rejecting } from './select.ts';
import type { EntrySource } from './source.ts';
import type { Patience, Sighting, Survey } from './survey.ts';
import { exchangedAt, type Place, placesOf, slotsOf, valueAt, withValue } from './values/call-slots.ts';
import { type Draft, dictionary, itemsOf, keyOf, kindOf, pairsOf, writeCall } from './values/data.ts';
import { days, type Family, ints, words } from './values/names.ts';
import { typeFilter } from './values/type-fit.ts';
import { dictionaries, lists } from './values/types.ts';

/** Calls that are exchanged at a time, and tried in each round. */
const MOST_KEPT = 4;
const MOST_TRIED = 160;
/** Between two rounds of the event loop. */
const MOST_AT_ONCE = 16;
const MOST_ROUNDS = 32;
/** Rounds in which no further line ran. */
const MOST_IDLE = 12;
const MOST_ALIKE = 6;
/** Length of a call as JSON: lists of what is around them would grow without end. */
const MOST_CHARS = 1500;
/** Steps that all calls may take together, about a microsecond each. */
const MOST_STEPS = 3_000_000;
/** Share of the calls from which a field is taken away, or to which one is added. */
const MOST_REMOVED = 0.1;
const MOST_ADDED = 0.5;

/** Calls that run more of the function than those that were tried, with other values in their places. */
export async function exchangedFrom(
  { source, probes }: Original,
  tried: readonly Sighted[],
  random: Random,
  survey: Survey,
  patience: Patience,
  late: () => boolean,
): Promise<Sighted[]> {
  if (source === undefined) return [];
  let left = MOST_STEPS;
  const lines = source.text.split('\n');
  const isWhole = (more: readonly Sighted[]): boolean =>
    linesOf(
      probes,
      survey.lines,
      [...tried, ...more].map(({ seen }) => seen).filter(({ raised }) => raised === undefined),
    ).missed.every((line) => rejecting.test(lines[line - 1] ?? ''));
  const run = async (drafts: readonly Draft[]): Promise<Sighted[]> => {
    const seen: Sighting[] = [];
    for (let at = 0; at < drafts.length && left > 0; at += MOST_TRIED) {
      const some = await survey.run(drafts.slice(at, at + MOST_TRIED).map(writeCall), patience, true);
      left -= some.reduce((sum, { cut, steps }) => sum + (cut === 1 ? patience.steps : steps), 0);
      seen.push(...some);
    }
    return drafts.flatMap((draft, at) => (seen[at] === undefined ? [] : [{ draft, call: writeCall(draft), seen: seen[at] }]));
  };
  if (isWhole([])) return [];
  return await exchange(source, tried, likelyCalls(source, random), random, {
    ...{ run, isWhole, fits: typeFilter(source, []), isSpent: () => left <= 0 || late() },
  });
}

interface Reach {
  /** Makes calls on the original. */
  readonly run: (drafts: readonly Draft[]) => Promise<Sighted[]>;
  /** Whether the values of a call have the types of the parameters. */
  readonly fits: (draft: Draft) => boolean;
  /** Whether these calls run all lines that those tried before did not. */
  readonly isWhole: (more: readonly Sighted[]) => boolean;
  /** Whether no more calls may be made. */
  readonly isSpent: () => boolean;
}

/**
 * Calls that the original accepts and that run lines of it which none of `tried` runs that it accepts, the ones that run most
 * first. `likely`: others to begin with.
 */
async function exchange(
  source: EntrySource,
  tried: readonly Sighted[],
  likely: readonly Draft[],
  random: Random,
  { run, fits, isWhole, isSpent }: Reach,
): Promise<Sighted[]> {
  const exchanger = new Exchanger(source, random);
  const ran = new Set(tried.filter(isAccepted).flatMap(({ seen }) => seen.lines));
  const known = new Set([...tried.map(({ draft }) => draft), ...likely].map(keyOf));
  const isNew = (draft: Draft): boolean => {
    const key = keyOf(draft);
    return key.length <= MOST_CHARS && fits(draft) && !known.has(key) && known.add(key).size > 0;
  };
  const first = [...tried, ...(await run(likely.filter(fits)))];
  let kept = best(first, ran);
  let accepted = best(first.filter(isAccepted), ran);
  let idle = 0;
  const isDone = (): boolean => first.length === 0 || idle >= MOST_IDLE || isSpent() || isWhole(accepted);
  for (let round = 0; round < MOST_ROUNDS && !isDone(); round++) {
    const from = [...kept, ...accepted];
    const exchanged = (): Draft => {
      const once = exchanger.next(random.pick(from).draft);
      return random.next() < 0.5 ? once : exchanger.next(once);
    };
    const drafts: Draft[] = [];
    for (let at = 0; at < MOST_TRIED; at++) {
      if (at % MOST_AT_ONCE === 0) await new Promise(setImmediate);
      drafts.push(exchanged());
    }
    const seen = await run(drafts.filter(isNew));
    // New ones that run as much take the place of old ones: what one exchange alone does not reach, two may.
    const next = best([...seen, ...kept], ran);
    idle = worthOf(next[0], ran) > worthOf(kept[0], ran) ? 0 : idle + 1;
    kept = next;
    accepted = best([...seen.filter(isAccepted), ...accepted], ran);
  }
  const filled = await run(accepted.flatMap(({ draft }) => exchanger.filled(draft)).filter(isNew));
  return best([...filled.filter(isAccepted), ...accepted], ran).filter((one) => newLines(one, ran) > 0);
}

const linesRun = ({ seen }: Sighted): number => new Set(seen.lines).size;
const newLines = ({ seen }: Sighted, ran: ReadonlySet<number>): number =>
  new Set(seen.lines.filter((line) => !ran.has(line))).size;
const isAccepted = ({ seen }: Sighted): boolean => seen.hash !== undefined && seen.raised === undefined;
/** Lines that no accepted call ran before count twice. The line that raises has run, and nothing is said of what is behind it. */
const worthOf = (one: Sighted | undefined, ran: ReadonlySet<number>): number =>
  one === undefined ? 0 : 2 * linesRun(one) + 2 * newLines(one, ran) + Number(isAccepted(one));

/** The ones that run most, each in another way; of equal ones those with the fewest values that say nothing, then the first. */
function best(all: readonly Sighted[], ran: ReadonlySet<number>): Sighted[] {
  const ordered = all
    .filter(({ seen }) => seen.cut !== 1)
    .map((one) => ({ one, worth: worthOf(one, ran), empty: emptyIn(one.draft) }))
    .toSorted((a, b) => b.worth - a.worth || a.empty - b.empty)
    .map(({ one }) => one);
  const ways = new Set<string>();
  return ordered
    .filter(({ seen }) => {
      const way = `${seen.raised} ${seen.line} ${[...new Set(seen.lines)].sort((a, b) => a - b)}`;
      return !ways.has(way) && ways.add(way);
    })
    .slice(0, MOST_KEPT);
}

const isEmpty = (value: Value): boolean => /^(?:null|true|false|\[\]|""|\{"dict":\[\]\})$/.test(keyOf(value));
const emptyIn = (draft: Draft): number => keyOf(draft).match(/null|true|false|\[\]|""/g)?.length ?? 0;

/** Values of many kinds, and those that the source names. */
function poolOf(source: EntrySource): Family[] {
  const { constants, words: texts } = source;
  const records = recordsRead(source);
  const named = [...new Set([...constants.strs, ...texts])];
  const families: Family[] = [
    ints,
    [1.5, 0.25, 2.5],
    [false, true],
    [true, false],
    [null],
    words,
    [''],
    named,
    days,
    [[]],
    lists(words, 'list'),
    lists(ints, 'list'),
    lists(named, 'list'),
    tablesOf(source),
    [
      [3, 1],
      [2, 5],
      [1, 8],
    ],
    [dictionary([])],
    dictionaries(words, ints, false),
    dictionaries(words, lists(words, 'list'), false),
    records,
    lists(records, 'list'),
  ];
  return families.filter(({ length }) => length > 0);
}

/** Lines of cells with a title above each column, where the function takes texts apart into lines and at signs. */
function tablesOf({ constants, text, node, parameters }: EntrySource): string[] {
  const own = text.slice(node.start, node.end);
  if (!/\\n|splitlines/.test(own)) return [];
  const signs = [...constants.strs, ...parameters.map(({ fallback }) => fallback)].filter(
    (sign): sign is string => typeof sign === 'string' && /^[^\w\s"'\\]$|^\t$/.test(sign),
  );
  return [...new Set(signs)].slice(0, MOST_ALIKE).flatMap((sign) => {
    const row = (...cells: string[]): string => cells.join(sign);
    return [
      [row('name', 'count'), row('a', '3'), row('b', '1'), row('a', '2')].join('\n'),
      [row('a', 'b', 'c'), row('1', '2.5', 'x'), '', row('4', '', 'y'), row('-2', '7')].join('\n'),
    ];
  });
}

/** Makes one change at a time. */
class Exchanger {
  private readonly random: Random;
  private readonly pool: readonly Family[];
  private readonly fields: readonly string[];

  constructor(source: EntrySource, random: Random) {
    this.random = random;
    this.pool = poolOf(source);
    this.fields = [...fieldsRead(source).keys()];
  }

  next(draft: Draft): Draft {
    const { random } = this;
    const places = placesOf(draft);
    if (places.length === 0) return draft;
    const place = random.pick(places);
    if (place.path.length > 0 && random.next() < MOST_REMOVED) return exchangedAt(draft, place, () => undefined);
    const missing = random.next() < MOST_ADDED ? fieldsMissing(place, this.fields) : [];
    if (missing.length > 0) {
      const added = { ...place, path: [...place.path, { key: random.pick(missing), isNew: true as const }] };
      return put(draft, added, random.pick([...this.pool, ...likeOthers(added, places)]), 0);
    }
    const others =
      random.next() < 0.5 ? [] : random.next() < 0.5 ? likeOthers(place, places) : scalarsIn(random.pick(places).values);
    const family = random.pick(others.length > 0 ? others : this.pool);
    return this.withNamed(put(draft, place, family, random.int(family.length)), place);
  }

  /** The call with texts, numbers and lists in the places of what says nothing, each alone. */
  filled(draft: Draft): Draft[] {
    const empty = placesOf(draft).filter(({ values }) => values.every((value) => isEmpty(value)));
    return empty.flatMap((place) => [words, ints, lists(words, 'list')].map((family) => put(draft, place, family, 0)));
  }

  /** Half of the calls with a new text of several words have one of these in place of another argument, which may name a part of it. */
  private withNamed(draft: Draft, { slot }: Place): Draft {
    const { random } = this;
    const text = valueAt(draft, slot);
    const parts = typeof text === 'string' && /\w\W+\w/.test(text) ? (text.match(/\w+/g) ?? []) : [];
    const others = slotsOf(draft).filter((one) => keyOf(one) !== keyOf(slot) && typeof valueAt(draft, one) === 'string');
    if (parts.length === 0 || others.length === 0 || random.next() < 0.5) return draft;
    return withValue(draft, random.pick(others), random.pick(parts.slice(0, MOST_ALIKE)));
  }
}

/** The call with the values of the family there, one after another. */
function put(draft: Draft, place: Pick<Place, 'slot' | 'path'>, family: Family, begin: number): Draft {
  let turn = begin;
  return exchangedAt(draft, place, () => family[turn++ % family.length]);
}

/** Texts or numbers that stand in one place, words of them, and lists of them: one argument may name what is in another. */
function scalarsIn(values: readonly Value[]): Family[] {
  const keys = values.flatMap(pairsOf).map(([key]) => key);
  const parts = values.flatMap((value) => (typeof value === 'string' && /\W/.test(value) ? (value.match(/\w+/g) ?? []) : []));
  return [values, keys, parts].flatMap((all) => {
    const found = [...new Map(all.filter(isScalar).map((value) => [keyOf(value), value])).values()].slice(0, MOST_ALIKE);
    return found.length === 0 ? [] : [found, found.toReversed(), [[], found.slice(0, 1), found.slice(0, 2)]];
  });
}

const isScalar = (value: Value): boolean => /^(?:str|int)$/.test(kindOf(value));

/** Lists of records like the one around it, and dictionaries with the keys of another one and what that holds. */
function likeOthers({ path }: Place, places: readonly Place[]): Family[] {
  const outer = places.filter((one) => one.path.length < path.length && isBegin(one.path, path));
  const last = path.at(-1);
  const records = outer.flatMap(({ values }) => values).filter((value) => kindOf(value) === 'dict');
  const bare = records.map((record) =>
    dictionary(pairsOf(record).filter(([key]) => last === undefined || !('key' in last) || keyOf(key) !== keyOf(last.key))),
  );
  const others = places.flatMap(({ values }) => values).filter((value) => kindOf(value) === 'dict' && pairsOf(value).length > 0);
  const alike = others.slice(0, MOST_ALIKE).flatMap((other): Family[] => {
    const held = pairsOf(other).map(([, value]) => value);
    const keyed = (values: Family): Value =>
      dictionary(pairsOf(other).map(([key], at) => [key, values[at % values.length] ?? null]));
    return [[keyed(held.toReversed())], [keyed(lists(held, 'list'))], [keyed(ints)], [keyed(lists(words, 'list'))]];
  });
  return [...(bare.length === 0 ? [] : [[[...bare.slice(0, 2)], [], [...bare.slice(1, 2)]]]), ...alike];
}

const isBegin = (path: Place['path'], whole: Place['path']): boolean =>
  path.every((step, at) => keyOf(step) === keyOf(whole[at]));

/** Fields that the function reads, and that the records there do not have. */
function fieldsMissing({ values }: Place, fields: readonly string[]): string[] {
  const records = values.filter((value) => kindOf(value) === 'dict');
  if (records.length === 0 || records.length < values.length || values.some((value) => itemsOf(value).length > 0)) return [];
  const present = new Set(records.flatMap(pairsOf).map(([key]) => key));
  return fields.filter((field) => !present.has(field));
}
