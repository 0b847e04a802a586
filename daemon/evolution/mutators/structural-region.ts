/**
 * What structural edits work on: the nodes, statements and names of one evolvable span. A survey reads the tree
 * once; it chooses nothing and changes nothing.
 */
import type { Span } from '../../../shared/program.ts';
import type { Random } from '../../random.ts';
import type { Grammar } from '../syntax/languages.ts';
import type { SyntaxNode, SyntaxTree } from '../syntax/parse.ts';

export interface Statement {
  readonly node: SyntaxNode;
  readonly block: SyntaxNode;
  /** Nothing else stands on its lines. Only such statements are moved. */
  readonly ownLines: boolean;
  /** From the first column of its first line to the end of its last, without the line's end. */
  readonly start: number;
  readonly end: number;
  readonly indent: string;
  /** It may not be indented again: a string in it runs over several lines. */
  readonly rigid: boolean;
}

export interface Region {
  readonly text: string;
  readonly grammar: Grammar;
  readonly span: Pick<Span, 'start' | 'end'>;
  readonly eol: string;
  /** False when the grammar cannot read the file: then it says nothing about the children either. */
  readonly parses: boolean;
  /** One level of indentation. */
  readonly unit: string;
  /** Expressions and everything else in the span that may change, in the order of the text. */
  readonly nodes: readonly SyntaxNode[];
  readonly loops: readonly SyntaxNode[];
  readonly statements: readonly Statement[];
  readonly statementOf: ReadonlyMap<SyntaxNode, Statement>;
}

/** Signatures, types and imports are the contract of a function with its callers: left alone. */
const untouched = new Set([
  'parameters',
  'lambda_parameters',
  'formal_parameters',
  'decorator',
  'type',
  'type_annotation',
  'type_arguments',
  'type_parameters',
  'import_statement',
  'import_from_statement',
]);
/** These are looked into only where an expression stands in them: `${x}` in JavaScript, `{x}` in Python. */
const texts = new Set(['string', 'template_string']);
const interpolations = new Set(['template_substitution', 'interpolation']);

export function survey(tree: SyntaxTree, grammar: Grammar, span: Pick<Span, 'start' | 'end'>): Region {
  const { text } = tree;
  const nodes: SyntaxNode[] = [];
  const statements: Statement[] = [];
  const loops: SyntaxNode[] = [];
  const outer = text.slice(span.start, span.end);
  const trimmed = { start: span.start + (outer.length - outer.trimStart().length), end: span.start + outer.trimEnd().length };
  const visit = (node: SyntaxNode): void => {
    if (node.end <= span.start || node.start >= span.end || untouched.has(node.type)) return;
    if (texts.has(node.type)) {
      for (const child of node.children) if (interpolations.has(child.type)) child.children.forEach(visit);
      return;
    }
    const within = node.start >= span.start && node.end <= span.end;
    if (within) nodes.push(node);
    if (within && grammar.loops.has(node.type)) loops.push(node);
    const { parent } = node;
    if (within && node.named && parent !== undefined && grammar.blocks.has(parent.type) && isMovable(node, grammar)) {
      // The function that the span is must stay.
      if (node.start > trimmed.start || node.end < trimmed.end) statements.push(statementAt(node, parent, text, span));
    }
    // What only runs to report a failure is neither slow nor to be changed.
    if (node.type !== 'raise_statement' && node.type !== 'throw_statement') node.children.forEach(visit);
  };
  visit(tree.root);
  return {
    text,
    grammar,
    span,
    parses: tree.error === undefined,
    eol: outer.includes('\r\n') ? '\r\n' : '\n',
    unit: unitOf(statements),
    nodes,
    loops,
    statements,
    statementOf: new Map(statements.map((statement) => [statement.node, statement])),
  };
}

const definitions = new Set(['decorated_definition', 'export_statement', 'function_signature', 'empty_statement']);

/** Comments, docstrings and definitions are not worth moving: no program gets faster by it. */
function isMovable(node: SyntaxNode, grammar: Grammar): boolean {
  if (grammar.comments.has(node.type) || grammar.functions.has(node.type) || grammar.classes.has(node.type)) return false;
  if (definitions.has(node.type)) return false;
  return !(node.type === 'expression_statement' && node.children[0]?.type === 'string');
}

/** Any node of a block as a statement. */
export function statementAt(node: SyntaxNode, block: SyntaxNode, text: string, span: Pick<Span, 'start' | 'end'>): Statement {
  const start = Math.max(text.lastIndexOf('\n', node.start - 1) + 1, span.start);
  const newline = text.indexOf('\n', node.end);
  let end = Math.min(newline === -1 ? text.length : newline, span.end);
  if (text[end - 1] === '\r' && end > node.end) end--;
  const indent = text.slice(start, node.start);
  const rest = text.slice(node.end, end).trim();
  const alone = indent.trim() === '' && (rest === '' || rest === ';' || /^;?\s*(#|\/\/)/.test(rest));
  return { node, block, ownLines: alone, start, end, indent: alone ? indent : '', rigid: hasLongString(node, text) };
}

function hasLongString(node: SyntaxNode, text: string): boolean {
  if (node.type === 'string' || node.type === 'template_string' || node.type === 'jsx_text') {
    return text.slice(node.start, node.end).includes('\n');
  }
  return node.children.some((child) => hasLongString(child, text));
}

function unitOf(statements: readonly Statement[]): string {
  const byNode = new Map(statements.map((statement) => [statement.node, statement]));
  for (const inner of statements) {
    const outer = inner.block.parent === undefined ? undefined : byNode.get(inner.block.parent);
    const deeper = outer !== undefined && inner.indent.length > outer.indent.length && inner.indent.startsWith(outer.indent);
    if (deeper) return inner.indent.slice(outer.indent.length);
  }
  const first = statements[0]?.indent ?? '';
  return /^(\t| {2,4})$/.test(first) ? first : '    ';
}

/** More statements than this are not looked at in one draw. */
const windowSize = 300;

/** The region, or a random stretch of one that is too long to list all its edits. */
export function windowOf(region: Region, random: Random): Region {
  const { statements } = region;
  if (statements.length <= windowSize) return region;
  const at = random.int(statements.length - windowSize + 1);
  const inside = statements.slice(at, at + windowSize);
  const [start, end] = [inside[0]?.node.start ?? 0, inside.at(-1)?.node.end ?? 0];
  return { ...region, statements: inside, nodes: region.nodes.filter((node) => node.start >= start && node.start < end) };
}

/** What stands at the top level of the file around the span. */
export function topLevel({ nodes: [node] }: Region): readonly SyntaxNode[] {
  let root = node;
  while (root?.parent !== undefined) root = root.parent;
  return root?.children ?? [];
}

export function textOf(region: Region, node: SyntaxNode): string {
  return region.text.slice(node.start, node.end);
}

/** Enclosing nodes inside the span, innermost first, up to the function that holds the node. */
export function enclosing(region: Region, node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let up = node.parent; up !== undefined && up.start >= region.span.start && up.end <= region.span.end; up = up.parent) {
    if (region.grammar.functions.has(up.type)) break;
    found.push(up);
  }
  return found;
}

/** Statements that are loops around the node, innermost first. */
export function loopsAround(region: Region, node: SyntaxNode): SyntaxNode[] {
  return enclosing(region, node).filter((each) => region.grammar.loops.has(each.type));
}
