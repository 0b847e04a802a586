/** Edits of expressions: constants, operators, loop bounds, and putting a part, or a like one, in the place of the whole. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import { brief, type Operator, type StructuralEdit } from './structural-edit.ts';
import { namesOf, roleOf } from './structural-names.ts';
import { loopsAround, type Region, textOf } from './structural-region.ts';

function replacement(region: Region, node: SyntaxNode, text: string, what: string): StructuralEdit {
  return {
    what: `${what}: ${brief(textOf(region, node))} → ${brief(text)}`,
    at: node.start,
    changes: [{ start: node.start, end: node.end, text }],
  };
}

/** Numbers become their neighbours and the usual limits; truth values change sides. */
export const changeConstant: Operator = (region) =>
  region.nodes.flatMap((node) => {
    const { grammar } = region;
    const text = textOf(region, node);
    if (node.type === 'true') return [replacement(region, node, grammar.false, 'change constant')];
    if (node.type === 'false') return [replacement(region, node, grammar.true, 'change constant')];
    if (!grammar.numbers.has(node.type) || !/^\d{1,9}$/.test(text)) return [];
    const value = Number(text);
    const others = new Set(
      [value + 1, value - 1, 0, 1, value * 2, Math.floor(value / 2)].filter((each) => each >= 0 && each !== value),
    );
    return [...others].map((other) => replacement(region, node, String(other), 'change constant'));
  });

const families: readonly (readonly string[])[] = [
  ['<', '<=', '>', '>='],
  ['==', '!='],
  ['===', '!=='],
  ['is', 'is not'],
  ['in', 'not in'],
];
const arithmetic: readonly (readonly string[])[] = [
  ['+', '-'],
  ['*', '/', '//', '%'],
  ['+=', '-='],
  ['&&', '||'],
  ['and', 'or'],
  ['<<', '>>', '>>>'],
];

/** `//` does not exist in JavaScript: it would start a comment. */
const swapOperators =
  (tables: readonly (readonly string[])[], what: string): Operator =>
  (region) =>
    region.nodes.flatMap((node) => {
      const { parent } = node;
      if (node.named || parent === undefined || !holdsOperator.has(parent.type)) return [];
      const text = textOf(region, node);
      const others = tables.find((family) => family.includes(text))?.filter((each) => each !== text) ?? [];
      return others
        .filter((other) => other !== '//' || region.grammar.layout === 'indent')
        .map((other) => ({
          ...replacement(region, node, other, what),
          what: `${what}: ${text} → ${other} in ${brief(textOf(region, parent))}`,
        }));
    });

const holdsOperator = new Set([
  'binary_operator',
  'boolean_operator',
  'comparison_operator',
  'augmented_assignment',
  'binary_expression',
  'augmented_assignment_expression',
]);

export const changeComparison = swapOperators(families, 'change comparison');
export const changeArithmetic = swapOperators(arithmetic, 'change operator');

/** Expressions: not a target of an assignment, not the name of a member, not the function that is called. */
function values(region: Region): SyntaxNode[] {
  return region.nodes.filter((node) => {
    if (!node.named || !region.grammar.expressions.has(node.type)) return false;
    const role = roleOf(node);
    if (node.type === 'identifier' && role !== 'uses') return false;
    const { parent, field } = node;
    if (parent === undefined || field === 'function' || field === 'constructor') return false;
    return !(field === 'left' && /assignment|^for_/.test(parent.type)) && parent.type !== 'update_expression';
  });
}

function argumentsOf(region: Region, call: SyntaxNode): SyntaxNode[] {
  const list = childOf(call, 'arguments');
  return list?.children.filter((child) => child.named && region.grammar.expressions.has(child.type)) ?? [];
}

/** The call goes, what it was given stays: `list(x)`, `x.copy()`, `x[:]`, `[...x]`, `[v for v in x]` become `x`. */
export const unwrapCall: Operator = (region) =>
  values(region).flatMap((node) => {
    const parts: (SyntaxNode | undefined)[] = [];
    if (region.grammar.calls.has(node.type)) {
      const callee = childOf(node, 'function');
      const given = argumentsOf(region, node);
      parts.push(...given);
      if (given.length < 2 && (callee?.type === 'attribute' || callee?.type === 'member_expression')) {
        parts.push(childOf(callee, 'object'));
      }
    } else if (node.type === 'subscript' && childOf(node, 'subscript')?.type === 'slice') {
      parts.push(childOf(node, 'value'));
    } else if (node.type === 'list_comprehension') {
      const clause = node.children.find((child) => child.type === 'for_in_clause');
      parts.push(clause === undefined ? undefined : childOf(clause, 'right'));
    } else if (node.type === 'array' && node.children[1]?.type === 'spread_element') {
      parts.push(node.children[1].children[1]);
    }
    return parts.flatMap((part) =>
      part === undefined ? [] : [replacement(region, node, textOf(region, part), 'replace a call by its argument')],
    );
  });

