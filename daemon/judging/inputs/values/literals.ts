/** Values written as literals in a source: arguments in doctests and tests, defaults, constants. Runs nothing. */
import { childOf, type SyntaxNode } from '../../../evolution/syntax/parse.ts';
import type { Value } from '../../function/values.ts';
import { dictionary, float, numberIn, type Pair, sequence } from './data.ts';

/** The value of a node; undefined for what is not a literal. */
export function literalOf(node: SyntaxNode, text: string, python: boolean): Value | undefined {
  const source = text.slice(node.start, node.end);
  const inner = node.children.filter(({ named, type }) => named && type !== 'comment');
  const all = (nodes: readonly SyntaxNode[]): Value[] | undefined => {
    const values = nodes.map((each) => literalOf(each, text, python));
    return values.includes(undefined) ? undefined : values.map((value) => value ?? null);
  };
  switch (node.type) {
    case 'integer':
    case 'float':
    case 'number':
      return numberOf(source.replaceAll('_', ''), node.type, python);
    case 'true':
      return true;
    case 'false':
      return false;
    case 'none':
    case 'null':
      return null;
    case 'undefined':
      return { undefined: 1 };
    case 'string':
      return stringOf(source);
    case 'template_string':
      return inner.some(({ type }) => type === 'template_substitution') ? undefined : stringOf(source);
    case 'concatenated_string': {
      const parts = all(inner);
      return parts?.every((part) => typeof part === 'string') ? parts.join('') : undefined;
    }
    case 'list':
    case 'array':
      return all(inner);
    case 'tuple':
    case 'set': {
      const items = all(inner);
      return items === undefined ? undefined : sequence(node.type, items);
    }
    case 'parenthesized_expression':
      return inner[0] === undefined ? undefined : literalOf(inner[0], text, python);
    case 'unary_operator':
    case 'unary_expression': {
      const [operand] = inner;
      const value = source.startsWith('-') && operand !== undefined ? literalOf(operand, text, python) : undefined;
      if (typeof value === 'number') return value === 0 ? 0 : -value;
      return value !== undefined && operand?.type === 'float' ? float(-numberIn(value), 'python') : undefined;
    }
    case 'dictionary':
    case 'object':
      return entriesOf(inner, text, python);
    case 'new_expression':
      return collectionOf(node, text);
    default:
      return undefined;
  }
}

function entriesOf(nodes: readonly SyntaxNode[], text: string, python: boolean): Value | undefined {
  const pairs: Pair[] = [];
  for (const pair of nodes) {
    const key = childOf(pair, 'key');
    const value = childOf(pair, 'value');
    if (pair.type !== 'pair' || key === undefined || value === undefined) return undefined;
    const name = key.type === 'property_identifier' ? text.slice(key.start, key.end) : literalOf(key, text, python);
    const item = literalOf(value, text, python);
    if (name === undefined || item === undefined) return undefined;
    pairs.push([python ? name : String(name), item]);
  }
  return dictionary(pairs);
}

/** `new Set([1, 2])`, `new Map([['a', 1]])`. */
function collectionOf(node: SyntaxNode, text: string): Value | undefined {
  const name = childOf(node, 'constructor');
  const given = childOf(node, 'arguments')?.children.filter(({ named }) => named)[0];
  const items = given === undefined ? [] : literalOf(given, text, false);
  if (name === undefined || !Array.isArray(items)) return undefined;
  const which = text.slice(name.start, name.end);
  if (which === 'Set') return sequence('set', items);
  if (which !== 'Map') return undefined;
  return dictionary(
    items.flatMap((item) => (Array.isArray(item) ? [[item[0] ?? null, item[1] ?? null] as const] : [])),
    true,
  );
}

function numberOf(source: string, type: string, python: boolean): Value | undefined {
  const number = Number(source);
  if (!Number.isFinite(number)) return undefined;
  if (type === 'float') return float(number, 'python');
  return python && !Number.isSafeInteger(number) ? undefined : number;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0', '\n': '' };

/** Reads a literal with quotes of any kind; returns undefined for bytes and for texts with expressions in them. */
function stringOf(source: string): string | undefined {
  const match = /^([A-Za-z]*)("""|'''|["'`])([\s\S]*)\2$/.exec(source);
  if (match === null) return undefined;
  const [, prefix = '', , body = ''] = match;
  if (/[fb]/i.test(prefix)) return undefined;
  if (/r/i.test(prefix)) return body;
  return body.replace(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|([\s\S]))/g, (_, two?: string, four?: string, one = '') => {
    const code = two ?? four;
    return code === undefined ? (escapes[one] ?? one) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
