/** Replaces slow calls of the standard library by code that returns the same for ordinary values, and leaves the others to them. */
import type { SyntaxNode } from '../../syntax/parse.ts';
import { before, brief, type Operator, replacing } from '../structural-edit.ts';
import { type Region, type Statement, textOf } from '../structural-region.ts';
import { block, callParts, callsIn, firstStatement, freshName, isPython, isTypeScript, readIn, within } from './shape.ts';

/** `copy.deepcopy(x)`, `JSON.parse(JSON.stringify(x))`, `structuredClone(x)`: what is copied. */
function deepCopy(region: Region, node: SyntaxNode): SyntaxNode | undefined {
  const { name, object, method, args } = callParts(region, node) ?? { name: '', object: undefined, method: '', args: [] };
  const [only, more] = args;
  if (only === undefined || more !== undefined) return undefined;
  const called = object === undefined ? name : `${textOf(region, object)}.${method}`;
  if (/^(copy\.deepcopy|deepcopy|structuredClone)$/.test(called)) return only;
  if (isPython(region) ? called !== 'json.loads' : called !== 'JSON.parse') return undefined;
  const inner = callParts(region, only);
  const given = inner?.object === undefined ? '' : `${textOf(region, inner.object)}.${inner.method}`;
  return inner?.args.length === 1 && /^(json\.dumps|JSON\.stringify)$/.test(given) ? inner.args[0] : undefined;
}

/** Copies of lists and dictionaries within each other, all of them by one function. */
export const deepCopyToNested: Operator = (region) => {
  const copies = region.nodes.flatMap((node) => {
    const value = deepCopy(region, node);
    // What the function that copies leaves to the slow call stays there.
    const isOwn = value !== undefined && textOf(region, value) === 'value' && /\bcopy_?[oO]f\b/.test(region.text);
    return value === undefined || isOwn ? [] : [{ node, value }];
  });
  const [first] = copies.filter(({ node }) => !copies.some((each) => each.node !== node && within(node, each.node)));
  const place = first === undefined ? undefined : outerStatement(region, first.node);
  if (first === undefined || place === undefined || !place.ownLines) return [];
  const called = textOf(region, first.node).slice(0, first.value.start - first.node.start);
  const alike = copies.filter(({ node, value }) => textOf(region, node).slice(0, value.start - node.start) === called);
  const end = textOf(region, first.node).slice(first.value.end - first.node.start);
  const name = freshName(region, isPython(region) ? 'copy_of' : 'copyOf');
  const slow = (value: string) => `${called}${value}${end}`;
  const lines = isPython(region) ? pythonCopy(region, name, slow) : javascriptCopy(region, name, slow);
  // What the bare call returns would be changed by reading it again.
  const outer = alike.filter(({ node }) => !alike.some((each) => each.node !== node && within(node, each.node)));
  const changes = [
    before(region, place, block(region, place, lines)),
    ...outer.map(({ node, value }) => replacing(node, `${name}(${textOf(region, value)})`)),
  ];
  return [{ what: `copy lists and dictionaries: ${brief(textOf(region, first.value))}`, at: first.node.start, changes }];
};

/** The first statement of the outermost function around the node, in front of which all of the function can see a name. */
export function outerStatement(region: Region, node: SyntaxNode): Statement | undefined {
  return region.statements.find(
    (each) =>
      each.ownLines &&
      each.block.parent !== undefined &&
      region.grammar.functions.has(each.block.parent.type) &&
      within(node, each.block),
  );
}

function pythonCopy(region: Region, name: string, slow: (value: string) => string): string[] {
  const u = region.unit;
  const isJson = slow('').startsWith('json');
  return [
    `def ${name}(value):`,
    `${u}kind = type(value)`,
    `${u}if kind is str or kind is int or kind is bool or value is None${isJson ? '' : ' or kind is float'}:`,
    `${u}${u}return value`,
    `${u}if kind is dict${isJson ? ' and all(type(key) is str for key in value)' : ''}:`,
    `${u}${u}return {key: ${name}(each) for key, each in value.items()}`,
    `${u}if kind is list:`,
    `${u}${u}return [${name}(each) for each in value]`,
    `${u}return ${slow('value')}`,
  ];
}

function javascriptCopy(region: Region, name: string, slow: (value: string) => string): string[] {
  const u = region.unit;
  const [generic, asObject, asRecord, asValue] = isTypeScript(region)
    ? ['<T>(value: T): T', '(value as object)', ' as Record<string | number, unknown>', ' as T']
    : ['(value)', 'value', '', ''];
  // Text leaves out what is undefined, and has no word for some numbers.
  const isOther = slow('').startsWith('JSON')
    ? "each !== null && typeof each !== 'string' && typeof each !== 'boolean' && !Number.isFinite(each)"
    : "typeof each === 'function' || typeof each === 'symbol'";
  return [
    `const ${name} = ${generic} => {`,
    `${u}if (value === null || typeof value !== 'object') return ${slow('value')};`,
    `${u}const isList = Array.isArray(value);`,
    `${u}if (!isList && (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in ${asObject})) return ${slow('value')};`,
    `${u}const made = (isList ? value.slice() : { ...value })${asRecord};`,
    `${u}for (const key of isList ? value.keys() : Object.keys(made)) {`,
    `${u}${u}const each = made[key];`,
    `${u}${u}if (typeof each === 'object' && each !== null) made[key] = ${name}(each);`,
    `${u}${u}else if (${isOther}) return ${slow('value')};`,
    `${u}}`,
    `${u}return made${asValue};`,
    '};',
  ];
}

