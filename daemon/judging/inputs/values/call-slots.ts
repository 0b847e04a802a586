/** Places of a call, of which each holds one value. */
import type { Value } from '../../function/values.ts';
import type { Draft, Given } from './data.ts';

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
