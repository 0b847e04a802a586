/**
 * Exchanges values of guessed calls for values of other kinds, at any place inside of them, as long as more of the function runs.
 * What becomes of a value says more than the source does: a record with a number in place of a date comes no further than the line
 * that reads the date, and with a date it does. Calls that raise are exchanged as well. Source: hill climbing on coverage.
 */
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import type { Sighted } from './explore.ts';
import { fieldsRead, recordsRead } from './guess.ts';
import type { EntrySource } from './source.ts';
import { type Draft, dictionary, itemsOf, keyOf, kindOf, pairsOf } from './values/data.ts';
import { days, type Family, ints, words } from './values/names.ts';
import { exchangedAt, type Place, placesOf } from './values/places.ts';
import { dictionaries, lists } from './values/types.ts';

/** Calls that are exchanged at a time, and tried in each round. */
const MOST_KEPT = 4;
const MOST_TRIED = 160;
const MOST_ROUNDS = 12;
/** Rounds in which no further line ran. */
const MOST_IDLE = 5;
const MOST_ALIKE = 6;
const MOST_BEGINS = 24;

interface Reach {
  /** Makes calls on the original. */
  readonly run: (drafts: readonly Draft[]) => Promise<Sighted[]>;
  /** Whether the values of a call have the types of the parameters. */
  readonly fits: (draft: Draft) => boolean;
  /** Whether these calls run all lines that those tried before did not. */
  readonly isWhole: (more: readonly Sighted[]) => boolean;
}

/**
 * Calls that the original accepts, the ones that run most of it first; none when these run no more than one of `tried` that it
 * accepts. `likely`: others to begin with.
 */
export async function exchange(
  source: EntrySource,
  tried: readonly Sighted[],
  likely: readonly Draft[],
  random: Random,
  { run, fits, isWhole }: Reach,
): Promise<Sighted[]> {
  const pool = poolOf(source);
  const fields = [...fieldsRead(source).keys()];
  const linesBefore = Math.max(0, ...tried.filter(isAccepted).map(linesRun));
  const known = new Set([...tried.map(({ draft }) => draft), ...likely].map(keyOf));
  let kept = best([...tried, ...(await run(likely.filter(fits)))]);
  let idle = 0;
  for (let round = 0; round < MOST_ROUNDS && idle < MOST_IDLE && !isWhole(kept.filter(isAccepted)); round++) {
    const all = kept.map(({ draft }) => variantsOf(draft, pool, fields));
    const some = (among: readonly (() => Draft)[], most: number) => random.shuffle([...among]).slice(0, most);
    const drafts = [
      ...some(
        all.flatMap(({ changed }) => changed),
        MOST_TRIED,
      ),
      ...some(
        all.flatMap(({ added }) => added),
        MOST_TRIED / 4,
      ),
    ]
      .map((make) => make())
      .filter((draft) => fits(draft) && !known.has(keyOf(draft)) && known.add(keyOf(draft)));
    if (drafts.length === 0) break;
    const next = best([...kept, ...(await run(drafts))]);
    idle = worthOf(next[0]) > worthOf(kept[0]) ? 0 : idle + 1;
    kept = next;
  }
  return kept.filter((one) => isAccepted(one) && linesRun(one) > linesBefore);
}

const linesRun = ({ seen }: Sighted): number => new Set(seen.lines).size;
const isAccepted = ({ seen }: Sighted): boolean => seen.hash !== undefined && seen.raised === undefined;
/** The line that raises has run, and nothing is said of what is behind it. */
const worthOf = (one: Sighted | undefined): number => (one === undefined ? 0 : 2 * linesRun(one) + Number(isAccepted(one)));

/** The ones that run most, each in another way; of equal ones the smallest. */
function best(all: readonly Sighted[]): Sighted[] {
  const ordered = all
    .filter(({ seen }) => seen.cut !== 1)
    .map((one) => ({ one, worth: worthOf(one), size: keyOf(one.draft).length }))
    .toSorted((a, b) => b.worth - a.worth || a.size - b.size)
    .map(({ one }) => one);
  const ways = new Set<string>();
  return ordered
    .filter(({ seen }) => {
      const way = `${seen.raised} ${seen.line} ${[...new Set(seen.lines)].sort((a, b) => a - b)}`;
      return !ways.has(way) && ways.add(way);
    })
    .slice(0, MOST_KEPT);
}

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

interface Variants {
  readonly changed: readonly (() => Draft)[];
  /** With a field that was not there. */
  readonly added: readonly (() => Draft)[];
}

function variantsOf(draft: Draft, pool: readonly Family[], fields: readonly string[]): Variants {
  const places = placesOf(draft);
  const scalars = places.flatMap(({ values }) => scalarsIn(values));
  const changed = places.flatMap((place) => [
    ...[...pool, ...scalars, ...likeOthers(place, places)].flatMap((family) => puts(draft, place, family)),
    ...(place.path.length > 0 ? [() => exchangedAt(draft, place, () => undefined)] : []),
  ]);
  const added = places.flatMap((place) =>
    fieldsMissing(place, fields).flatMap((key) =>
      pool.flatMap((family) => puts(draft, { ...place, path: [...place.path, { key }], values: [null, null] }, family)),
    ),
  );
  return { changed, added };
}

/** With the values of the family one after another; where only one stands, with each of some. */
function puts(draft: Draft, place: Place, family: Family): (() => Draft)[] {
  const begins = place.values.length > 1 ? [0] : family.slice(0, MOST_BEGINS).keys();
  return [...begins].map((begin) => () => {
    let turn = begin;
    return exchangedAt(draft, place, () => family[turn++ % family.length]);
  });
}

/** Texts or numbers that stand in one place, and lists of them: one argument may name what is in another. */
function scalarsIn(values: readonly Value[]): Family[] {
  const keys = values.flatMap(pairsOf).map(([key]) => key);
  return [values, keys].flatMap((all) => {
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
