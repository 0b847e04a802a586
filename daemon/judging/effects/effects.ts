/**
 * Effects: what a call does other than returning or raising, as runners report it (runners/effects.py, effects.cjs), and the
 * rules by which a candidate's are compared with the original's. The comparison happens here, outside of the sandbox.
 *
 * 1. A runner reports only what changed within a call. What the original changed must hold the same value afterwards, and
 *    what the original left alone must be left alone. What a load defines or does is not an effect.
 * 2. A name that begins with `_` (in JavaScript also with `#`) and that the original never has is private: it is ignored,
 *    because it can only serve as a cache. Whether it remembers results between calls is for the forgery rules to judge.
 * 3. A module variable that the original never has is the candidate's own, whatever its name: no other code can know it.
 *    Any other new name (an attribute of an object, a class or a function) is public, and setting or changing it is an effect.
 * 4. Text on standard error is compared without the places of warnings and tracebacks in the source.
 * 5. A kind of effect that the settings exempt, or that differs between two runs of the original, is not compared.
 */
import * as z from 'zod';
import { type EffectKind, effectKinds } from '../../../shared/judging.ts';
import { type Difference, difference, show, type Tolerance, Value } from '../function/values.ts';

/** Values by name after the call; `{gone: 1}` for a name that the call removed. */
const Names = z.record(z.string(), Value);

export const Effects = z.object({
  /** Attributes of the object whose method was called. */
  instance: Names.optional(),
  /** `LOG`, `Class.attribute`, `function.attribute`, `function(default)`, `module.LOG` and `file.js:LOG` elsewhere. */
  globals: Names.optional(),
  printed: z.object({ out: z.string(), err: z.string() }).optional(),
  /** By path: `{text}`, `{digest, bytes}`, `{folder}`, `{link}` or `{gone: 1}`. */
  files: Names.optional(),
  /** A digest of the state of the random generators. */
  random: z.string().optional(),
});
export type Effects = z.infer<typeof Effects>;

/** What a call did that cannot be compared. */
export const EffectNote = z.enum(['socket', 'subprocess', 'thread', 'timer']);
export type EffectNote = z.infer<typeof EffectNote>;

/**
 * Names that a program's state ever had, and digests of the values that changed and are too large to be compared after each
 * call. Names of `large` begin with `self.` or `this.` for the attributes of the instance that all calls share.
 */
export const FinalState = z.object({
  names: z.object({ globals: z.array(z.string()), instance: z.array(z.string()) }),
  large: z.record(z.string(), z.string()),
});
export type FinalState = z.infer<typeof FinalState>;

/** How effects are compared: what the original has, and what is left out. */
export interface EffectRules {
  readonly original: FinalState | undefined;
  readonly ignored: readonly EffectKind[];
  readonly tolerance: Tolerance;
}

/** An effect that differs: what the candidate did, and what the original does; both begin with the verb. */
export interface EffectDifference {
  readonly kind: EffectKind;
  readonly actual: string;
  readonly expected: string;
}

/** The first effect that differs, in the order of the kinds. */
export function effectDifference(want: Effects, got: Effects, rules: EffectRules): EffectDifference | undefined {
  for (const kind of effectKinds) {
    if (rules.ignored.includes(kind)) continue;
    const found = differenceOf(kind, want, got, rules);
    if (found !== undefined) return { kind, actual: found.actual, expected: present(found.expected) };
  }
  return undefined;
}

/** The original does it at every call, so that the sentence is in the present tense. */
function present(text: string): string {
  const verbs: Readonly<Record<string, string>> = {
    left: 'leaves',
    removed: 'removes',
    wrote: 'writes',
    printed: 'prints',
    drew: 'draws',
    did: 'does',
  };
  return text.replace(/^\w+/, (verb) => verbs[verb] ?? verb);
}

/** Kinds of effects that are not the same in two runs of one program. */
export function unstableKinds(first: Effects, second: Effects, rules: EffectRules): EffectKind[] {
  const differs = (kind: EffectKind): boolean =>
    differenceOf(kind, first, second, rules) !== undefined || differenceOf(kind, second, first, rules) !== undefined;
  return effectKinds.filter((kind) => !rules.ignored.includes(kind) && differs(kind));
}

