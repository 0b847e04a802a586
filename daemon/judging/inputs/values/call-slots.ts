/** Places of a call, of which each holds one value. */
import type { Value } from '../../function/values.ts';
import type { Draft, Given } from './data.ts';

/** A place of a call: a positional or named argument, of the function or of the constructor. */
export interface CallSlot {
  readonly of: 'call' | 'init';
  readonly at: number | string;
}

export function slotsOf(draft: Draft): CallSlot[] {
  const of = (where: 'call' | 'init', { args, kwargs }: Given): CallSlot[] => [
    ...args.map((_, at) => ({ of: where, at })),
    ...Object.keys(kwargs).map((at) => ({ of: where, at })),
  ];
  return [...of('call', draft), ...(draft.init === undefined ? [] : of('init', draft.init))];
}

export const givenOf = (draft: Draft, { of }: CallSlot): Given =>
  of === 'call' ? draft : (draft.init ?? { args: [], kwargs: {} });

export function valueAt(draft: Draft, slot: CallSlot): Value | undefined {
  const given = givenOf(draft, slot);
  return typeof slot.at === 'number' ? given.args[slot.at] : given.kwargs[slot.at];
}

/** With another value in that place. */
export function withValue(draft: Draft, slot: CallSlot, value: Value): Draft {
  const put = ({ args, kwargs }: Given): Given =>
    typeof slot.at === 'number'
      ? { args: slot.at < args.length ? args.with(slot.at, value) : [...args, value], kwargs }
      : { args, kwargs: { ...kwargs, [slot.at]: value } };
  return slot.of === 'call' ? { ...draft, ...put(draft) } : { ...draft, init: put(givenOf(draft, slot)) };
}