const composed = new Set([
  'binary_operator',
  'boolean_operator',
  'comparison_operator',
  'binary_expression',
  'not_operator',
  'unary_operator',
  'unary_expression',
  'conditional_expression',
  'ternary_expression',
  'parenthesized_expression',
]);

/** One operand in the place of the operation. */
export const takePart: Operator = (region) =>
  region.nodes
    .filter((node) => composed.has(node.type) && !(node.type === 'parenthesized_expression' && node.field === 'condition'))
    .flatMap((node) =>
      node.children
        .filter((child) => child.named && !region.grammar.comments.has(child.type))
        .map((part) => replacement(region, node, textOf(region, part), 'use a sub-expression')),
    );

/** Different expressions of one kind to choose from. */
const poolSize = 60;

/** Another expression of the same kind from the span. */
export const replaceByLike: Operator = (region) => {
  const places = values(region).filter((node) => node.end - node.start <= 80);
  const pool = new Map<string, Set<string>>();
  for (const node of places) {
    const texts = pool.get(node.type) ?? new Set();
    if (texts.size < poolSize) pool.set(node.type, texts.add(textOf(region, node)));
  }
  return places.flatMap((node) => {
    const own = textOf(region, node);
    const others = [...(pool.get(node.type) ?? [])].filter((text) => text !== own && !text.includes(own) && !text.includes('\n'));
    return others.map((other) => replacement(region, node, other, 'replace expression'));
  });
};

/** The condition of a branch or a loop turns around. */
export const negateCondition: Operator = (region) =>
  region.nodes
    .filter((node) => node.field === 'condition' && node.parent?.type !== 'for_statement')
    .map((node) => {
      const text = textOf(region, node);
      const wrapped = node.type === 'parenthesized_expression';
      const { not } = region.grammar;
      return replacement(region, node, wrapped ? `(${not}${text})` : `${not}(${text})`, 'negate');
    });

/** Loops start later or end sooner: by one, or by what the loop around them has counted so far. */
export const changeBound: Operator = (region) =>
  region.nodes.flatMap((node) => {
    const isRange = region.grammar.calls.has(node.type) && /^range\b/.test(textOf(region, node));
    const isHeader = region.grammar.layout === 'braces' && node.type === 'for_statement';
    if (!isRange && !isHeader) return [];
    // A range may be what a loop runs over: that loop has not counted anything yet.
    const around = loopsAround(region, node).filter((loop) => childOf(loop, 'right') !== node);
    const counters = around[0] === undefined ? [] : countersOf(region, around[0]);
    return isRange ? rangeBounds(region, node, counters) : headerBounds(region, node, counters);
  });

function countersOf(region: Region, loop: SyntaxNode): string[] {
  const left = childOf(loop, 'left') ?? childOf(loop, 'initializer');
  return left === undefined ? [] : [...namesOf(descendants(left), region.text).changed];
}

const sooner = (end: string, counters: readonly string[]): string[] => [
  `${end} - 1`,
  ...counters.flatMap((name) => [`${end} - ${name}`, `${end} - ${name} - 1`, name]),
];
const later = (start: string, counters: readonly string[]): string[] => [
  start === '0' ? '1' : `${start} + 1`,
  ...counters.flatMap((name) => [name, `${name} + 1`]),
];

function rangeBounds(region: Region, call: SyntaxNode, counters: readonly string[]): StructuralEdit[] {
  const [first, second, ...more] = argumentsOf(region, call).map((node) => textOf(region, node));
  if (first === undefined) return [];
  const start = second === undefined ? '0' : first;
  const end = second ?? first;
  const step = more.map((text) => `, ${text}`).join('');
  const callTexts = [
    ...sooner(end, counters).map((text) => (start === '0' && step === '' ? `range(${text})` : `range(${start}, ${text}${step})`)),
    ...later(start, counters).map((text) => `range(${text}, ${end}${step})`),
  ];
  return callTexts.map((text) => replacement(region, call, text, 'change loop bound'));
}

/** `for (let j = start; j < end; …)` */
function headerBounds(region: Region, loop: SyntaxNode, counters: readonly string[]): StructuralEdit[] {
  const edits: StructuralEdit[] = [];
  const condition = childOf(loop, 'condition');
  const test = condition === undefined ? undefined : descendants(condition).find((node) => node.type === 'binary_expression');
  const end = test === undefined ? undefined : childOf(test, 'right');
  if (end !== undefined)
    for (const text of sooner(textOf(region, end), counters)) edits.push(replacement(region, end, text, 'change loop bound'));
  const initializer = childOf(loop, 'initializer');
  const declarator = initializer?.children.find((node) => node.type === 'variable_declarator');
  const start = declarator === undefined ? undefined : childOf(declarator, 'value');
  if (start !== undefined)
    for (const text of later(textOf(region, start), counters)) edits.push(replacement(region, start, text, 'change loop bound'));
  return edits;
}
