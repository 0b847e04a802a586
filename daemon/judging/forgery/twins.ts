/**
 * Calls that are like known ones, and that no program can have seen: numbers a little higher or lower, letters exchanged, two
 * neighbours of a list that have changed places. What was in order or equal before mostly still is. Pure.
 */
import type { Call } from '../../../shared/judging.ts';
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import {
  type Draft,
  dictionary,
  float,
  type Given,
  itemsOf,
  kindOf,
  type Language,
  numberIn,
  pairsOf,
  readCall,
  sequence,
  writeCall,
} from '../inputs/values/data.ts';
import { tuned } from '../tuned.ts';

/** The number of letters of the alphabet. */
const LETTERS = 26;

/** In each round one twin of each call, and none twice. A call that comes several times in a pass counts once. */
export function twinsOf(calls: readonly Call[], rounds: number, random: Random, language: Language): Call[] {
  const single = new Map(calls.map((call) => [JSON.stringify(call), call]));
  const known = new Set(single.keys());
  const twins: Call[] = [];
  for (let made = 0; made < rounds; made++) {
    for (const call of random.shuffle([...single.values()])) {
      const twin = twinOf(call, random, language);
      const text = JSON.stringify(twin);
      if (twin === undefined || known.has(text)) continue;
      known.add(text);
      twins.push(twin);
    }
  }
  return twins;
}

/** A twin of the call, or undefined where nothing in it can be changed. */
function twinOf(call: Call, random: Random, language: Language): Call | undefined {
  const draft = readCall(call);
  const change = random.next() < 0.5 ? shifted(draft, random, language) : swapped(draft, random);
  const twin = writeCall(change);
  if (JSON.stringify(twin) !== JSON.stringify(writeCall(draft))) return twin;
  const other = writeCall(shifted(draft, random, language));
  return JSON.stringify(other) === JSON.stringify(writeCall(draft)) ? undefined : other;
}

/** All numbers by one amount, all letters by another, so that what was equal or in order still is. */
function shifted(draft: Draft, random: Random, language: Language): Draft {
  const numbers = draft.args.concat(Object.values(draft.kwargs)).flatMap(numbersIn);
  const most = Math.max(1, Math.floor(Math.max(0, ...numbers.map(Math.abs)) * tuned.slightShare));
  const by = (1 + random.int(most)) * (random.next() < 0.5 ? 1 : -1);
  const turn = 1 + random.int(LETTERS - 1);
  const change = (value: Value): Value => {
    switch (kindOf(value)) {
      case 'int':
        return numberIn(value) + by;
      case 'float':
        return float(numberIn(value) + by / 8, language);
      case 'str':
        return typeof value === 'string' ? turned(value, turn) : value;
      default:
        return inside(value, change);
    }
  };
  return eachOf(draft, change);
}

/** Swaps two neighbours of one list: with others, a program that is fast where nearly all is in order would have to start over. */
function swapped(draft: Draft, random: Random): Draft {
  let done = false;
  const change = (value: Value): Value => {
    if (done || !Array.isArray(value) || value.length < 2) return done ? value : inside(value, change);
    done = true;
    const items = [...value];
    const at = random.int(items.length - 1);
    [items[at], items[at + 1]] = [items[at + 1] ?? null, items[at] ?? null];
    return items;
  };
  return eachOf(draft, change);
}

function eachOf(draft: Draft, change: (value: Value) => Value): Draft {
  const given = ({ args, kwargs }: Given): Given => ({
    args: args.map(change),
    kwargs: Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [name, change(value)])),
  });
  return { ...draft, ...given(draft) };
}

/** Items of a sequence and values of a dictionary; its keys are often names that a program knows. */
function inside(value: Value, change: (value: Value) => Value): Value {
  const kind = kindOf(value);
  if (kind === 'list' || kind === 'tuple' || kind === 'set' || kind === 'frozenset') {
    return sequence(kind, itemsOf(value).map(change));
  }
  if (kind !== 'dict') return value;
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && 'map' in value;
  const pairs = pairsOf(value).map(([key, item]) => [key, change(item)] as const);
  return dictionary(pairs, isMap);
}

function numbersIn(value: Value): number[] {
  const kind = kindOf(value);
  if (kind === 'int' || kind === 'float') return [numberIn(value)];
  return kind === 'dict' ? pairsOf(value).flatMap(([, item]) => numbersIn(item)) : itemsOf(value).flatMap(numbersIn);
}

function turned(text: string, by: number): string {
  const turn = (letter: string, first: string): string => {
    const from = first.charCodeAt(0);
    return String.fromCharCode(((letter.charCodeAt(0) - from + by) % LETTERS) + from);
  };
  return text.replace(/[a-z]/g, (letter) => turn(letter, 'a')).replace(/[A-Z]/g, (letter) => turn(letter, 'A'));
}
