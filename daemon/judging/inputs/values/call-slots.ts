/** Places of a call: its arguments, and those inside of them, where each stands for all values that are alike. Pure. */
import type { Value } from '../../function/values.ts';
import { type Draft, dictionary, type Given, isMap, itemsOf, keyOf, kindOf, pairsOf, sequence } from './data.ts';

/** A place of a call: a positional or named argument, of the function, of the constructor, or of one of the calls before it. */
export interface CallSlot {
  readonly of: 'call' | 'init' | 'before';
  readonly at: number | string;
  /** Which of the calls before it. */
  readonly step?: number;
}

export function slotsOf(draft: Draft): CallSlot[] {
  const of = (place: Omit<CallSlot, 'at'>, { args, kwargs }: Given): CallSlot[] => [
    ...args.map((_, at) => ({ ...place, at })),
    ...Object.keys(kwargs).map((at) => ({ ...place, at })),
  ];
  return [
    ...of({ of: 'call' }, draft),
    ...(draft.init === undefined ? [] : of({ of: 'init' }, draft.init)),
    ...(draft.before ?? []).flatMap((given, step) => of({ of: 'before', step }, given)),
  ];
}

const nothing: Given = { args: [], kwargs: {} };

export function givenOf(draft: Draft, { of, step = 0 }: CallSlot): Given {
  if (of === 'call') return draft;
  return (of === 'init' ? draft.init : draft.before?.[step]) ?? nothing;
}

export function valueAt(draft: Draft, slot: CallSlot): Value | undefined {
  const given = givenOf(draft, slot);
  return typeof slot.at === 'number' ? given.args[slot.at] : given.kwargs[slot.at];
}

/** Returns the call with another value in that place. */
export function withValue(draft: Draft, slot: CallSlot, value: Value): Draft {
  const put = <G extends Given>(given: G): G =>
    typeof slot.at === 'number'
      ? { ...given, args: slot.at < given.args.length ? given.args.with(slot.at, value) : [...given.args, value] }
      : { ...given, kwargs: { ...given.kwargs, [slot.at]: value } };
  if (slot.of === 'call') return put(draft);
  if (slot.of === 'init') return { ...draft, init: put(draft.init ?? nothing) };
  return { ...draft, before: (draft.before ?? []).map((one, at) => (at === slot.step ? put(one) : one)) };
}

/** The call without the value of that place. */
export function without(draft: Draft, slot: CallSlot): Draft {
  const take = ({ args, kwargs }: Given): Given =>
    typeof slot.at === 'number'
      ? { args: args.slice(0, slot.at), kwargs }
      : { args, kwargs: Object.fromEntries(Object.entries(kwargs).filter(([name]) => name !== slot.at)) };
  return slot.of === 'call' ? { ...draft, ...take(draft) } : { ...draft, init: take(givenOf(draft, slot)) };
}

/** To all items of a list or tuple, to all values of a dictionary, or to the value of one of its keys, which may be new. */
type Way = { readonly all: 'items' | 'values' } | { readonly key: Value; readonly isNew?: true };

/** The items of a list, the values of a dictionary, or one field of all records of a list. */
export interface Place {
  readonly slot: CallSlot;
  readonly path: readonly Way[];
  /** What stands there now. */
  readonly values: readonly Value[];
}

const MOST_DEEP = 5;
/** A dictionary with more keys, or with other keys each time, has no fields. */
const MOST_FIELDS = 12;

export function placesOf(draft: Draft): Place[] {
  return slotsOf(draft).flatMap((slot) => {
    const value = valueAt(draft, slot);
    return value === undefined ? [] : inside([value], []).map((found) => ({ slot, ...found }));
  });
}

function inside(values: readonly Value[], path: readonly Way[]): Omit<Place, 'slot'>[] {
  const here = { path, values };
  if (path.length >= MOST_DEEP) return [here];
  const items = values.flatMap(itemsOf);
  const pairs = values.flatMap(pairsOf);
  const keys = [...new Map(pairs.map(([key]) => [keyOf(key), key])).values()].slice(0, MOST_FIELDS);
  const columnOf = (key: Value): Value[] => pairs.flatMap(([mine, value]) => (keyOf(mine) === keyOf(key) ? [value] : []));
  // Values of one kind are alike, and those under each key are not looked into as well.
  const isUniform = keys.length > 1 && new Set(pairs.map(([, value]) => kindOf(value))).size === 1;
  const held = pairs.map(([, value]) => value);
  return [
    here,
    ...(items.length === 0 ? [] : inside(items, [...path, { all: 'items' }])),
    ...(isUniform ? inside(held, [...path, { all: 'values' }]) : []),
    ...keys.flatMap((key) => {
      const below = [...path, { key }];
      return isUniform ? [{ path: below, values: columnOf(key) }] : inside(columnOf(key), below);
    }),
  ];
}

/** The call with other values there: `next` gives one after another. Undefined takes a field away. */
export function exchangedAt(draft: Draft, { slot, path }: Pick<Place, 'slot' | 'path'>, next: () => Value | undefined): Draft {
  const value = valueAt(draft, slot);
  const changed = value === undefined ? next() : put(value, path, next);
  return changed === undefined ? draft : withValue(draft, slot, changed);
}

function put(value: Value, [step, ...rest]: readonly Way[], next: () => Value | undefined): Value | undefined {
  if (step === undefined) return next();
  const kind = kindOf(value);
  if ('all' in step && step.all === 'items') {
    if (kind !== 'list' && kind !== 'tuple' && kind !== 'set' && kind !== 'frozenset') return value;
    const items = itemsOf(value).map((item) => put(item, rest, next));
    return sequence(
      kind,
      items.filter((item) => item !== undefined),
    );
  }
  if (kind !== 'dict') return value;
  const isMeant = (key: Value): boolean => 'all' in step || keyOf(step.key) === keyOf(key);
  const pairs = pairsOf(value);
  const all = 'key' in step && step.isNew === true ? [...pairs, [step.key, null] as const] : pairs;
  return dictionary(
    all.flatMap(([key, item]) => {
      const changed = isMeant(key) ? put(item, rest, next) : item;
      return changed === undefined ? [] : [[key, changed] as const];
    }),
    isMap(value),
  );
}
