/** Works out what a sort compares items by once for each item, not in every comparison. JavaScript and TypeScript; Python's sorts do. */
import { indentOf } from '../../answers/indent.ts';
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import {
  applyChanges,
  brief,
  type Operator,
  reindent,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../structural-edit.ts';
import { namesOf, roleOf } from '../structural-names.ts';
import { type Region, textOf } from '../structural-region.ts';
import { functionNamed, nameOf } from './functions/declared.ts';
import { doesMore } from './once.ts';
import { callParts, callsIn, freshName, isPython, readIn } from './shape.ts';

/** `xs.sort((a, b) => f(a) - f(b))`, also with a function of the file: sorted as pairs of an item and `f` of it. */
export const sortKeysOnce: Operator = (region) =>
  isPython(region)
    ? []
    : callsIn(region).flatMap(({ node, object, method, args: [compare] }): StructuralEdit[] => {
        if (object === undefined || compare === undefined || !/^(sort|toSorted)$/.test(method)) return [];
        const each = freshName(region, 'each');
        const comparison = comparisonOf(region, compare);
        const keyed = comparison === undefined ? undefined : keyedBy(region, comparison, each);
        if (keyed === undefined) return [];
        const list = textOf(region, object);
        // The body of another function stands at the edge of the file.
        const indent = indentOf(region.text.slice(region.text.lastIndexOf('\n', node.start) + 1));
        const order = compare.type === 'identifier' ? reindent(keyed.compare, '', indent) : keyed.compare;
        const sorted = `${list}.map((${each}) => ({ ${each}, ${keyed.keys} })).sort(${order.trimStart()})`;
        // A list that has a name keeps its identity where nothing but its new order is asked for.
        const isInPlace = method === 'sort' && node.parent?.type === 'expression_statement';
        const at = freshName(region, 'at');
        const text = isInPlace
          ? `${sorted}.forEach(({ ${each} }, ${at}) => { ${list}[${at}] = ${each}; })`
          : `${sorted}.map(({ ${each} }) => ${each})`;
        return [{ what: `compare by what is worked out once: ${brief(list)}`, at: node.start, changes: [replacing(node, text)] }];
      });

interface Comparison {
  readonly a: string;
  readonly b: string;
  /** A block, or the expression that is returned. */
  readonly body: SyntaxNode;
}

function comparisonOf(region: Region, compare: SyntaxNode): Comparison | undefined {
  const isOwn = compare.type === 'arrow_function';
  const named = isOwn || compare.type !== 'identifier' ? undefined : functionNamed(region, textOf(region, compare));
  const [list, body] = isOwn ? [childOf(compare, 'parameters'), childOf(compare, 'body')] : [named?.list, named?.body];
  const [a, b, more] = list?.children.filter((child) => child.named).map((each) => nameOf(region, each)) ?? [];
  if (!a || !b || more !== undefined || body === undefined) return undefined;
  // What the span calls by the same name is something else.
  const own = new Set(region.nodes.filter((each) => roleOf(each) === 'declares').map((each) => textOf(region, each)));
  if (named !== undefined && readIn(region, body).some((each) => each !== a && each !== b && own.has(each))) return undefined;
  return { a, b, body };
}

interface Keyed {
  /** The members of an item that it is compared by. */
  readonly keys: string;
  readonly compare: string;
}

function keyedBy(region: Region, { a, b, body }: Comparison, each: string): Keyed | undefined {
  const { declared } = namesOf(descendants(body), region.text);
  const made = [...declared].filter((name) => name !== a && name !== b);
  const [ofA, ofB] = [workOf(region, body, a, [b, ...made]), workOf(region, body, b, [a, ...made])];
  const forms = [...new Set(ofA.map((node) => formOf(region, node, a)))].filter((form) =>
    ofB.some((node) => formOf(region, node, b) === form),
  );
  if (forms.length === 0) return undefined;
  const nameAt = (at: number) => (forms.length === 1 ? 'key' : `key${at + 1}`);
  const changes = [a, b].flatMap((name): TextChange[] => {
    const keyed = (name === a ? ofA : ofB).flatMap((node) => {
      const at = forms.indexOf(formOf(region, node, name));
      return at === -1 ? [] : [replacing(node, `${name}.${nameAt(at)}`)];
    });
    const isKeyed = (node: SyntaxNode) => keyed.some(({ start, end }) => node.start >= start && node.end <= end);
    const others = descendants(body).filter((node) => isRead(region, node, name) && !isKeyed(node));
    return [...keyed, ...others.map((node) => replacing(node, `${name}.${each}`))];
  });
  const moved = changes.map(({ start, end, text }) => ({ start: start - body.start, end: end - body.start, text }));
  const text = applyChanges(textOf(region, body), moved);
  const isShort = descendants(body).some((node) => node.type.startsWith('shorthand') && [a, b].includes(textOf(region, node)));
  if (text === undefined || isShort) return undefined;
  const keys = forms.map((form, at) => `${nameAt(at)}: ${form.replaceAll(ITEM, each)}`).join(', ');
  return { keys, compare: `(${a}, ${b}) => ${text}` };
}

/** Stands for the item in a form. */
const ITEM = '\u0000';

const isRead = (region: Region, node: SyntaxNode, name: string): boolean =>
  node.type === 'identifier' && textOf(region, node) === name && roleOf(node) === 'uses';

function formOf(region: Region, node: SyntaxNode, name: string): string {
  const reads = descendants(node).filter((each) => isRead(region, each, name));
  const moved = reads.map(({ start, end }) => ({ start: start - node.start, end: end - node.start, text: ITEM }));
  return applyChanges(textOf(region, node), moved) ?? '';
}

/** The widest expressions that call something, and read the item but none of the other names. */
function workOf(region: Region, node: SyntaxNode, item: string, others: readonly string[]): SyntaxNode[] {
  const isWork = /^(call|new|binary|unary|ternary|member|subscript|parenthesized)_expression$|^template_string$/.test(node.type);
  const read = isWork ? readIn(region, node) : [];
  const calls = descendants(node).some((each) => each.type === 'new_expression' || callParts(region, each) !== undefined);
  const isOwn = read.includes(item) && !read.some((name) => others.includes(name));
  return isWork && calls && isOwn && node.field !== 'function' && !doesMore(region, node)
    ? [node]
    : node.children.flatMap((child) => workOf(region, child, item, others));
}