/** What a text of a format that is also that of ISO looks like. */
const isoShapes: Readonly<Record<string, [length: number, dashes: string]>> = {
  '%Y-%m-%d': [10, '@[4] == @[7] == "-"'],
  '%Y-%m-%d %H:%M': [16, '@[4] == @[7] == "-" and @[10] == " " and @[13] == ":"'],
  '%Y-%m-%dT%H:%M': [16, '@[4] == @[7] == "-" and @[10] == "T" and @[13] == ":"'],
  '%Y-%m-%d %H:%M:%S': [19, '@[4] == @[7] == "-" and @[10] == " " and @[13] == @[16] == ":"'],
  '%Y-%m-%dT%H:%M:%S': [19, '@[4] == @[7] == "-" and @[10] == "T" and @[13] == @[16] == ":"'],
};

/** What a text in the program stands for, or the only one that the name in its place is ever given. */
function formatIn(region: Region, written: string): string {
  const given = /^[A-Z]\w*$/.test(written) ? [...region.text.matchAll(new RegExp(`\\b${written}\\s*=\\s*(.+)`, 'g'))] : [];
  const [only, more] = given;
  return ((more === undefined ? only?.[1] : undefined) ?? written).trim().slice(1, -1);
}

/** `datetime.strptime(text, "%Y-%m-%d")` for a text in ISO's form. */
export const parsedToIso: Operator = (region) => {
  if (!isPython(region)) return [];
  const parsed = callsIn(region).flatMap(({ node, object, method, args: [text, format] }) => {
    const shape = format === undefined ? undefined : isoShapes[formatIn(region, textOf(region, format))];
    if (object === undefined || method !== 'strptime' || text === undefined || shape === undefined) return [];
    const place = firstStatement(region, node);
    return place === undefined || callsIn({ ...region, nodes: [text] }).length > 0 ? [] : [{ node, object, text, shape }];
  });
  const [first] = parsed;
  if (first === undefined) return [];
  const changes = parsed.map(({ node, object, text, shape: [length, dashes] }) => {
    const written = textOf(region, text);
    const value = /^[\w.[\]"']+$/.test(written) ? written : `(${written})`;
    const test = `len(${value}) == ${length} and ${dashes.replaceAll('@', value)}`;
    return replacing(node, `(${textOf(region, object)}.fromisoformat(${written}) if ${test} else ${textOf(region, node)})`);
  });
  return [{ what: `read dates in the form of ISO: ${brief(textOf(region, first.text))}`, at: first.node.start, changes }];
};

/** The object that a method of JavaScript makes in each call, and the method of that object which does the same. */
const formatters = new Map([
  ['localeCompare', ['Collator', 'compare']],
  ['toLocaleString', ['NumberFormat', 'format']],
  ['toLocaleDateString', ['DateTimeFormat', 'format']],
  ['toLocaleTimeString', ['DateTimeFormat', 'format']],
]);

/** `x.toLocaleString('en', { … })` and the like, by an object that is made once. */
export const formatterOnce: Operator = (region) =>
  isPython(region)
    ? []
    : callsIn(region).flatMap(({ node, object, method, args }) => {
        const [maker, by] = formatters.get(method) ?? [];
        const place = outerStatement(region, node);
        // Without options the language is quick by itself.
        const options = args.at(-1);
        const others = args.slice(by === 'compare' ? 1 : 0);
        if (maker === undefined || object === undefined || place === undefined || options?.type !== 'object') return [];
        // Texts, numbers, and constants of the file.
        const isFixed = others.flatMap((each) => readIn(region, each)).every((name) => /^[A-Z]/.test(name));
        const [first] = args;
        if (others.length !== 2 || first === undefined || !isFixed) return [];
        const name = freshName(region, by === 'compare' ? 'collator' : 'formatter');
        const given = others.map((each) => textOf(region, each)).join(', ');
        const made = before(region, place, `const ${name} = new Intl.${maker}(${given});`);
        const both = [object, ...(by === 'compare' ? [first] : [])].map((each) => textOf(region, each)).join(', ');
        const what = `make once what compares or formats: ${brief(textOf(region, node))}`;
        return [{ what, at: node.start, changes: [made, replacing(node, `${name}.${by}(${both})`)] }];
      });
