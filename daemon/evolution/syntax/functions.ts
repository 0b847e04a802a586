/** Finds the functions of a text that can be evolved and called: top-level functions and methods, not functions inside functions. */
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import { type Grammar, grammarOf } from './languages.ts';
import { childOf, parse, type SyntaxNode, type SyntaxTree } from './parse.ts';

/** In the order of the text. Throws `unsupported` for a language without a grammar. */
export async function functionsOf(language: string, text: string): Promise<FunctionInfo[]> {
  return functionsIn(await parse(language, text));
}

export function functionsIn({ language, text, root }: SyntaxTree): FunctionInfo[] {
  const grammar = grammarOf(language);
  if (grammar === undefined) return [];
  const found: FunctionInfo[] = [];
  const lineOf = lineIndex(text);
  const visit = (node: SyntaxNode, prefix: string): void => {
    if (grammar.functions.has(node.type)) {
      const name = nameOf(node, text);
      if (name !== undefined) found.push(describe(node, `${prefix}${name}`, grammar, { text, lineOf }));
      return;
    }
    const className = grammar.classes.has(node.type) ? nameOf(node, text) : undefined;
    for (const child of node.children) visit(child, className === undefined ? prefix : `${prefix}${className}.`);
  };
  visit(root, '');
  return found;
}

/** Its own name, or that of what it is assigned to: `const f = () => …`, `exports.f = function …`, `f = () => …` in a class. */
function nameOf(node: SyntaxNode, text: string): string | undefined {
  const own = childOf(node, 'name');
  if (own !== undefined) return text.slice(own.start, own.end);
  const parent = node.parent;
  if (parent === undefined) return undefined;
  if (parent.type === 'export_statement') return 'default';
  let holder: SyntaxNode | undefined;
  if (parent.type === 'variable_declarator') holder = childOf(parent, 'name');
  else if (parent.type === 'field_definition') holder = childOf(parent, 'property');
  else if (parent.type === 'public_field_definition') holder = childOf(parent, 'name');
  else if (parent.type === 'assignment_expression') {
    const left = childOf(parent, 'left');
    holder = left?.type === 'member_expression' ? childOf(left, 'property') : left;
  }
  return holder === undefined ? undefined : text.slice(holder.start, holder.end);
}

/** Returns the zero-based line of an offset in O(log n): files with thousands of functions are looked at while a user waits. */
function lineIndex(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

interface Text {
  readonly text: string;
  lineOf(offset: number): number;
}

/** The whole statement: with decorators, `export`, `const f =`, and the blanks before it on its line. */
function describe(node: SyntaxNode, name: string, grammar: Grammar, { text, lineOf }: Text): FunctionInfo {
  let outer = node;
  for (let up = node.parent; up !== undefined && isStatementOf(up, outer); up = up.parent) outer = up;
  let start = outer.start;
  // A method's decorators are siblings before it in JavaScript.
  const siblings = outer.parent?.type === 'class_body' ? outer.parent.children : [];
  for (let i = siblings.indexOf(outer) - 1; siblings[i]?.type === 'decorator'; i--) start = siblings[i]?.start ?? start;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (/^[ \t]*$/.test(text.slice(lineStart, start))) start = lineStart;
  return {
    name,
    start,
    end: outer.end,
    start_line: lineOf(start),
    end_line: lineOf(outer.end),
    params: paramsOf(node, grammar, text),
  };
}

const statementsAroundFunctions = new Set([
  'decorated_definition',
  'export_statement',
  'lexical_declaration',
  'variable_declaration',
  'variable_declarator',
  'assignment_expression',
  'expression_statement',
  'field_definition',
  'public_field_definition',
]);

/** One that holds nothing but this function: of `const f = …, g = …` only the declarator is f's. */
function isStatementOf(node: SyntaxNode, inner: SyntaxNode): boolean {
  if (!statementsAroundFunctions.has(node.type)) return false;
  return node.children.filter((child) => child.type === inner.type).length === 1;
}

function paramsOf(node: SyntaxNode, grammar: Grammar, text: string): string[] {
  const list = childOf(node, 'parameters') ?? childOf(node, 'parameter');
  if (list === undefined) return [];
  if (list.field === 'parameter') return [text.slice(list.start, list.end)];
  return list.children
    .filter((child) => child.named && !grammar.comments.has(child.type) && !child.type.endsWith('_separator'))
    .map((param) => {
      const bare =
        childOf(param, 'name') ??
        childOf(param, 'pattern') ??
        childOf(param, 'left') ??
        (childOf(param, 'type') && param.children[0]);
      const chosen = bare ?? param;
      return text.slice(chosen.start, chosen.end);
    });
}