/** What differs at the end in values that were too large to be compared after each call. */
export function finalDifference(got: FinalState, rules: EffectRules): EffectDifference | undefined {
  if (rules.original === undefined) return undefined;
  const want = rules.original.large;
  for (const name of Object.keys({ ...want, ...got.large })) {
    const kind: EffectKind = /^(?:self|this)\./.test(name) ? 'instance' : 'globals';
    if (want[name] === got.large[name] || rules.ignored.includes(kind)) continue;
    const known = rules.original.names[kind];
    if (want[name] === undefined && isHidden(name.replace(/^(?:self|this)\./, ''), known, kind === 'globals')) continue;
    const words = (digest: string | undefined): string =>
      digest === undefined ? `left ${name} as it was` : `left ${name} with other contents than before`;
    const both = want[name] !== undefined && got.large[name] !== undefined;
    const [actual, expected] = both
      ? [`left ${name} with other contents than the original`, `left ${name} with its own`]
      : [words(got.large[name]), words(want[name])];
    return { kind, actual, expected: present(expected) };
  }
  return undefined;
}

type Sides = Pick<EffectDifference, 'actual' | 'expected'>;

function differenceOf(kind: EffectKind, want: Effects, got: Effects, rules: EffectRules): Sides | undefined {
  switch (kind) {
    case 'instance':
      return namesDiffer(want.instance, got.instance, rules, rules.original?.names.instance ?? [], instanceWords);
    case 'globals':
      return namesDiffer(want.globals, got.globals, rules, rules.original?.names.globals ?? [], globalWords);
    case 'files':
      return namesDiffer(want.files, got.files, rules, undefined, fileWords);
    case 'printed':
      return printedDiffers(want.printed, got.printed);
    case 'random':
      return randomDiffers(want.random, got.random);
  }
}

/** Describes the values of names. */
interface Words {
  readonly named: (name: string) => string;
  readonly left: (name: string, value: Value) => string;
  readonly untouched: (name: string) => string;
}

const isGone = (value: Value): boolean => typeof value === 'object' && value !== null && 'gone' in value;

const left = (name: string, value: Value): string => (isGone(value) ? `removed ${name}` : `left ${name} with ${amount(value)}`);
const instanceWords: Words = {
  named: (name) => (name.startsWith('[') ? 'its object' : `its object's ${name}`),
  left: (name, value) => left(instanceWords.named(name), value),
  untouched: (name) => `left ${instanceWords.named(name)} as it was`,
};
const globalWords: Words = { named: (name) => name, left, untouched: (name) => `left ${name} as it was` };
const fileWords: Words = {
  named: (name) => `the file ${name}`,
  left: (name, value) => (isGone(value) ? `removed the file ${name}` : `wrote ${contents(value)} to the file ${name}`),
  untouched: (name) => `did not write or remove the file ${name}`,
};

function contents(value: Value): string {
  const { text } = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  return typeof text === 'string' ? quoted(text) : show(value);
}

/** A list by its length when it is long, anything else as it is written. */
function amount(value: Value): string {
  const items = itemsOf(value);
  const text = show(value);
  if (items === undefined || text.length <= 60) return text;
  return items === 1 ? '1 item' : `${items} items`;
}

function itemsOf(value: Value): number | undefined {
  if (Array.isArray(value)) return value.length;
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof value['items'] === 'number') return value['items'];
  const parts = value['dict'] ?? value['set'] ?? value['tuple'] ?? value['items'];
  return Array.isArray(parts) ? parts.length : undefined;
}

