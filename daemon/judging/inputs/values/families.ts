/** What single uses of a value say of it: a comparison, a default, the fields of a record. Each gives examples of one type. */
import { childOf, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import type { EntrySource, Parameter } from '../source.ts';
import { dictionary, float, itemsOf, kindOf, numberIn, type Pair, pairsOf } from './data.ts';
import { literalOf } from './literals.ts';
import { type Family, familiesByName, ints, words } from './names.ts';
import { lists } from './types.ts';
import { choicesOf, comparedWith, isEquality, lastNameOf } from './uses.ts';

/** A literal, a sum, a length. */
export const isNumber = ({ type, children }: SyntaxNode, text: string): boolean =>
  /^(?:integer|number)$/.test(type) ||
  /^len\(|\.(?:length|size)$/.test(text) ||
  (/^binary_/.test(type) && children.some((one) => !one.named && /^[-*/%]$/.test(one.type)));

/** Whether the loop asks if what has this name is nothing: `parent is None`. */
export const isNullable = (name: string, { start, end }: SyntaxNode, text: string): boolean =>
  /^\w+$/.test(name) &&
  new RegExp(`\\b${name}\\s*(?:is|is not|[!=]==?)\\s*(?:None|null|undefined)\\b`).test(text.slice(start, end));

/** `literal`: the texts that it is compared with; else what the name of the other side says: only what is alike can be equal. */
export function familyOfCompared(node: SyntaxNode, { text, language }: EntrySource, literal: boolean): Family | undefined {
  const { texts, name } = comparedWith(node, text);
  if (literal) return texts.length === 0 ? undefined : [...texts, 'x'];
  const own = node.parent && isEquality(node.parent) ? lastNameOf(node, text) : undefined;
  const named = [name, own].flatMap((one) => familiesByName(one ?? '', language === 'python').slice(0, 1));
  // Where the names say nothing, both sides are assumed to hold the same kind.
  return name === undefined ? undefined : (named[0] ?? ints);
}

/** `keys`: with what a field holds, where its use says so. */
export function recordsOf(keys: ReadonlyMap<string, Family | undefined>, source: EntrySource, depth: number): Family {
  const python = source.language === 'python';
  const fields = [...keys].map(([key, family]) => ({ key, values: among(family ?? familiesByName(key, python)[0] ?? ints) }));
  return Array.from({ length: 4 }, (_, turn) =>
    dictionary(fields.slice(0, 12 - depth).map(({ key, values }, at) => [key, values[(turn + at) % values.length] ?? turn])),
  );
}

/** Those that lists have, so that a field that names an item of another list names one that is there. */
const among = (values: Family): Family => (values === ints || values === words ? values.slice(0, 4) : values);

/** The first has nothing in a field that is asked whether it has, and each of the others names the one before it there. */
function linked(records: readonly Value[], text: string): Value[] {
  const isId = ([key]: Pair): boolean => /^(?:id|key|code|name)$/i.test(String(key));
  return records.map((record, turn) => {
    const [, before = null] = pairsOf(records[turn - 1] ?? null).find(isId) ?? [];
    const isLink = (pair: Pair): boolean => !isId(pair) && pairsOf(record).some(isId) && isMissingAsked(String(pair[0]), text);
    return dictionary(pairsOf(record).map((pair) => (isLink(pair) ? [pair[0], before] : pair)));
  });
}

const isMissingAsked = (key: string, text: string): boolean =>
  /^\w+$/.test(key) &&
  new RegExp(
    `(?:\\[["']${key}["']\\]|\\.${key}|\\.get\\(["']${key}["']\\))\\s*(?:is|is not|[!=]==?)\\s*(?:None|null|undefined)\\b`,
  ).test(text);

/** Records with all the fields that they have in any of them, then lists, then the others: in JavaScript a number has fields too. */
export function inOne(items: readonly Family[], text: string): Family[] {
  const ofKind = (kind: string): Family[] => items.filter(([first = null]) => kindOf(first) === kind);
  const [record, ...more] = ofKind('dict');
  const fields = (turn: number): Pair[] =>
    [...more, record ?? []].flatMap((family) => pairsOf(family[turn % family.length] ?? dictionary([])));
  // A number is what a field holds of which nothing is known.
  const said = (pairs: readonly Pair[]): Pair[] => {
    const known = new Map<Value, Value>();
    for (const [key, value] of pairs) if (known.get(key) === undefined || kindOf(value) !== 'int') known.set(key, value);
    return [...known];
  };
  const records = record?.map((_, turn) => dictionary(said(fields(turn))));
  const isPlain = (family: Family): boolean => family.every((one) => itemsOf(one).every((item) => ints.includes(item)));
  const lists = ofKind('list').toSorted((a, b) => Number(isPlain(a)) - Number(isPlain(b)));
  const others = items.filter(([first = null]) => !/^(?:dict|list)$/.test(kindOf(first)));
  return [...(records === undefined ? [] : [linked(records, text)]), ...lists, ...others];
}

/** What a field holds that is asked whether it is there, or has a default or another field in its place. */
export function familyOfField(field: SyntaxNode, source: EntrySource): Family | undefined {
  const { parent } = field;
  if (parent === undefined) return undefined;
  const python = source.language === 'python';
  const isAsked = /^(?:if_statement|ternary_expression|conditional_expression|parenthesized_expression|not_operator)$/;
  const operator = parent.children.find(({ named, type }) => !named && /^(?:\|\||\?\?|or|!)$/.test(type))?.type;
  if (operator === '!' || (operator === undefined && isAsked.test(parent.type) && field.field !== 'consequence'))
    return [true, false];
  const right = operator === undefined || field.field !== 'left' ? undefined : childOf(parent, 'right');
  const compared = familyOfCompared(field, source, true);
  if (compared !== undefined) return compared;
  if (operator === undefined && familiesByName(lastNameOf(field, source.text) ?? '', python).length === 0) {
    const alike = familyOfCompared(field, source, false);
    if (alike !== undefined) return alike;
  }
  const member = right === undefined ? undefined : (childOf(right, 'property') ?? childOf(right, 'attribute'));
  if (member !== undefined) return familiesByName(source.text.slice(member.start, member.end), python)[0];
  return familyOfDefault(right, source);
}

export function familyOfDefault(node: SyntaxNode | undefined, { text, language }: EntrySource): Family | undefined {
  const value = node === undefined ? undefined : literalOf(node, text, language === 'python');
  return value === undefined || value === null ? undefined : aroundDefault(value, language === 'python');
}

/** What is near a default. */
export function aroundDefault(value: Value, python: boolean): Family {
  switch (kindOf(value)) {
    case 'int':
      return [...new Set([numberIn(value), 1, numberIn(value) + 1, 0, 2])];
    case 'float':
      return [value, 0.5, float(1, python ? 'python' : 'node')];
    case 'str':
      // An empty one says nothing of how long others are.
      return value === '' ? ['', 'a', 'apple pie', 'a b a'] : [value, '', 'a', `${String(value)}x`];
    case 'bool':
      return [value, value !== true];
    case 'list':
      return Array.isArray(value) && value.length > 0 ? [value, []] : lists(ints, 'list');
    default:
      return [value];
  }
}

/** Its default, texts that the body compares it with, and what is near its default. An empty list says nothing of its items. */
export function defaults(parameter: Parameter, source: EntrySource): Family {
  const { fallback: given = null } = parameter;
  const isEmpty = given === null || (Array.isArray(given) && given.length === 0);
  const near = isEmpty ? [] : aroundDefault(given, source.language === 'python');
  return [...near.slice(0, 1), ...choicesOf(parameter, source), ...near.slice(1)];
}

/** The items of the lists among examples, where anything is known of them. */
export const listsIn = (families: readonly Family[]): Family[] =>
  families
    .flatMap((family) => family.filter((one) => Array.isArray(one) && one.length > 0).slice(0, 1) as Family[])
    .filter((items) => items.some((one) => !ints.includes(one)));

/** Whether the likeliest are texts, or lists of them. */
export function areTexts([[first = null] = []]: readonly Family[]): boolean {
  return kindOf((Array.isArray(first) ? first[0] : first) ?? null) === 'str';
}
