/**
 * Likely values of a parameter when no call is known: by its annotation, its default, its documentation, what the body
 * does with it, and its name. Each family is a list of examples of one type; the original decides which it accepts.
 */
import { childOf, descendants, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { Value } from '../function/values.ts';
import type { EntrySource, Parameter } from './source.ts';
import { familiesByUse, familiesInBody, fieldExamples } from './values/by-use.ts';
import { dictionary, float, kindOf, type Pair } from './values/data.ts';
import { areTexts, defaults } from './values/families.ts';
import { type Family, familiesByName, graph, ints, sentences, words } from './values/names.ts';
import { fitsType, shapedAs } from './values/type-fit.ts';
import { dictionaries, documentedType, examplesOfType, lists, parseType, typeNames } from './values/types.ts';
import { argumentsOf, isSize, keyIn } from './values/uses.ts';

const loose = /\b(?:dict|list|tuple|Any|object|Mapping|Sequence|any|unknown)\b(?!\s*\[)/;
const formatted = /"(?:\d{4}-\d\d-\d\d|\d\d?:\d\d)/;

/** The most likely first. */
export function familiesOf(parameter: Parameter, source: EntrySource): Family[] {
  const python = source.language === 'python';
  const found: Family[] = [];
  const names = typeNames(source);
  const types = [parameter.type, documentedType(parameter.name, source.doc)].filter((type) => type !== undefined);
  const used = familiesInBody(parameter, source);
  for (const type of types) {
    const node = parseType(type, python);
    const known = python ? used.map((family) => family.map((value) => shapedAs(value, node))) : used;
    // A type without its fields, or a text of a format, says less than what is done with it.
    const preferred = known.filter(
      (family) =>
        (loose.test(type) || formatted.test(JSON.stringify(family))) && family.every((one) => fitsType(one, node, names)),
    );
    found.push(...preferred, examplesOfType(type, python, names));
  }
  found.push(fieldExamples(parameter, source));
  if (types.length === 0) found.push(defaults(parameter, source));
  found.push(
    ...used,
    ...(types.length === 0 && python ? [lists(recordsRead(source), 'list'), recordsRead(source)] : []),
    ...(types.length === 0 ? [lists(fieldsNamed(source), 'list')] : []),
  );
  found.push(...familiesByName(parameter.name, python));
  // Where nothing is said of it, it is most likely what others are.
  if (found.flat().length === 0 && source.parameters.some((other) => other !== parameter && holdsTexts(other, source)))
    found.push(words);
  if (types.length === 0 || found.flat().length === 0) {
    found.push(lists(ints, 'list'), sentences, ints, lists(words, 'list'));
    found.push([graph, dictionary([]), dictionary([['a', []]])]);
    found.push(lists(lists(ints, 'list').slice(0, 3), 'list'), dictionaries(words, ints, false), [
      1.5,
      0.25,
      float(2, python ? 'python' : 'node'),
    ]);
  }
  const type = parameter.type === undefined ? undefined : parseType(parameter.type, python);
  const whole = isSize(parameter, source);
  const fits = (value: Value): boolean =>
    !(whole && kindOf(value) === 'float') && (type === undefined || fitsType(value, type, names));
  const fitting = found.map((family) => family.filter(fits));
  const distinct = new Map(fitting.filter(({ length }) => length > 0).map((family) => [JSON.stringify(family), family]));
  return [...distinct.values()];
}

function holdsTexts(parameter: Parameter, source: EntrySource): boolean {
  return areTexts([...familiesInBody(parameter, source), ...familiesByName(parameter.name, source.language === 'python')]);
}

const inner = /^(?:children|nodes|items|entries|replies|subs?\w*|kids|next|left|right|parts|members)$/i;

/** Names of the fields that the function reads of anything, each with what is done with it; nothing where that says nothing. */
export function fieldsRead(source: EntrySource): ReadonlyMap<string, Family> {
  const body = childOf(source.node, 'body');
  const fields = new Map<string, Family>();
  if (body === undefined) return fields;
  const python = source.language === 'python';
  for (const node of descendants(body)) {
    const key = python ? keyRead(node, source) : memberRead(node, source);
    if (key === undefined || (fields.get(key) ?? []).length > 0) continue;
    const written = source.text.slice(node.start, node.end);
    fields.set(key, familiesByUse(written, body, source, 1)[0] ?? familiesByName(key, python)[0] ?? []);
  }
  return fields;
}

/** `row["name"]`, `row.get("name")`. */
function keyRead(node: SyntaxNode, source: EntrySource): string | undefined {
  const called = node.type === 'call' ? childOf(node, 'function') : undefined;
  const isGet = called !== undefined && /\.get$/.test(source.text.slice(called.start, called.end));
  return keyIn(node.type === 'subscript' ? childOf(node, 'subscript') : isGet ? argumentsOf(node)[0] : undefined, source);
}

/** `row.name`, in JavaScript: neither a method nor a member of what the language has. */
function memberRead(node: SyntaxNode, { text }: EntrySource): string | undefined {
  const property = node.type === 'member_expression' && node.field !== 'function' ? childOf(node, 'property') : undefined;
  const name = property && text.slice(property.start, property.end);
  return name === undefined || /^(?:length|size|[A-Z].*)$/.test(name) || /^[A-Z]/.test(text.slice(node.start)) ? undefined : name;
}

/** Records with all the fields that the function reads of anything; in some, records like it. */
export function recordsRead(source: EntrySource): Family {
  const fields = fieldsRead(source);
  const plain = [...fields].filter(([key]) => !inner.test(key));
  const record = (turn: number): Pair[] =>
    plain.map(([key, values]) => [
      key,
      (values.length > 0 ? values : words)[turn % Math.max(1, values.length)] ?? words[turn] ?? null,
    ]);
  const below = [...fields.keys()].filter((key) => inner.test(key));
  const leaf = (turn: number): Value => dictionary(record(turn));
  const tree = (turn: number, parts: readonly Value[]): Value =>
    dictionary([...record(turn), ...below.map((key): Pair => [key, [...parts]])]);
  if (plain.length === 0) return [];
  return below.length === 0
    ? [0, 1, 2, 3].map(leaf)
    : [tree(0, [leaf(1), tree(2, [leaf(3)])]), leaf(1), tree(2, []), tree(3, [tree(0, [leaf(1), leaf(0)]), leaf(2)])];
}

/** Records with the fields that defaults name: `key = 'id'`. */
function fieldsNamed({ parameters }: EntrySource): Family {
  const named = parameters.flatMap(({ name, fallback }) =>
    typeof fallback === 'string' && /^\p{L}\w*$/u.test(fallback) && /key|field|^by$|prop|attr|column|path/i.test(name)
      ? [fallback]
      : [],
  );
  if (named.length === 0) return [];
  return [1, 'a', 'A', 2, 'b'].map((value, turn) => dictionary([...named.map((key): Pair => [key, value]), ['n', turn]]));
}

/** Guesses from its annotation, or from the pattern that takes it apart. */
export function typedExamples(parameter: Parameter, source: EntrySource): Family {
  const { type } = parameter;
  if (type === undefined) return fieldExamples(parameter, source);
  return examplesOfType(type, source.language === 'python', typeNames(source));
}
