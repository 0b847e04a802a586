/**
 * Likely values of a parameter when no call is known: by its annotation, its default, its documentation, what the body
 * does with it, and its name. Each family is a list of examples of one type; the original decides which it accepts.
 */
import { childOf, descendants, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import { type EntrySource, fieldsOf, type Parameter } from '../source.ts';
import { dictionary, float, kindOf, type Pair } from './data.ts';
import {
  aroundDefault,
  familyOfCompared,
  familyOfDefault,
  familyOfField,
  inOne,
  isNullable,
  isNumber,
  recordsOf,
} from './families.ts';
import { moments } from './moments.ts';
import { type Family, familiesByName, graph, ints, sentences, words } from './names.ts';
import { patternAsked, samplesOf, signsAmong, textsOfSigns } from './patterns.ts';
import { fitsType } from './type-fit.ts';
import { dictionaries, documentedType, examplesOfType, lists, parseType, typeNames } from './types.ts';
import {
  argumentsOf,
  choicesOf,
  emptyOr,
  isEquality,
  isJoined,
  isLookedThrough,
  isSize,
  itemsPassedOn,
  keptAs,
  keyIn,
  loopOver,
  textsNamed,
} from './uses.ts';

const dates: Family = ['2024-03-01', '2024-02-28', '2023-12-31', '2024-03-04'];
/** The most likely first. */
export function familiesOf(parameter: Parameter, source: EntrySource): Family[] {
  const python = source.language === 'python';
  const found: Family[] = [];
  const names = typeNames(source);
  const types = [parameter.type, documentedType(parameter.name, source.doc)].filter((type) => type !== undefined);
  for (const type of types) found.push(examplesOfType(type, python, names));
  found.push(fieldExamples(parameter, source));
  // An empty list says less than what is done with it.
  const { fallback: given = null } = parameter;
  const fallback = given === null || (Array.isArray(given) && given.length === 0) ? [] : aroundDefault(given, python);
  if (types.length === 0) found.push([...fallback.slice(0, 1), ...choicesOf(parameter, source), ...fallback.slice(1)]);
  found.push(
    ...familiesInBody(parameter, source),
    ...(types.length === 0 ? [lists(fieldsRead(source), 'list'), fieldsRead(source), lists(fieldsNamed(source), 'list')] : []),
  );
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
  const whole = isSize(parameter, source);
  const fits = (value: Value): boolean =>
    !(whole && kindOf(value) === 'float') && (type === undefined || fitsType(value, type, names));
  const fitting = found.map((family) => family.filter(fits));
  const distinct = new Map(fitting.filter(({ length }) => length > 0).map((family) => [JSON.stringify(family), family]));
  return [...distinct.values()];
}

/** Guesses from what the function does with the parameter alone; returns none where that says nothing. */
export function familiesInBody(parameter: Parameter, source: EntrySource): Family[] {
  const { maker, init = [] } = source;
  const isMade = maker !== undefined && init.includes(parameter);
  const body = childOf(isMade ? maker.node : source.node, 'body');
  if (body === undefined) return [];
  const own = familiesByUse(parameter.name, body, source, 0);
  const kept = isMade ? keptIn(body, parameter.name, source.text) : undefined;
  return kept === undefined || maker === undefined ? own : [...own, ...familiesByUse(kept, maker.owner, source, 0)];
}

/** The attribute in which a constructor keeps its parameter: `self.size` of `self.size = size`. */
function keptIn(body: SyntaxNode, name: string, text: string): string | undefined {
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const kept = descendants(body).find((node) => /^assignment/.test(node.type) && of(childOf(node, 'right')) === name);
  return kept === undefined ? undefined : of(childOf(kept, 'left'));
}

const inner = /^(?:children|nodes|items|entries|replies|subs?\w*|kids|next|left|right|parts|members)$/i;

/** A record with all the fields that the function reads of anything, each with what is done with it; in some, records like it. */
function fieldsRead(source: EntrySource): Family {
  const body = childOf(source.node, 'body');
  if (body === undefined || source.language !== 'python') return [];
  const of = ({ start, end }: SyntaxNode): string => source.text.slice(start, end);
  const fields = new Map<string, Family>();
  for (const node of descendants(body)) {
    const [first] = node.type === 'call' && /\.get$/.test(of(childOf(node, 'function') ?? node)) ? argumentsOf(node) : [];
    const key = keyIn(node.type === 'subscript' ? childOf(node, 'subscript') : first, source);
    if (key === undefined || (fields.get(key) ?? []).length > 0) continue;
    fields.set(key, familiesByUse(of(node), body, source, 1)[0] ?? familiesByName(key, true)[0] ?? []);
  }
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

const MOST_TURNS = 9;

/** Objects with all the fields of its pattern, with none of those that may be left out, and with some. */
function fieldExamples({ fields = [] }: Pick<Parameter, 'fields'>, source: EntrySource): Family {
  if (fields.length === 0) return [];
  // A default that is not a literal is most likely a function.
  const plain = fields.filter(({ optional, fallback }) => !optional || fallback !== undefined);
  const valuesOf = (field: Parameter): Family | undefined =>
    field.fields !== undefined || field.fallback !== undefined
      ? familiesOf(field, source)[0]
      : (familiesInBody(field, source)[0] ?? familiesByName(field.name, false)[0]);
  const known = plain.map((field) => ({ ...field, values: valuesOf(field) ?? ints }));
  const turns = Math.min(MOST_TURNS, Math.max(5, ...known.map(({ values }) => values.length)));
  return Array.from({ length: turns }, (_, turn) =>
    dictionary(
      known
        .filter(({ optional }, at) => !optional || turn === 0 || turn > 4 || (turn > 1 && (turn + at) % 2 === 0))
        // A default is the first example, although it says least about the type.
        .map(({ name, values }) => [name, values[(turn === 0 ? 1 : turn) % values.length] ?? null]),
    ),
  );
}

const textMethods =
  /^(?:split|lower|upper|strip|lstrip|rstrip|startswith|endswith|splitlines|isdigit|isalpha|title|casefold|toLowerCase|toUpperCase|trim|charAt|charCodeAt|codePointAt|startsWith|endsWith|replace|replaceAll|match|matchAll|isalnum|encode|partition|substring)$/;
const asksForDigits = /\.is(?:digit|numeric|decimal)\(\)|\\d|isDigit|['"]0['"]/;
const dictMethods = /^(?:items|keys|values|get|setdefault)$/;
const listMethods =
  /^(?:append|sort|extend|pop|insert|remove|reverse|copy|push|map|filter|reduce|forEach|some|every|find|findIndex|flatMap|toSorted|shift|unshift|splice|at|join|flat)$/;

/** What only dates have. */
const dateMembers = /^(?:getTime|get(?:UTC)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds)|toISOString|getTimezoneOffset)$/;
const dayMembers = /^(?:isoformat|weekday|isoweekday|isocalendar|toordinal|strftime)$/;
const hourMembers = /^(?:hour|minute|second|microsecond|timestamp)$/;

/** Methods that are given a key or an item. */
const keyed = /\.(?:get|has|set|delete|setdefault|add|includes|indexOf|index|count|discard)$/;

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
  const fieldOf = (field: SyntaxNode): Family | undefined => {
    const known = familyOfField(field, source);
    const used = depth < MOST_DEEP ? familiesByUse(of(field), body, source, depth + 1)[0] : undefined;
    // An empty list says nothing of its items.
    const isList = kindOf(known?.[0] ?? null) === 'list' && kindOf(used?.[0] ?? null) === 'list';
    return isList ? used : (known ?? used);
  };
  /** The use of the parameter says more than an empty default. */
  const familyOfGet = (method: SyntaxNode, fallback: SyntaxNode | undefined): Family | undefined => {
    const used = method.parent && depth < MOST_DEEP ? familiesByUse(of(method.parent), body, source, depth + 1)[0] : undefined;
    return used ?? familyOfDefault(fallback, source);
  };
  const scopeOf = (loop: SyntaxNode): SyntaxNode => (loop.type === 'for_in_clause' ? (loop.parent ?? body) : loop);
  /** What a loop does with each of the items says what they are. */
  const looped = (left: SyntaxNode | undefined, loop: SyntaxNode, into = items): void => {
    if (left?.type === 'object_pattern') into.push(fieldExamples({ fields: fieldsOf(left, text) }, source));
    if (left === undefined || left.type === 'object_pattern' || depth >= MOST_DEEP) return;
    const parts = /pattern/.test(left.type) ? left.children.filter((one) => one.named) : [left];
    const families = parts.map((one) => familiesByUse(of(one), scopeOf(loop), source, depth + 1));
    if (parts.length === 1) into.push(...families.flat());
    else {
      const row = (turn: number): Value[] => families.map(([values = ints], at) => values[(turn + at) % values.length] ?? null);
      // The first has nothing where that is asked for, and each of the others names the one before it.
      const chained = (turn: number): Value[] =>
        families.map(([values = ints], at) =>
          at > 0 && isNullable(of(parts[at]), scopeOf(loop), text)
            ? turn === 0
              ? null
              : (values[turn - 1] ?? null)
            : (values[turn % values.length] ?? null),
        );
      const isChained = parts.some((one, at) => at > 0 && isNullable(of(one), scopeOf(loop), text));
      into.push([0, 1, 2, 3].map(isChained ? chained : row));
    }
  };
  /** `name, age = rows[at]` says what one of the items is, `const { at, size } = box` what it is itself. */
  const unpacked = (value: SyntaxNode | undefined, into = items): void => {
    const declared = value?.field === 'right' || value?.field === 'value' ? value.parent : undefined;
    const left = declared && (childOf(declared, 'left') ?? childOf(declared, 'name'));
    if (left !== undefined && /pattern/.test(left.type) && /^(?:assignment|variable_declarator)/.test(declared?.type ?? ''))
      looped(left, body, into);
  };
  /** Texts that a regular expression looks for. */
  const asked = (called: string, list: SyntaxNode): boolean => {
    const pattern = patternAsked(called, list, text);
    if (pattern === undefined) return false;
    families.push(...(/\\d\{4\}.*\\d.*\\d/.test(pattern) ? [dates] : []), samplesOf(pattern));
    return true;
  };
  for (const node of descendants(body)) {
    if (!named.test(node.type) || !names.has(of(node)) || node.parent === undefined) continue;
    const { parent } = node;
    unpacked(node, families);
    const { callbacks, end, placed, copy, item } = itemsPassedOn(node, text);
    const over = loopOver(end, placed, text);
    if (over !== undefined) {
      votes.add('list');
      const kept = keptAs(scopeOf(over.loop), of(over.left), text);
      if (kept !== undefined) (kept.isItem ? single : names).add(kept.name);
      looped(over.left, over.loop);
    }
    if (copy !== undefined) names.add(copy);
    if (item !== undefined) single.add(item);
    for (const { parameter, inside, pattern } of depth < MOST_DEEP ? callbacks : []) {
      votes.add('list');
      if (pattern === undefined) items.push(...familiesByUse(parameter, inside, source, depth + 1));
      else items.push(fieldExamples({ fields: fieldsOf(pattern, text) }, source));
    }
    if ((parent.type === 'attribute' || parent.type === 'member_expression') && node.field === 'object') {
      const member = of(childOf(parent, 'attribute') ?? childOf(parent, 'property'));
      const called = parent.field === 'function' && /call/.test(parent.parent?.type ?? '');
      if (!python && called && dateMembers.test(member)) families.push(moments('Date'));
      else if (python && called && dayMembers.test(member)) families.push(moments('date'), moments('datetime'));
      else if (python && hourMembers.test(member)) families.push(moments('datetime'));
      else if (called && (textMethods.test(member) || (python && member === 'join'))) {
        votes.add('text');
        const outer = /^(?:trim|strip|lower|upper|toLowerCase|toUpperCase)$/.test(member) ? parent.parent?.parent : undefined;
        if (outer !== undefined && /^argument/.test(outer.type)) asked(of(childOf(outer.parent ?? outer, 'function')), outer);
        const [part] = /^(?:startswith|startsWith)$/.test(member) ? argumentsOf(parent.parent) : [];
        if (part?.type === 'string') begins.push(of(part).slice(1, -1));
      } else if (python && dictMethods.test(member)) {
        const given = /^(?:get|setdefault)$/.test(member) ? argumentsOf(parent.parent) : [];
        const key = keyIn(given[0], source);
        if (key !== undefined) keys.set(key, familyOfGet(parent, given[1]));
        votes.add('dict');
      } else if (called && listMethods.test(member)) {
        votes.add('list');
        if (/^(?:pop|shift)$/.test(member)) unpacked(parent.parent);
      } else if (!python && !called && member !== 'length' && member !== 'size')
        keys.set(member, keys.get(member) ?? fieldOf(parent));
    } else if (/^subscript/.test(parent.type) && (node.field === 'value' || node.field === 'object')) {
      const at = childOf(parent, 'subscript') ?? childOf(parent, 'index');
      const key = keyIn(at, source);
      if (key !== undefined) keys.set(key, keys.get(key) ?? fieldOf(parent));
      else if (at?.type === 'slice') votes.add('list');
      else {
        votes.add('list');
        unpacked(parent);
        if (/^(?:integer|number)$/.test(at?.type ?? '')) places.push(Number(of(at)));
        else single.add(of(parent));
      }
    } else if (/^subscript/.test(parent.type)) {
      const holder = childOf(parent, 'value') ?? childOf(parent, 'object');
      const keysOf = holder === undefined ? [] : textsNamed(holder, text).filter(({ type }) => type === 'string');
      if (keysOf.length > 0) compared.push(keysOf.map(({ start, end }) => text.slice(start + 1, end - 1)));
      else votes.add('place');
    } else if (over !== undefined && end === node) continue;
    else if (parent.type === 'argument_list' || parent.type === 'arguments') {
      const called = of(childOf(parent.parent ?? parent, 'function'));
      if (asked(called, parent)) votes.add('text');
      else if (/^re\.\w+$/.test(called)) votes.add('text');
      else if (familyOfCompared(node, source, true) !== undefined) compared.push(familyOfCompared(node, source, true) ?? []);
      else if (/\bfromisoformat$/.test(called)) families.push(dates);
      else if (/^(?:dict|Object\.(?:entries|keys|values|assign))$/.test(called)) votes.add('dict');
      else if (/^(?:range|chr|Math\.\w+|abs|round|int|float)$/.test(called)) votes.add('int');
      else if (keyed.test(called)) votes.add('key');
      else if (
        /^(?:min|max)$/.test(called) &&
        argumentsOf(parent.parent).filter(({ type }) => type !== 'keyword_argument').length > 1
      )
        votes.add('int');
      else if (/^(?:sum|min|max|sorted|len|enumerate|list|set|reversed|zip|Array\.from|structuredClone)$/.test(called))
        votes.add('list');
      else if (depth < MOST_DEEP) passed.push(...familiesOfArgument(called, parent, node, source, depth + 1));
    } else if (
      /^(?:boolean_operator|binary_expression)$/.test(parent.type) &&
      node.field === 'left' &&
      emptyOr(parent) !== undefined
    ) {
      votes.add(emptyOr(parent) ?? '');
    } else if (isLookedThrough(node)) {
      votes.add('list');
      items.push(words, ints);
    } else if (familyOfCompared(node, source, true) !== undefined) {
      compared.push(familyOfCompared(node, source, true) ?? []);
    } else if (/^(?:binary_operator|binary_expression|augmented_assignment|unary)/.test(parent.type) && !isEquality(parent))
      votes.add(python && isJoined(node, text) ? 'text' : 'int');
    else if (isEquality(parent, /^[=!<>]/) && parent.children.some((one) => isNumber(one, of(one)))) {
      votes.add('int');
      if (parent.children.some((one) => of(one) === '0')) votes.add('negative');
    } else alike = familyOfCompared(node, source, false) ?? alike;
  }
  for (const one of depth < MOST_DEEP ? single : []) items.push(...familiesByUse(one, body, source, depth + 1));
  if (compared.length > 0) families.push([...new Set(compared.flat())]);
  const signs = signsAmong(items);
  if (signs.length > 0)
    families.push(...(asksForDigits.test(text) ? [textsOfSigns(signs, ['3', '12', '2'])] : []), textsOfSigns(signs));
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
  if (votes.has('int')) families.push(votes.has('negative') ? [3, -1, 1, -3, 2, 0, 5, 8] : ints);
  if (votes.has('key')) families.push(words, ints);
  else if (votes.has('place')) families.push(ints, words);
  if (families.length === 0 && alike !== undefined) families.push(alike);
  return families;
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
