/**
 * Likely values of a parameter when no call is known: by its annotation, its default, its documentation, what the body
 * does with it, and its name. Each family is a list of examples of one type; the original decides which it accepts.
 */
import { childOf, descendants, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import type { EntrySource, Parameter } from '../source.ts';
import { dictionary, float, kindOf, numberIn, type Pair, pairsOf } from './data.ts';
import { literalOf } from './literals.ts';
import { fitsType } from './type-fit.ts';
import { dictionaries, documentedType, examplesOfType, lists, parseType, typeNames } from './types.ts';
import { argumentsOf, comparedWith, isEquality, itemsPassedOn, keptAs, keyIn, lastNameOf } from './uses.ts';

/** Examples of one type. */
export type Family = readonly Value[];

const ints: Family = [3, 1, 2, 5, 0, 8];
const words: Family = ['apple', 'b', 'kiwi', 'Apple', 'fig'];
const sentences: Family = ['the quick brown fox jumps over the lazy dog the end', 'a b a', 'Hello, World! hello', 'x', ''];
const dates: Family = ['2024-03-01', '2024-02-28', '2023-12-31', '2024-03-04'];
const graph: Value = dictionary([
  ['a', ['b', 'c']],
  ['b', ['d']],
  ['c', ['d']],
  ['d', []],
]);

/** The most likely first. */
export function familiesOf(parameter: Parameter, source: EntrySource): Family[] {
  const python = source.language === 'python';
  const found: Family[] = [];
  const names = typeNames(source);
  const types = [parameter.type, documentedType(parameter.name, source.doc)].filter((type) => type !== undefined);
  for (const type of types) found.push(examplesOfType(type, python, names));
  found.push(fieldExamples(parameter, source));
  const fallback =
    parameter.fallback === undefined || parameter.fallback === null ? [] : aroundDefault(parameter.fallback, python);
  if (types.length === 0) found.push(fallback);
  found.push(...familiesInBody(parameter, source));
  found.push(...familiesByName(parameter.name, python));
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
  const fitting = found.map((family) => family.filter((value) => type === undefined || fitsType(value, type, python, names)));
  const distinct = new Map(fitting.filter(({ length }) => length > 0).map((family) => [JSON.stringify(family), family]));
  return [...distinct.values()];
}

/** By what the function does with the parameter alone: none where that says nothing. */
export function familiesInBody({ name }: Parameter, source: EntrySource): Family[] {
  const body = childOf(source.node, 'body');
  return body === undefined ? [] : familiesByUse(name, body, source, 0);
}

/** By its annotation, or by the pattern that takes it apart. */
export function typedExamples(parameter: Parameter, source: EntrySource): Family {
  const { type } = parameter;
  if (type === undefined) return fieldExamples(parameter, source);
  return examplesOfType(type, source.language === 'python', typeNames(source));
}

/** Objects with all the fields of its pattern, with none of those that may be left out, and with some. */
function fieldExamples({ fields = [] }: Parameter, source: EntrySource): Family {
  if (fields.length === 0) return [];
  const known = fields.map((field) => ({ ...field, values: familiesOf(field, source)[0] ?? ints }));
  return [0, 1, 2, 3, 4].map((turn) =>
    dictionary(
      known
        .filter(({ optional }, at) => !optional || turn === 0 || (turn > 1 && (turn + at) % 2 === 0))
        // A default comes first, and shows the least.
        .map(({ name, values }) => [name, values[(turn + 1) % values.length] ?? null]),
    ),
  );
}

function aroundDefault(value: Value, python: boolean): Family {
  switch (kindOf(value)) {
    case 'int':
      return [...new Set([numberIn(value), 1, numberIn(value) + 1, 0, 2])];
    case 'float':
      return [value, 0.5, float(1, python ? 'python' : 'node')];
    case 'str':
      return [value, '', 'a', `${String(value)}x`];
    case 'bool':
      return [value, value !== true];
    case 'list':
      return Array.isArray(value) && value.length > 0 ? [value, []] : lists(ints, 'list');
    default:
      return [value];
  }
}

const textMethods =
  /^(?:split|lower|upper|strip|lstrip|rstrip|startswith|endswith|splitlines|isdigit|isalpha|title|casefold|toLowerCase|toUpperCase|trim|charAt|charCodeAt|codePointAt|startsWith|endsWith|replace|replaceAll|match|matchAll|isalnum|encode|partition|substring)$/;
const dictMethods = /^(?:items|keys|values|get|setdefault)$/;
const listMethods =
  /^(?:append|sort|extend|pop|insert|remove|reverse|copy|push|map|filter|reduce|forEach|some|every|find|findIndex|flatMap|toSorted|shift|unshift|splice|at|join|flat)$/;

/** A name, or what stands for an item or a field. */
const named = /^(?:identifier|subscript|attribute|member_expression|call$)/;
const [MOST_DEEP, MOST_PLACES] = [3, 4];

/** What the body does with a name says what it holds. */
function familiesByUse(name: string, body: SyntaxNode, source: EntrySource, depth: number): Family[] {
  const { text } = source;
  const python = source.language === 'python';
  const votes = new Set<string>();
  const keys = new Map<string, Family | undefined>();
  const families: Family[] = [];
  const items: Family[] = [];
  const passed: Family[] = [];
  const compared: Family[] = [];
  let alike: Family | undefined;
  /** With what holds the same items, such as a sorted copy. */
  const names = new Set([name]);
  /** What is one of its items: `rows[at]`, `const row = rows.find(…)`. */
  const single = new Set<string>();
  /** Literal places of a short list: `pair[0]`, `pair[1]`. */
  const places: number[] = [];
  /** What a text is asked to begin with. */
  const begins: string[] = [];
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const fieldOf = (field: SyntaxNode): Family | undefined =>
    familyOfField(field, source) ?? (depth < MOST_DEEP ? familiesByUse(of(field), body, source, depth + 1)[0] : undefined);
  /** What is done with it says more than an empty default does. */
  const familyOfGet = (method: SyntaxNode, fallback: SyntaxNode | undefined): Family | undefined => {
    const used = method.parent && depth < MOST_DEEP ? familiesByUse(of(method.parent), body, source, depth + 1)[0] : undefined;
    return used ?? familyOfDefault(fallback, source);
  };
  for (const node of descendants(body)) {
    if (!named.test(node.type) || !names.has(of(node)) || node.parent === undefined) continue;
    const { parent } = node;
    const { callbacks, copy, item } = itemsPassedOn(node, text);
    if (copy !== undefined) names.add(copy);
    if (item !== undefined) single.add(item);
    for (const { parameter, inside } of depth < MOST_DEEP ? callbacks : []) {
      votes.add('list');
      items.push(...familiesByUse(parameter, inside, source, depth + 1));
    }
    if ((parent.type === 'attribute' || parent.type === 'member_expression') && node.field === 'object') {
      const member = of(childOf(parent, 'attribute') ?? childOf(parent, 'property'));
      const called = parent.field === 'function' && /call/.test(parent.parent?.type ?? '');
      if (called && textMethods.test(member)) {
        votes.add('text');
        const [part] = /^(?:startswith|startsWith)$/.test(member) ? argumentsOf(parent.parent) : [];
        if (part?.type === 'string') begins.push(of(part).slice(1, -1));
      } else if (python && dictMethods.test(member)) {
        const given = /^(?:get|setdefault)$/.test(member) ? argumentsOf(parent.parent) : [];
        if (given[0]?.type === 'string') keys.set(of(given[0]).slice(1, -1), familyOfGet(parent, given[1]));
        votes.add('dict');
      } else if (called && listMethods.test(member)) votes.add('list');
      else if (!python && !called && member !== 'length' && member !== 'size')
        keys.set(member, keys.get(member) ?? fieldOf(parent));
    } else if (/^subscript/.test(parent.type) && (node.field === 'value' || node.field === 'object')) {
      const at = childOf(parent, 'subscript') ?? childOf(parent, 'index');
      const key = keyIn(at, source);
      if (key !== undefined) keys.set(key, keys.get(key) ?? fieldOf(parent));
      else {
        votes.add('list');
        if (/^(?:integer|number)$/.test(at?.type ?? '')) places.push(Number(of(at)));
        else single.add(of(parent));
      }
    } else if (
      (parent.type === 'for_statement' || parent.type === 'for_in_statement' || parent.type === 'for_in_clause') &&
      node.field === 'right'
    ) {
      votes.add('list');
      const left = childOf(parent, 'left');
      const scope = parent.type === 'for_in_clause' ? (parent.parent ?? body) : parent;
      const kept = keptAs(scope, of(left), text);
      if (kept !== undefined) (kept.isItem ? single : names).add(kept.name);
      const parts = left === undefined ? [] : /pattern/.test(left.type) ? left.children.filter(({ named }) => named) : [left];
      if (depth < MOST_DEEP && parts.length === 1) items.push(...familiesByUse(of(parts[0]), scope, source, depth + 1));
      else if (depth < MOST_DEEP && parts.length > 1) {
        const places = parts.map((one) => familiesByUse(of(one), scope, source, depth + 1)[0] ?? ints);
        items.push([0, 1, 2, 3].map((turn) => places.map((values) => values[turn % values.length] ?? null)));
      }
    } else if (parent.type === 'argument_list' || parent.type === 'arguments') {
      const called = of(childOf(parent.parent ?? parent, 'function'));
      if (/^re\.\w+$/.test(called)) votes.add('text');
      else if (/\bfromisoformat$/.test(called)) families.push(dates);
      else if (/^(?:range|chr|Math\.\w+|abs|round|int|float)$/.test(called)) votes.add('int');
      else if (/^(?:sum|min|max|sorted|len|enumerate|list|set|reversed)$/.test(called)) {
        votes.add('list');
        const around = parent.parent?.field === 'right' ? parent.parent.parent : undefined;
        const left = around && /^for_/.test(around.type) ? childOf(around, 'left') : undefined;
        const item = called === 'enumerate' ? left?.children.filter(({ named }) => named)[1] : left;
        if (item?.type === 'identifier' && /^(?:sorted|enumerate|list|reversed)$/.test(called)) single.add(of(item));
      } else if (depth < MOST_DEEP) passed.push(...familiesOfArgument(called, parent, node, source, depth + 1));
    } else if (familyOfCompared(node, source, true) !== undefined) {
      compared.push(familyOfCompared(node, source, true) ?? []);
    } else if (/^(?:binary_operator|binary_expression|augmented_assignment|unary)/.test(parent.type) && !isEquality(parent))
      votes.add('int');
    else if (isEquality(parent, /^[=!<>]/) && parent.children.some(({ type }) => /^(?:integer|number)$/.test(type)))
      votes.add('int');
    else alike = familyOfCompared(node, source, false) ?? alike;
  }
  for (const one of depth < MOST_DEEP ? single : []) items.push(...familiesByUse(one, body, source, depth + 1));
  if (compared.length > 0) families.push([...new Set(compared.flat())]);
  const signs = signsAmong(items);
  if (signs.length > 0) families.push(textsOfSigns(signs));
  if (keys.size > 0) families.push(recordsOf(keys, source, depth));
  const begun = begins.flatMap((begin) => [`${begin}1`, `${begin}1-2, 3`, begin]);
  if (votes.has('text')) families.push([...begun, ...(depth === 0 ? sentences : words)]);
  if (votes.has('dict')) families.push(dictionaries(words, ints, false));
  const size = Math.max(0, ...places) + 1;
  if (places.length > 0 && size <= MOST_PLACES && items.length === 0)
    families.push([0, 1, 2, 3].map((turn) => Array.from({ length: size }, (_, at) => ints[(turn + at) % ints.length] ?? 0)));
  if (votes.has('list') && !votes.has('text'))
    for (const item of items.length > 0 ? inOne(items) : [ints]) families.push(lists(item, 'list'));
  families.push(...passed);
  if (votes.has('int')) families.push(ints);
  if (families.length === 0 && alike !== undefined) families.push(alike);
  return families;
}

/** Single characters, where its items are compared with nothing else: then it is most likely a text. */
function signsAmong(items: readonly Family[]): string[] {
  // What is only added says nothing: numbers are, and texts too.
  const compared = items.filter((family) => family !== ints).flat();
  const texts = compared.filter((item) => typeof item === 'string');
  const signs = texts.map((text) => text.replace(/^\\(.)$/, (_, letter: string) => escapes[letter] ?? letter));
  const isText = texts.length === compared.length && signs.every(({ length }) => length === 1);
  return isText ? [...new Set(signs)].filter((sign) => /[^\p{L}\p{N}]/u.test(sign)) : [];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Words between, before and after these signs. */
function textsOfSigns(signs: readonly string[]): Family {
  const pairs = signs.slice(1).map((sign, at) => `x ${signs[at]}a${sign}b`);
  const [first = ''] = signs;
  return [...pairs, signs.map((sign) => `a${sign}`).join(''), signs.join(''), `${first}b${first}`, 'a b', ''];
}

/** What a function of the same file, that it is passed on to, does with it. */
function familiesOfArgument(
  called: string,
  list: SyntaxNode,
  argument: SyntaxNode,
  source: EntrySource,
  depth: number,
): Family[] {
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : source.text.slice(node.start, node.end));
  const named = (node: SyntaxNode): boolean => of(childOf(node, 'name')) === called;
  // Not in all of a file, which may be long: inside of the function, and at the top.
  const top = source.root.children.flatMap(({ children }) => [...children, ...children.flatMap((each) => each.children)]);
  const definition = [...descendants(source.node).slice(1), ...source.root.children, ...top].find(named);
  const made = definition === undefined ? undefined : (childOf(definition, 'value') ?? definition);
  const body = made && childOf(made, 'body');
  if (made === undefined || body === undefined) return [];
  const place = list.children.filter((each) => each.named).findIndex(({ start }) => start === argument.start);
  const one = childOf(made, 'parameter') ?? childOf(made, 'parameters')?.children.filter((each) => each.named)[place];
  const bare = one && (childOf(one, 'pattern') ?? childOf(one, 'name') ?? childOf(one, 'left') ?? one);
  return bare === undefined ? [] : familiesByUse(of(bare), body, source, depth);
}

/** `literal`: the texts that it is compared with; else what the name of the other side says: only what is alike can be equal. */
function familyOfCompared(node: SyntaxNode, { text, language }: EntrySource, literal: boolean): Family | undefined {
  const { texts, name } = comparedWith(node, text);
  if (literal) return texts.length === 0 ? undefined : [...texts, 'x'];
  const own = node.parent && isEquality(node.parent) ? lastNameOf(node, text) : undefined;
  const named = [name, own].flatMap((one) => familiesByName(one ?? '', language === 'python').slice(0, 1));
  // Where the names say nothing, both sides hold the same kind.
  return name === undefined ? undefined : (named[0] ?? ints);
}

/** `keys`: with what a field holds, where its use says so. */
function recordsOf(keys: ReadonlyMap<string, Family | undefined>, source: EntrySource, depth: number): Family {
  const python = source.language === 'python';
  const fields = [...keys].map(([key, family]) => ({ key, values: family ?? familiesByName(key, python)[0] ?? ints }));
  return Array.from({ length: 4 }, (_, turn) =>
    dictionary(fields.slice(0, 12 - depth).map(({ key, values }, at) => [key, values[(turn + at) % values.length] ?? turn])),
  );
}

/** Records with all the fields that they have in any of them, then lists, then the others: in JavaScript a number has fields too. */
function inOne(items: readonly Family[]): Family[] {
  const ofKind = (kind: string): Family[] => items.filter(([first = null]) => kindOf(first) === kind);
  const [record, ...more] = ofKind('dict');
  const fields = (turn: number): Pair[] =>
    [...more, record ?? []].flatMap((family) => pairsOf(family[turn % family.length] ?? dictionary([])));
  const records = record?.map((_, turn) => dictionary([...new Map(fields(turn))]));
  const others = items.filter(([first = null]) => !/^(?:dict|list)$/.test(kindOf(first)));
  return [...(records === undefined ? [] : [records]), ...ofKind('list'), ...others];
}

/** What a field holds that is asked whether it is there, or has a default or another field in its place. */
function familyOfField(field: SyntaxNode, source: EntrySource): Family | undefined {
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

function familyOfDefault(node: SyntaxNode | undefined, { text, language }: EntrySource): Family | undefined {
  const value = node === undefined ? undefined : literalOf(node, text, language === 'python');
  return value === undefined || value === null ? undefined : aroundDefault(value, language === 'python');
}

const plural = /s$|list$|array$|arr$/i;

/** What a parameter of that name usually is. */
export function familiesByName(name: string, python: boolean): Family[] {
  const is = (pattern: RegExp): boolean => pattern.test(name);
  if (is(/^(?:graph|adj|adjacency|edges_by|neighbou?rs|tree|deps|dependencies)$/i)) {
    return [
      [graph, dictionary([]), dictionary([['a', []]])],
      lists(
        [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
        'list',
      ),
    ];
  }
  if (is(/matrix|grid|board|table|rows/i)) {
    return [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        [[1]],
        [
          [0, 1],
          [1, 0],
          [1, 1],
        ],
        [],
      ],
    ];
  }
  if (is(/^(?:words|names|tokens|lines|strings|strs|tags|keys|labels)$/i)) return [lists(words, 'list')];
  if (
    is(
      /text|sentence|string|^str$|^s\d?$|line$|word$|name$|phrase|message|content|body|html|markdown|query|path|url|label|title|title|key$|pattern|prefix|suffix|char|category|type$|kind$|status/i,
    ) &&
    !is(/names$|lines$/)
  ) {
    return [/text|sentence|^s$|string|content|message|body|phrase/i.test(name) ? sentences : words];
  }
  if (
    is(
      /^(?:n|k|m|i|j|x|y|a|b|c)$|count|limit|size|length|num$|number$|index|depth|width|height|amount|total|max|min|start|stop|end$|step|year|month|day|age|qty|quantity|target|threshold|level|base|window|capacity/i,
    ) &&
    !is(/counts$|numbers$|amounts$/)
  ) {
    return [[3, 5, 1, 0, 7, 10]];
  }
  if (is(/price|rate|weight|ratio|cost|factor|score$|prob/i) && !is(plural))
    return [[1.5, 0.25, 10.75, float(2, python ? 'python' : 'node')], ints];
  if (is(/^(?:flag|is[A-Z_]\w*|has[A-Z_]\w*|reverse|strict|ascending|descending|verbose)$/)) return [[false, true]];
  if (is(/^(?:d|dict|mapping|obj|object|record|data|config|options|counts|inventory|scores)$/i)) {
    return [dictionaries(words, ints, false), lists(ints, 'list')];
  }
  if (is(/intervals|pairs|edges|points|ranges/i))
    return [
      lists(
        [
          [1, 3],
          [2, 6],
          [8, 10],
          [1, 3],
        ],
        'list',
      ),
    ];
  if (is(plural) || is(/^(?:items|values|numbers|nums|array|arr|list|lst|xs|seq|sequence)$/i))
    return [lists(ints, 'list'), lists(words, 'list')];
  return [];
}
