/** The types that TypeScript's new variables get, read from the annotations of the file: an edit never writes `any`. Pure. */
import { childOf, type SyntaxNode } from '../../syntax/parse.ts';
import { type Region, textOf } from '../structural-region.ts';
import { callParts, isTypeScript } from './shape.ts';

/** `new Map()` with the types of its keys and values. */
export const newMap = (region: Region, key: string, value: string): string =>
  isTypeScript(region) ? `new Map<${key}, ${value}>()` : 'new Map()';

/** The type of a list's items. */
export function itemType({ text }: Region, list: string): string {
  const annotated = new RegExp(`(?<![\\w.])${list}\\??: (?:readonly )?([\\w.]+(?:<[\\w, ]+>)?)\\[\\]`).exec(text)?.[1];
  return annotated ?? (/^\w+$/.test(list) ? `(typeof ${list})[number]` : 'unknown');
}

/** The type of what an expression reads of the list's item: a field that an interface of the file declares, else that of the field. */
export function keyType(region: Region, { list, item, key }: { list: string; item: string; key: string }): string {
  const type = itemType(region, list);
  if (key === item) return type;
  const field = new RegExp(`^${item}\\.(\\w+)$`).exec(key)?.[1];
  if (field === undefined || type === 'unknown') return 'unknown';
  const declared = new RegExp(`(?:interface|type) ${type}\\b[^}]*?\\b${field}: (string|number|boolean);`).exec(region.text)?.[1];
  return declared ?? `${type}['${field}']`;
}

const numbers =
  /^(indexOf|lastIndexOf|findIndex|localeCompare|charCodeAt|getTime|push|abs|floor|ceil|round|max|min|sqrt|pow|hypot)$/;
const texts =
  /^(join|trim|toLowerCase|toUpperCase|toFixed|padStart|padEnd|repeat|replace|replaceAll|charAt|substring|toISOString|stringify|toLocaleString|toLocaleDateString|toLocaleTimeString)$/;
const truths = /^(includes|some|every|startsWith|endsWith|has|test)$/;

/** The type of a value, where the last thing that is done to it shows it; undefined elsewhere. */
export function valueType(region: Region, node: SyntaxNode): string | undefined {
  const text = textOf(region, node);
  if (/\.(length|size)$/.test(text)) return 'number';
  const call = callParts(region, node);
  if (node.type === 'template_string') return 'string';
  if (node.type === 'new_expression') return madeType(region, node);
  if (call === undefined)
    return region.grammar.binary.has(node.type) && /^[^'"`+]*[-*/%][^'"`+]*$/.test(text) ? 'number' : undefined;
  const { name, method, object, args } = call;
  const called = object === undefined ? name : `${textOf(region, object)}.${method}`;
  if (method === 'split' || called === 'Object.keys') return 'string[]';
  if (called === 'Date.parse') return 'number';
  if (method === 'match') return 'RegExpMatchArray | null';
  if (method === 'map') {
    const [arrow] = args;
    const body = arrow?.type === 'arrow_function' ? childOf(arrow, 'body') : undefined;
    const type = body === undefined ? undefined : valueType(region, body);
    return type === undefined ? undefined : `${type}[]`;
  }
  if (/^(Number|parseInt|parseFloat)$/.test(name) || numbers.test(method)) return 'number';
  if (name === 'String' || texts.test(method)) return 'string';
  if (name === 'Boolean' || truths.test(method)) return 'boolean';
  if (method === 'reduce' && /^\d+$/.test(args[1] === undefined ? '' : textOf(region, args[1]))) return 'number';
  if (object === undefined || !/^(sort|filter|slice|toSorted|reverse|toReversed)$/.test(method)) return undefined;
  const [, list] = /^\[\.\.\.(\w+)\]$/.exec(textOf(region, object)) ?? /^(\w+)$/.exec(textOf(region, object)) ?? [];
  return list === undefined ? valueType(region, object) : `${itemType(region, list)}[]`;
}

/** The type of a new object: of one without parameters of types, or of a set of a list whose items are known. */
function madeType(region: Region, node: SyntaxNode): string | undefined {
  const [name, list] = [childOf(node, 'constructor'), childOf(node, 'arguments')];
  const made = name === undefined ? '' : textOf(region, name);
  if (/^(Date|RegExp|URL)$/.test(made)) return made;
  const given = list?.children.find(({ named }) => named);
  const items = made === 'Set' && given !== undefined ? valueType(region, given) : undefined;
  return items?.endsWith('[]') ? `Set<${items.slice(0, -2)}>` : undefined;
}
