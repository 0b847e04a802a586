/**
 * Small mutants of the functions that may change by the classical operators: comparison, arithmetic, logic, clauses, constants,
 * conditions, statements, results. Calls are good when they tell such mutants from the original.
 */

import type { Grammar } from '../../evolution/syntax/languages.ts';
import { childOf, descendants, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { Random } from '../../random.ts';

/** A replacement in the file's text. */
export interface MutantEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Mutation extends MutantEdit {
  readonly operator: string;
}

const swaps: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>'],
  '<=': ['<', '>'],
  '>': ['>=', '<'],
  '>=': ['>', '<'],
  '==': ['!='],
  '!=': ['=='],
  '===': ['!=='],
  '!==': ['==='],
  in: ['not in'],
  'not in': ['in'],
  is: ['is not'],
  'is not': ['is'],
  '+': ['-'],
  '-': ['+'],
  '*': ['+'],
  '/': ['*'],
  '//': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&': ['|'],
  '|': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['+='],
  '/=': ['*='],
  '//=': ['*='],
  '++': ['--'],
  '--': ['++'],
  and: ['or'],
  or: ['and'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
};

const operatorParents =
  /binary_operator|boolean_operator|comparison_operator|augmented_assignment|binary_expression|update_expression/;

/** Up to `most`, spread over the operators, in an order that the seed decides. */
export function mutantsOf(
  nodes: readonly SyntaxNode[],
  text: string,
  grammar: Grammar,
  most: number,
  random: Random,
): MutantEdit[] {
  const byOperator = new Map<string, Mutation[]>();
  for (const mutation of nodes.flatMap((node) => allMutations(node, text, grammar))) {
    const known = byOperator.get(mutation.operator) ?? [];
    byOperator.set(mutation.operator, known);
    known.push(mutation);
  }
  const queues = [...byOperator.values()].map((list) => random.shuffle(list));
  const chosen: MutantEdit[] = [];
  for (let turn = 0; chosen.length < most && queues.some(({ length }) => length > 0); turn++) {
    const next = queues[turn % queues.length]?.pop();
    if (next !== undefined) chosen.push({ start: next.start, end: next.end, text: next.text });
  }
  return chosen;
}

function allMutations(root: SyntaxNode, text: string, grammar: Grammar): Mutation[] {
  const found: Mutation[] = [];
  const body = childOf(root, 'body');
  if (body === undefined) return found;
  const python = grammar.layout === 'indent';
  for (const node of [body, ...descendants(body)]) {
    const source = text.slice(node.start, node.end);
    const add = (operator: string, replacement: string, at: { start: number; end: number } = node): void => {
      if (text.slice(at.start, at.end) !== replacement) {
        found.push({ operator, start: at.start, end: at.end, text: replacement });
      }
    };
    if (operatorParents.test(node.parent?.type ?? '') && swaps[source] !== undefined && node.children.length === 0) {
      const kind = /[<>=!]|in|is/.test(source) ? 'comparison' : /and|or|[&|?]/.test(source) ? 'logic' : 'arithmetic';
      for (const other of swaps[source] ?? []) add(kind, other);
    }
    if (grammar.numbers.has(node.type) && /^\d+$/.test(source)) {
      add('constant', String(Number(source) + 1));
      if (Number(source) > 1) add('constant', String(Number(source) - 1));
    }
    if (node.type === 'true' || node.type === 'false') add('constant', node.type === 'true' ? grammar.false : grammar.true);
    if (node.type === 'string' && !isPart(node) && /^["']/.test(source)) add('constant', source.length > 2 ? '""' : '"x"');
    if (node.type === 'break_statement') add('jump', python ? 'continue' : 'continue;');
    if (node.type === 'continue_statement') add('jump', python ? 'break' : 'break;');
    if (node.field === 'condition' || (node.type === 'not_operator' && python)) {
      add('condition', `${grammar.not}(${source})`.replace(/^(.*)$/s, python ? '$1' : '($1)'));
    }
    if (node.field === 'condition' && /^(?:if|elif)/.test(node.parent?.type ?? '')) add('always', python ? 'True' : '(true)');
    if (/^(?:boolean_operator|binary_expression)$/.test(node.type)) {
      // A condition of two parts keeps only one of them.
      const operator = node.children.find(({ start, end }) => /^(?:and|or|&&|\|\|)$/.test(text.slice(start, end)));
      const parts = operator === undefined ? [] : node.children.filter(({ named }) => named);
      for (const part of parts) add('clause', text.slice(part.start, part.end));
    }
    if (node.type === 'return_statement') {
      const value = node.children.find(({ named }) => named);
      if (value !== undefined) add('result', python ? 'None' : 'null', value);
    }
    if (python ? node.type === 'call' : node.type === 'call_expression') unwrapped(node, text, (to) => add('call', to));
    if (droppable(node, body, python)) add('statement', python ? 'pass' : ';');
  }
  return found;
}

/** A text that is a docstring or a part of something else is not changed. */
function isPart({ parent }: SyntaxNode): boolean {
  return parent === undefined || /expression_statement|import|export|concatenated|pair_pattern/.test(parent.type);
}

/** Methods that give another list, and what separates all from some. */
const selecting = /^(?:sort|toSorted|filter|reverse|toReversed|slice|concat)$/;
const pairs = [
  ['min', 'max'],
  ['any', 'all'],
  ['some', 'every'],
] as const;
const opposites = new Map<string, string>(pairs.flatMap(([one, other]) => [[one, other] as const, [other, one] as const]));

/** `x.lower()` → `x`, `x.filter(f)` → `x`, `sorted(x, key=k)` → `x`, `any(x)` → `all(x)`: what the call changes is lost. */
function unwrapped(node: SyntaxNode, text: string, add: (to: string) => void): void {
  const called = childOf(node, 'function');
  const given = (childOf(node, 'arguments')?.children ?? []).filter(({ named }) => named);
  const object = called === undefined ? undefined : childOf(called, 'object');
  const name = called === undefined ? '' : text.slice(called.start, called.end);
  const method = /\w+$/.exec(name)?.[0] ?? '';
  if (object !== undefined && (given.length === 0 || selecting.test(method))) add(text.slice(object.start, object.end));
  const opposite = opposites.get(method);
  if (called !== undefined && opposite !== undefined)
    add(text.slice(node.start, called.end - method.length) + opposite + text.slice(called.end, node.end));
  const [only] = given;
  if (only === undefined) return;
  const isAlone = given.length === 1;
  if (/^(?:sorted|round)$/.test(name) || (isAlone && /^(?:abs|set|Math\.\w+|String|Number)$/.test(name)))
    add(text.slice(only.start, only.end));
  if (name === 'float' && isAlone) add(`int(float(${text.slice(only.start, only.end)}))`);
}

/** Methods that look from the other end. */
const backwards: ReadonlyMap<string, string> = new Map([
  ['indexOf', 'lastIndexOf'],
  ['find', 'findLast'],
  ['findIndex', 'findLastIndex'],
]);
const MOST_REVERSED = 8;

/**
 * Edits that go through a list from its end: calls tell them from the original that see which of several equal items counts. They
 * are no mutants to be counted, since the order is often of no matter.
 */
export function reversalsOf(nodes: readonly SyntaxNode[], text: string, grammar: Grammar): MutantEdit[] {
  const python = grammar.layout === 'indent';
  const of = ({ start, end }: { start: number; end: number }): string => text.slice(start, end);
  const edits = nodes.flatMap(descendants).flatMap((one): MutantEdit[] => {
    const [right, initial, step] = ['right', 'initializer', 'increment'].map((field) => childOf(one, field));
    if (right !== undefined && python && /^for_(?:statement|in_clause)$/.test(one.type))
      return [{ start: right.start, end: right.end, text: `reversed(list(${of(right)}))` }];
    if (right !== undefined && one.type === 'for_in_statement' && /\bof\s*$/.test(text.slice(one.start, right.start)))
      return [{ start: right.start, end: right.end, text: `[...${of(right)}].reverse()` }];
    if (initial !== undefined && step !== undefined) {
      const header = { start: initial.start, end: step.end };
      const counted = /^let (\w+) = ([^,;]+); *\1 <(=?) ([^;]+); *(?:\1\+\+|\+\+\1|\1 \+= 1)$/.exec(of(header));
      if (counted === null) return [];
      const [, name = '', first = '', through = '', last = ''] = counted;
      return [{ ...header, text: `let ${name} = (${last})${through === '' ? ' - 1' : ''}; ${name} >= (${first}); ${name}--` }];
    }
    const method = one.type === 'call_expression' ? childOf(childOf(one, 'function') ?? one, 'property') : undefined;
    const other = method === undefined ? undefined : backwards.get(of(method));
    return method === undefined || other === undefined ? [] : [{ start: method.start, end: method.end, text: other }];
  });
  return edits.slice(0, MOST_REVERSED);
}

const dropped = /^(?:expression_statement|augmented_assignment|delete_statement|throw_statement|raise_statement|if_statement)$/;

/** Not a docstring, and in JavaScript not a declaration: names that others use would be missing. */
function droppable(node: SyntaxNode, body: SyntaxNode, python: boolean): boolean {
  if (!dropped.test(node.type) || !/block|body|clause/.test(node.parent?.type ?? '')) return false;
  const [only] = node.children;
  if (node.type === 'expression_statement' && only?.type === 'string') return false;
  // Without its first assignment a name does not exist, which every call notices.
  if (python && only?.type === 'assignment' && node.parent === body) return false;
  return node.field !== 'alternative' && !(node.type === 'if_statement' && node.parent?.type === 'else_clause');
}

/** The text with edits that do not overlap; one inside of another is left out. */
export function withEdits(text: string, edits: readonly MutantEdit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at) continue;
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