/** `known`: names that the original has; undefined when no name is private. */
function namesDiffer(
  want: Readonly<Record<string, Value>> = {},
  got: Readonly<Record<string, Value>> = {},
  rules: EffectRules,
  known: readonly string[] | undefined,
  words: Words,
): Sides | undefined {
  for (const [name, value] of Object.entries(want)) {
    const other = Object.hasOwn(got, name) ? got[name] : undefined;
    if (other === undefined) return { actual: words.untouched(name), expected: words.left(name, value) };
    const found = difference(value, other, rules.tolerance);
    if (found !== undefined) return changed(name, value, other, found, words);
  }
  for (const [name, value] of Object.entries(got)) {
    if (Object.hasOwn(want, name) || (known !== undefined && isHidden(name, known, words === globalWords))) continue;
    const exists = known === undefined || known.includes(name);
    return {
      actual: words.left(name, value),
      expected: exists ? words.untouched(name) : `has no ${words.named(name)}`,
    };
  }
  return undefined;
}

/** A name that no code outside of the candidate can rely on: rules 2 and 3. */
function isHidden(name: string, known: readonly string[], isGlobal: boolean): boolean {
  // A variable of a module, such as `table` or `lib/a.js:seen`: attributes have a dot or a bracket.
  const isVariable = isGlobal && !/[.(]/.test(name.replace(/^[^:]*:/, ''));
  return (isVariable && !known.includes(name)) || isPrivate(name, known);
}

/** One of its parts is private and new: `Class._cache`, `find(_memo)`, `lib/a.js:_seen`, `_new_class.items`. */
export function isPrivate(name: string, known: readonly string[]): boolean {
  const starts = [...name.matchAll(/(?<=^|[.(:])[_#][^.(:)]*\)?/g)];
  return starts.some((part) => !known.includes(name.slice(0, part.index + part[0].length)));
}

function changed(name: string, want: Value, got: Value, { path, expected, actual }: Difference, words: Words): Sides {
  const [mine, theirs] = [words.left(name, want), words.left(name, got)];
  const numbers = [itemsOf(want), itemsOf(got)];
  if (numbers[0] !== undefined && numbers[1] !== undefined && numbers[0] !== numbers[1]) {
    const count = (number: number): string => `left ${words.named(name)} with ${number === 1 ? '1 item' : `${number} items`}`;
    return { actual: count(numbers[1]), expected: count(numbers[0]) };
  }
  if (mine !== theirs) return { actual: theirs, expected: mine };
  const at = `${words.named(name)}${path}`;
  return { actual: `left ${at} with ${actual}`, expected: `left ${at} with ${expected}` };
}

type Printed = Effects['printed'];

function printedDiffers(want: Printed, got: Printed): Sides | undefined {
  const nothing = { out: '', err: '' };
  const [mine, theirs] = [want ?? nothing, got ?? nothing];
  return (
    textDiffers(mine.out, theirs.out, '') ?? textDiffers(withoutPlaces(mine.err), withoutPlaces(theirs.err), ' on standard error')
  );
}

function textDiffers(want: string, got: string, where: string): Sides | undefined {
  if (want === got) return undefined;
  const from = Math.max(0, firstDifference(want, got) - 20);
  const words = (text: string): string =>
    text === '' ? `printed nothing${where}` : `printed ${from === 0 ? '' : '… '}${quoted(text.slice(from))}${where}`;
  return { actual: words(got), expected: words(want) };
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

const quoted = (text: string): string => JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);

/** Warnings and tracebacks name lines of the source, which every rewrite moves. */
export function withoutPlaces(text: string): string {
  return text
    .replace(/^\S[^\n]*?:\d+: (\w*Warning: [^\n]*)(?:\n {2}[^\n]*)?/gm, '$1')
    .replace(/^ {2}File "[^\n]*\n(?: {4}[^\n]*\n)*/gm, '')
    .replace(/^ {4}at [^\n]*\n?/gm, '');
}

function randomDiffers(want: string | undefined, got: string | undefined): Sides | undefined {
  if (want === got) return undefined;
  const words = (state: string | undefined): string => (state === undefined ? 'drew no random numbers' : 'drew random numbers');
  if (want !== undefined && got !== undefined) {
    return { actual: 'drew other random numbers', expected: 'leaves its generator in another state' };
  }
  return { actual: words(got), expected: words(want) };
}
