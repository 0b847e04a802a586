/**
 * Places inside of the arguments of a call, where each stands for all values that are alike: the items of a list, the values of a
 * dictionary, or one field of all records of a list. Pure.
 */
import type { Value } from '../../function/values.ts';
import { type CallSlot, slotsOf, valueAt, withValue } from './call-slots.ts';
import { type Draft, dictionary, isMap, itemsOf, keyOf, kindOf, pairsOf, sequence } from './data.ts';

/** All items of a list or tuple, all values of a dictionary, or the values of one of its keys. */
type Step = { readonly all: 'items' | 'values' } | { readonly key: Value };

export interface Place {
  readonly slot: CallSlot;
  readonly path: readonly Step[];
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

function inside(values: readonly Value[], path: readonly Step[]): Omit<Place, 'slot'>[] {
  const here = { path, values };
  if (path.length >= MOST_DEEP) return [here];
  const items = values.flatMap(itemsOf);
  const pairs = values.flatMap(pairsOf);
  const keys = [...new Map(pairs.map(([key]) => [keyOf(key), key])).values()];
  return [
    here,
    ...(items.length === 0 ? [] : inside(items, [...path, { all: 'items' }])),
    ...(pairs.length === 0
      ? []
      : inside(
          pairs.map(([, value]) => value),
          [...path, { all: 'values' }],
        )),
    ...keys.slice(0, MOST_FIELDS).flatMap((key) => {
      const column = pairs.flatMap(([mine, value]) => (keyOf(mine) === keyOf(key) ? [value] : []));
      return inside(column, [...path, { key }]);
    }),
  ];
}

/** The call with other values there: `next` gives one after another. Undefined takes a field away. */
export function exchangedAt(draft: Draft, { slot, path }: Pick<Place, 'slot' | 'path'>, next: () => Value | undefined): Draft {
  const value = valueAt(draft, slot);
  const changed = value === undefined ? next() : put(value, path, next);
  return changed === undefined ? draft : withValue(draft, slot, changed);
}

function put(value: Value, [step, ...rest]: readonly Step[], next: () => Value | undefined): Value | undefined {
  if (step === undefined) return next();
  const kind = kindOf(value);
  if ('all' in step && step.all === 'items') {
    if (kind !== 'list' && kind !== 'tuple' && kind !== 'set' && kind !== 'frozenset') return value;
    return sequence(
      kind,
      itemsOf(value).flatMap((item) => put(item, rest, next) ?? []),
    );
  }
  if (kind !== 'dict') return value;
  const isMeant = (key: Value): boolean => 'all' in step || keyOf(step.key) === keyOf(key);
  const pairs = pairsOf(value);
  // A field that is missing is added.
  const all = 'key' in step && !pairs.some(([key]) => isMeant(key)) ? [...pairs, [step.key, null] as const] : pairs;
  return dictionary(
    all.flatMap(([key, item]) => {
      const changed = isMeant(key) ? put(item, rest, next) : item;
      return changed === undefined ? [] : [[key, changed] as const];
    }),
    isMap(value),
  );
}
