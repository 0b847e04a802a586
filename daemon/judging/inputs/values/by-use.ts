/** Likely values of what a body uses by a name: what it does with it says what it holds. */
import { childOf, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import { type EntrySource, fieldsOf, type Parameter } from '../source.ts';
import { dictionary, kindOf, pairsOf } from './data.ts';
import {
  areTexts,
  defaults,
  familyOfCompared,
  familyOfDefault,
  familyOfField,
  inOne,
  isNullable,
  isNumber,
  listsIn,
  recordsOf,
} from './families.ts';
import { moments } from './moments.ts';
import { days, type Family, familiesByName, ints, sentences, words } from './names.ts';
import { counted, patternAsked, samplesOf, signsAmong, textsOfFormat, textsOfSigns } from './patterns.ts';
import { dictionaries, lists } from './types.ts';
import {
  argumentsOf,
  collectedAs,
  emptyOr,
  functionCalled,
  isEquality,
  isJoined,
  isLookedThrough,
  isPutIntoText,
  itemNames,
  itemsPassedOn,
  keptAs,
  keptIn,
  keyIn,
  lastName,
  lastNameOf,
  lookedForIn,
  loopOver,
  namedIn,
  nameGiven,
  puttingInto,
  textsNamed,
} from './uses.ts';

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

const MOST_TURNS = 9;

/** Objects with all the fields of its pattern, with none of those that may be left out, and with some. */
export function fieldExamples({ fields = [] }: Pick<Parameter, 'fields'>, source: EntrySource): Family {
  if (fields.length === 0) return [];
  // A default that is not a literal is most likely a function.
  const plain = fields.filter(({ optional, fallback }) => !optional || fallback !== undefined);
  const valuesOf = (field: Parameter): Family | undefined => {
    const asked = [fieldExamples(field, source), defaults(field, source), ...familiesInBody(field, source)];
    return [...asked, ...familiesByName(field.name, false)].find(({ length }) => length > 0);
  };
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
  /^(?:split|lower|upper|strip|lstrip|rstrip|startswith|endswith|splitlines|isdigit|isalpha|title|casefold|toLowerCase|toUpperCase|trim|charAt|charCodeAt|codePointAt|startsWith|endsWith|replace|replaceAll|match|matchAll|localeCompare|isalnum|encode|partition|substring)$/;
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

const [MOST_DEEP, MOST_PLACES] = [5, 4];

const known = new WeakMap<EntrySource, Map<string, Family[]>>();

/** What the body does with a name says what it holds. The same question comes up again and again, and is answered once. */
export function familiesByUse(name: string, body: SyntaxNode, source: EntrySource, depth: number): Family[] {
  const answers = known.get(source) ?? new Map<string, Family[]>();
  known.set(source, answers);
  const question = `${depth} ${body.start} ${body.end} ${name}`;
  const answer = answers.get(question) ?? readUses(name, body, source, depth);
  answers.set(question, answer);
  return answer;
}

function readUses(name: string, body: SyntaxNode, source: EntrySource, depth: number): Family[] {
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
  /** What its keys are called, and what the values of a dictionary are. */
  const ownKeys = new Set<string>();
  const held: Family[] = [];
  /** What stands in for values that are missing. */
  const unused: Family[] = [];
  /** Literal places of a short list, as they are written: `pair[0]`, `pair[1]`. */
  const places = new Map<number, string>();
  /** What a text is asked to begin with. */
  const begins: string[] = [];
  const of = (node: SyntaxNode | undefined): string => (node === undefined ? '' : text.slice(node.start, node.end));
  const fieldOf = (field: SyntaxNode): Family | undefined => {
    const known = familyOfField(field, source);
    const used = depth < MOST_DEEP ? familiesByUse(of(field), body, source, depth + 1)[0] : undefined;
    // An empty list says nothing of its items.
    const isList = kindOf(known?.[0] ?? null) === 'list' && kindOf(used?.[0] ?? null) === 'list';
    if (isList) return used;
    // A literal among others: `row["kind"] == "*" or row["kind"] == kind`.
    const isText = kindOf(known?.[0] ?? null) === 'str' && kindOf(used?.[0] ?? null) === 'str';
    return isText ? [...new Set([...(known ?? []), ...(used ?? [])])] : (known ?? used);
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
  /** What becomes of the values of a dictionary, or of its keys with them, in a list of them. */
  const viewed = (view: SyntaxNode, kind: string): void => {
    const { callbacks, end, copy } = itemsPassedOn(view, text);
    const over = loopOver(end, false, text);
    const spots = [...(over?.left === undefined ? [] : [{ left: over.left, inside: over.loop }]), ...callbacks];
    for (const { left, inside } of spots) {
      if (kind === 'keys') ownKeys.add(of(left));
      else looped(kind === 'values' ? left : left.children.filter((one) => one.named)[1], inside, held);
    }
    if (copy === undefined || depth >= MOST_DEEP) return;
    const [[list = null] = []] = kind === 'keys' ? [] : familiesByUse(copy, body, source, depth + 1);
    if (Array.isArray(list))
      held.push(kind === 'values' ? list : list.flatMap((pair) => (Array.isArray(pair) ? (pair[1] ?? []) : [])));
    for (const one of kind === 'keys' ? itemNames(copy, body, text) : []) ownKeys.add(one);
    if (kind === 'keys') keyLists.add(copy);
  };
  /** Names of lists of its keys. */
  const keyLists = new Set<string>();
  const isOwnKey = (at: SyntaxNode | undefined): boolean => {
    const list = of(at && (childOf(at, 'value') ?? childOf(at, 'object')));
    return at !== undefined && (ownKeys.has(of(at)) || (/^subscript/.test(at.type) && (names.has(list) || keyLists.has(list))));
  };
  /** What is got from it says what it holds. */
  const got = (value: SyntaxNode): void => {
    if (depth < MOST_DEEP) held.push(...familiesByUse(nameGiven(value, of) ?? of(value), body, source, depth + 1));
  };
  /** `name, age = rows[at]` says what one of the items is, `const { at, size } = box` what it is itself. */
  const unpacked = (value: SyntaxNode | undefined, into = items): void => {
    const declared = value?.field === 'right' || value?.field === 'value' ? value.parent : undefined;
    const left = declared && (childOf(declared, 'left') ?? childOf(declared, 'name'));
    if (left !== undefined && /pattern/.test(left.type) && /^(?:assignment|variable_declarator)/.test(declared?.type ?? ''))
      looped(left, body, into);
  };
  /** Texts that a regular expression looks for. */
  const asked = (call: SyntaxNode | undefined): boolean => {
    const pattern = call && patternAsked(call, text);
    if (pattern === undefined) return false;
    families.push(...(/\\d\{4\}.*\\d.*\\d/.test(pattern) ? [days] : []), samplesOf(pattern));
    return true;
  };
  for (const [node, written] of namedIn(body, text)) {
    if (!names.has(written) || node.parent === undefined) continue;
    const { parent } = node;
    unpacked(node, families);
    const { callbacks, end, placed, copy, item } = itemsPassedOn(node, text);
    const over = loopOver(end, placed, text);
    if (over !== undefined) {
      votes.add('list');
      const kept = keptAs(scopeOf(over.loop), of(over.left), text);
      if (kept !== undefined) (kept.isItem ? single : names).add(kept.name);
      if (/^\w+$/.test(of(over.left))) ownKeys.add(of(over.left));
      if (/\bin\s*$/.test(text.slice(over.loop.start, end.start)) && !python) votes.add('dict');
      else looped(over.left, over.loop);
    }
    if (copy !== undefined) names.add(copy);
    if (item !== undefined) single.add(item);
    for (const { left, inside } of depth < MOST_DEEP ? callbacks : []) {
      votes.add('list');
      looped(left, inside);
    }
    const collected = collectedAs(node, of);
    for (const one of collected === undefined || depth >= MOST_DEEP ? [] : itemNames(collected, body, text))
      passed.push(...familiesByUse(one, body, source, depth + 1));
    const format = textsOfFormat(node, body, text);
    if (format !== undefined) families.push(format);
    if ((parent.type === 'attribute' || parent.type === 'member_expression') && node.field === 'object') {
      const member = of(childOf(parent, 'attribute') ?? childOf(parent, 'property'));
      const called = parent.field === 'function' && /call/.test(parent.parent?.type ?? '');
      if (!python && called && dateMembers.test(member)) families.push(moments('Date'));
      else if (python && called && dayMembers.test(member)) families.push(moments('date'), moments('datetime'));
      else if (python && hourMembers.test(member)) families.push(moments('datetime'));
      else if (called && (textMethods.test(member) || (python && member === 'join'))) {
        votes.add('text');
        const outer = /^(?:trim|strip|lower|upper|toLowerCase|toUpperCase)$/.test(member) ? parent.parent?.parent : undefined;
        if (outer !== undefined && /^argument/.test(outer.type)) asked(outer.parent);
        const isInWords = member === 'split' && !/\S/.test(of(argumentsOf(parent.parent)[0]).slice(1, -1));
        if (isInWords && asksForDigits.test(text)) families.push(counted(source.words));
        const [part] = /^(?:startswith|startsWith)$/.test(member) ? argumentsOf(parent.parent) : [];
        if (part?.type === 'string') begins.push(of(part).slice(1, -1));
      } else if (python && dictMethods.test(member)) {
        const given = /^(?:get|setdefault)$/.test(member) ? argumentsOf(parent.parent) : [];
        const key = keyIn(given[0], source);
        if (key !== undefined) keys.set(key, familyOfGet(parent, given[1]));
        else if (given.length > 0 && parent.parent !== undefined) {
          got(parent.parent);
          unused.push(familyOfDefault(given[1], source) ?? []);
        } else if (parent.parent !== undefined) viewed(parent.parent, member);
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
      else if (isOwnKey(at)) {
        votes.add('dict');
        got(parent);
      } else {
        votes.add('list');
        unpacked(parent);
        if (/^(?:integer|number)$/.test(at?.type ?? '')) places.set(Number(of(at)), of(parent));
        else for (const one of [of(parent), nameGiven(parent, of) ?? '']) single.add(one);
      }
    } else if (/^subscript/.test(parent.type)) {
      const holder = childOf(parent, 'value') ?? childOf(parent, 'object');
      const keysOf = holder === undefined ? [] : textsNamed(holder, text).filter(({ type }) => type === 'string');
      if (keysOf.length > 0) compared.push(keysOf.map(({ start, end }) => text.slice(start + 1, end - 1)));
      else votes.add('place');
    } else if (over !== undefined && end === node) continue;
    else if (parent.type === 'argument_list' || parent.type === 'arguments') {
      const called = of(childOf(parent.parent ?? parent, 'function'));
      if (asked(parent.parent)) votes.add('text');
      else if (/^re\.\w+$/.test(called)) votes.add('text');
      else if (familyOfCompared(node, source, true) !== undefined) compared.push(familyOfCompared(node, source, true) ?? []);
      else if (/\bfromisoformat$/.test(called)) families.push(days);
      else if (/^(?:dict|Object\.(?:entries|keys|values|assign))$/.test(called)) {
        votes.add('dict');
        if (parent.parent !== undefined && /^Object\.[ekv]/.test(called)) viewed(parent.parent, called.slice('Object.'.length));
      } else if (/^(?:range|chr|Math\.\w+|abs|round|int|float)$/.test(called)) votes.add('int');
      else if (keyed.test(called)) votes.add('key');
      else if (
        /^(?:min|max)$/.test(called) &&
        argumentsOf(parent.parent).filter(({ type }) => type !== 'keyword_argument').length > 1
      )
        votes.add('int');
      else if (called === 'len') votes.add('counted');
      else if (/^(?:sum|min|max|sorted|enumerate|list|set|reversed|zip|Array\.from|structuredClone)$/.test(called))
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
    } else if (lookedForIn(node) !== undefined) {
      const holder = lastNameOf(lookedForIn(node) ?? node, text) ?? '';
      votes.add(areTexts(familiesByName(holder, python)) ? 'key' : 'place');
    } else if (/^(?:binary_operator|binary_expression|augmented_assignment|unary)/.test(parent.type) && !isEquality(parent))
      // What is put into a text may be anything.
      votes.add(isPutIntoText(node) ? 'any' : python && isJoined(node, text) ? 'text' : 'int');
    else if (isEquality(parent, /^[=!<>]/) && parent.children.some((one) => isNumber(one, of(one)))) {
      votes.add('int');
      if (parent.children.some((one) => of(one) === '0')) votes.add('negative');
    } else {
      alike = familyOfCompared(node, source, false) ?? alike;
      if (isEquality(parent, /^[<>]/)) alike ??= [1, 0.5, 3, 0, 2, -1];
    }
  }
  for (const one of depth < MOST_DEEP ? single : []) items.push(...familiesByUse(one, body, source, depth + 1));
  for (const one of depth < MOST_DEEP ? new Set([...single, ...ownKeys]) : []) {
    const { lists: holders, groups } = puttingInto(one, body, text);
    for (const holder of holders.filter((each) => !names.has(each)))
      items.push(...listsIn(familiesByUse(holder, body, source, depth + 1)));
    for (const group of groups) {
      const dicts = familiesByUse(group, body, source, depth + 1);
      items.push(...listsIn(dicts.map((family) => family.flatMap((dict) => pairsOf(dict).map(([, value]) => value)))));
    }
  }
  if (compared.length > 0)
    families.push([
      ...new Set([...compared.flat(), ...(alike !== undefined && kindOf(alike[0] ?? null) === 'str' ? alike.slice(0, 3) : [])]),
    ]);
  const signs = signsAmong(items);
  if (signs.length > 0)
    families.push(...(asksForDigits.test(text) ? [textsOfSigns(signs, ['3', '12', '2'])] : []), textsOfSigns(signs));
  for (const family of keys.size === 0 ? [] : passed) {
    for (const [key] of pairsOf(family[0] ?? null)) {
      const known = keys.get(String(key));
      const column = family.flatMap((one) => pairsOf(one).flatMap(([other, value]) => (other === key ? [value] : [])));
      if (known === undefined || (known === ints && kindOf(column[0] ?? null) !== 'int')) keys.set(String(key), column);
    }
  }
  if (keys.size > 0) families.push(recordsOf(keys, source, depth));
  const begun = begins.flatMap((begin) => [`${begin}1`, `${begin}1-2, 3`, begin]);
  if (votes.has('text')) families.push([...begun, ...(depth === 0 ? sentences : words)]);
  const values = [held, unused].map((all) => all.filter(({ length }) => length > 0)).find(({ length }) => length > 0) ?? [];
  if (votes.has('dict') && (keys.size === 0 || values.length > 0))
    for (const one of values.length > 0 ? inOne(values, text) : [ints]) families.push(dictionaries(words, one, false));
  const size = Math.max(0, ...places.keys()) + 1;
  if (places.size > 0 && size <= MOST_PLACES && items.length === 0) {
    const used = Array.from({ length: size }, (_, at) => {
      const written = depth < MOST_DEEP ? places.get(at) : undefined;
      return (written === undefined ? undefined : familiesByUse(written, body, source, depth + 1)[0]) ?? ints;
    });
    families.push([0, 1, 2, 3].map((turn) => used.map((values, at) => values[(turn + at) % values.length] ?? null)));
  }
  // Signs one after another are a text, in what holds it.
  if (votes.has('list') && !votes.has('text') && (depth === 0 || signs.length === 0))
    for (const item of items.length > 0 ? inOne(items, text) : [ints]) families.push(lists(item, 'list'));
  families.push(...passed);
  if (votes.has('int')) families.push(votes.has('negative') ? [3, -1, 1, -3, 2, 0, 5, 8] : ints);
  if (votes.has('key')) families.push(...familiesByName(lastName(name), python).slice(0, 1), words, ints);
  else if (votes.has('place')) families.push(ints, words);
  if (votes.has('counted') && families.length === 0)
    families.push(familiesByName(lastName(name), python)[0] ?? lists(ints, 'list'));
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
  const of = ({ start, end }: SyntaxNode): string => source.text.slice(start, end);
  const made = functionCalled(called, source);
  const body = made && childOf(made, 'body');
  if (made === undefined || body === undefined) return [];
  const place = list.children.filter((each) => each.named).findIndex(({ start }) => start === argument.start);
  const one = childOf(made, 'parameter') ?? childOf(made, 'parameters')?.children.filter((each) => each.named)[place];
  const typed = one?.type === 'typed_parameter' ? one.children.find((each) => each.named) : undefined;
  const bare = one && (childOf(one, 'pattern') ?? childOf(one, 'name') ?? childOf(one, 'left') ?? typed ?? one);
  const fields = bare && fieldsOf(bare, source.text);
  if (fields !== undefined) return [fieldExamples({ fields }, { ...source, node: made, maker: undefined })];
  return bare === undefined ? [] : familiesByUse(of(bare), body, source, depth);
}
