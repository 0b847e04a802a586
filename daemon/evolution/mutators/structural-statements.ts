/** Edits of whole statements: delete, unwrap, swap, move, hoist out of a loop, copy, leave a loop early. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import {
  after,
  before,
  brief,
  linesOf,
  type Operator,
  reindent,
  removal,
  type StructuralEdit,
  type TextChange,
} from './structural-edit.ts';
import { namesOf, roleOf } from './structural-names.ts';
import { loopsAround, type Region, type Statement, textOf } from './structural-region.ts';

const compound = (region: Region, statement: Statement): boolean =>
  statement.node.children.some(
    (child) => region.grammar.blocks.has(child.type) || region.grammar.blocks.has(child.children.at(-1)?.type ?? ''),
  );

function deletion(region: Region, statement: Statement): StructuralEdit {
  return {
    what: `delete statement: ${brief(textOf(region, statement.node))}`,
    at: statement.node.start,
    changes: [removal(region, statement)],
  };
}

export const deleteStatement: Operator = (region) =>
  region.statements
    .filter((statement) => statement.node.type !== 'pass_statement' && !compound(region, statement))
    .map((statement) => deletion(region, statement));

/** Whole loops and branches: fewer of them, and more to gain from each. */
export const deleteCompound: Operator = (region) =>
  region.statements.filter((statement) => compound(region, statement)).map((statement) => deletion(region, statement));

/** Every statement that sets a name which nothing else reads. */
export const deleteVariable: Operator = (region) => {
  const simple = region.statements.filter((statement) => !compound(region, statement));
  const setters = new Map<string, Statement[]>();
  for (const statement of simple) {
    for (const name of namesOf(descendants(statement.node), region.text).changed) {
      setters.set(name, [...(setters.get(name) ?? []), statement]);
    }
  }
  const readers = new Map<string, SyntaxNode[]>();
  for (const node of region.nodes) {
    if (roleOf(node) !== 'uses') continue;
    const name = textOf(region, node);
    const known = readers.get(name);
    if (known === undefined) readers.set(name, [node]);
    else known.push(node);
  }
  return [...setters].flatMap(([name, own]): StructuralEdit[] => {
    const isOwn = (node: SyntaxNode): boolean => own.some(({ node: setter }) => inside(node, setter));
    const readElsewhere = readers.get(name)?.some((node) => !isOwn(node)) === true;
    const [first] = own;
    if (readElsewhere || first === undefined) return [];
    const what = `delete what sets ${name}: ${own.map((each) => brief(textOf(region, each.node))).join('; ')}`;
    return [{ what, at: first.node.start, changes: own.map((each) => removal(region, each)) }];
  });
};

const branches = new Set(['else_clause', 'elif_clause', 'finally_clause']);

/** An `else` or `finally` that hangs on a statement. */
export const dropBranch: Operator = (region) =>
  region.nodes
    .filter((node) => branches.has(node.type))
    .map((node) => {
      const head = region.text.slice(0, node.start);
      const blank = head.length - head.trimEnd().length;
      return {
        what: `drop branch: ${brief(textOf(region, node))}`,
        at: node.start,
        changes: [{ start: Math.max(node.start - blank, region.span.start), end: node.end, text: '' }],
      };
    });

/** Puts what is in a compound statement, or in one of its branches, in the place of the whole. */
export const unwrapStatement: Operator = (region) =>
  region.statements.flatMap((statement): StructuralEdit[] => {
    const { node } = statement;
    if (!region.grammar.wrappers.has(node.type) || !statement.ownLines) return [];
    const bodies = descendants(node).filter(
      (each) => region.grammar.blocks.has(each.type) && (each.parent === node || each.parent?.parent === node),
    );
    return bodies.flatMap((body) => {
      const text = bodyText(region, body, statement.indent);
      if (text === undefined) return [];
      const start = statement.start + statement.indent.length;
      return [
        {
          what: `remove the enclosing statement: ${brief(textOf(region, node))}`,
          at: node.start,
          changes: [{ start, end: statement.end, text }],
        },
      ];
    });
  });

/** The statements of a block, indented by `indent`, the first line without it. */
function bodyText(region: Region, block: SyntaxNode, indent: string): string | undefined {
  const inner = region.statements.filter((statement) => statement.block === block);
  const first = inner[0];
  const last = inner.at(-1);
  if (first === undefined || last === undefined || inner.some((each) => !each.ownLines || each.rigid)) return undefined;
  return reindent(region.text.slice(first.start + first.indent.length, last.end), first.indent, indent);
}

/** Two neighbours change places. */
export const swapStatements: Operator = (region) =>
  region.statements.flatMap((first): StructuralEdit[] => {
    const second = region.statements.find((each) => each.block === first.block && each.node.start > first.node.start);
    if (second === undefined || !first.ownLines || !second.ownLines) return [];
    return [
      {
        what: `swap statements: ${brief(textOf(region, first.node))} ⇄ ${brief(textOf(region, second.node))}`,
        at: first.node.start,
        changes: [
          { start: first.start, end: first.end, text: second.indent + linesOf(region, second) },
          { start: second.start, end: second.end, text: first.indent + linesOf(region, first) },
        ],
      },
    ];
  });

/** Statements are put at most this many statements away: a list of edits grows with the function, not with its square. */
const reach = 25;

function around(region: Region, index: number): readonly Statement[] {
  return region.statements.slice(Math.max(0, index - reach), index + reach + 1);
}

function inside(inner: SyntaxNode, outer: SyntaxNode): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** The change that puts a statement's text before or behind another statement; undefined when it cannot be indented again. */
function placed(region: Region, from: Statement, to: Statement, where: 'before' | 'after'): TextChange | undefined {
  if (!from.ownLines || !to.ownLines || (from.rigid && from.indent !== to.indent)) return undefined;
  const text = reindent(linesOf(region, from), from.indent, to.indent);
  return where === 'before' ? before(region, to, text) : after(region, to, text);
}

/** A statement goes to another place in its block, or to the block around it or in it. */
export const moveStatement: Operator = (region) => {
  const edits: StructuralEdit[] = [];
  for (const [i, from] of region.statements.entries()) {
    for (const to of around(region, i)) {
      const near = to.block === from.block || to.block.parent?.parent === from.block || from.block.parent?.parent === to.block;
      if (!near || from === to || inside(to.node, from.node) || (inside(from.node, to.node) && to.block === from.block)) continue;
      const change = placed(region, from, to, to.node.start < from.node.start ? 'before' : 'after');
      if (change === undefined) continue;
      const changes = [removal(region, from), change];
      edits.push({ what: `move statement: ${brief(textOf(region, from.node))}`, at: from.node.start, changes });
    }
  }
  return edits;
};

/** A statement in a loop goes before the loop, or behind it. */
export const hoistStatement: Operator = (region) =>
  region.statements.flatMap((from) =>
    loopsAround(region, from.node).flatMap((loop): StructuralEdit[] => {
      const to = region.statementOf.get(loop);
      if (to === undefined) return [];
      return (['before', 'after'] as const).flatMap((where) => {
        if (!mayLeave(region, from, loop, where)) return [];
        const change = placed(region, from, to, where);
        if (change === undefined) return [];
        const what = `move statement ${where} its loop: ${brief(textOf(region, from.node))}`;
        return [{ what, at: from.node.start, changes: [removal(region, from), change] }];
      });
    }),
  );

/** Whether the loop does the same without the statement: nothing else in it sets what the statement reads, or uses what it sets. */
function mayLeave(region: Region, from: Statement, loop: SyntaxNode, where: 'before' | 'after'): boolean {
  if (/^(break|continue|return|yield|pass)/.test(from.node.type)) return false;
  const own = namesOf(descendants(from.node), region.text);
  const others = descendants(loop).filter((node) => !inside(node, from.node));
  const rest = namesOf(others, region.text);
  if (where === 'before') return ![...own.used, ...own.changed].some((name) => rest.changed.has(name));
  return ![...own.changed].some((name) => rest.used.has(name) || rest.changed.has(name));
}

/** A copy of a statement of the span, put before another one. */
export const copyStatement: Operator = (region) => {
  const edits: StructuralEdit[] = [];
  for (const [i, from] of region.statements.entries()) {
    if (from.node.end - from.node.start > 200) continue;
    for (const to of around(region, i)) {
      const change = from === to || inside(to.node, from.node) ? undefined : placed(region, from, to, 'before');
      if (change === undefined) continue;
      edits.push({ what: `copy statement: ${brief(textOf(region, from.node))}`, at: to.node.start, changes: [change] });
    }
  }
  return edits;
};

/** `if condition: break`, in the manner of the language. */
function guard(region: Region, condition: string, jump: string, indent: string): string {
  if (region.grammar.layout === 'indent') return `if ${condition}:${region.eol}${indent}${region.unit}${jump}`;
  return `if (${condition}) ${jump};`;
}

interface LoopBody {
  readonly loop: SyntaxNode;
  readonly statements: readonly Statement[];
  readonly first: Statement;
  readonly last: Statement;
}

function loopBodies(region: Region): LoopBody[] {
  return region.nodes.flatMap((loop) => {
    const body = region.grammar.loops.has(loop.type) ? childOf(loop, 'body') : undefined;
    const inner = region.statements.filter((statement) => statement.block === body && statement.ownLines);
    const first = inner[0];
    const last = inner.at(-1);
    return first === undefined || last === undefined ? [] : [{ loop, statements: inner, first, last }];
  });
}

/** Leaves a loop when a pass through it has left a name as the pass began: at zero, false or empty. */
export const breakWhenUnchanged: Operator = (region) =>
  loopBodies(region).flatMap(({ statements, last }) =>
    statements.flatMap((statement): StructuralEdit[] => {
      const assignment = descendants(statement.node).find(
        (node) => node.type === 'assignment' || node.type === 'variable_declarator',
      );
      const value = assignment === undefined ? undefined : (childOf(assignment, 'right') ?? childOf(assignment, 'value'));
      if (assignment === undefined || value === undefined || !/^(0|False|false|\[\])$/.test(textOf(region, value))) return [];
      return [...namesOf(descendants(assignment), region.text).changed].map((name) => {
        const condition = isEmptyList(region, value) ? `${name}.length === 0` : `${region.grammar.not}${name}`;
        return {
          what: `leave the loop early: if ${condition}`,
          at: last.node.end,
          changes: [after(region, last, guard(region, condition, 'break', last.indent))],
        };
      });
    }),
  );

/** In JavaScript an empty array is true. */
function isEmptyList(region: Region, value: SyntaxNode): boolean {
  return region.grammar.layout === 'braces' && textOf(region, value) === '[]';
}

/** Leaves a loop, or a pass of it, on a condition that is looked at somewhere in the loop, or on its opposite. */
export const guardedExit: Operator = (region) =>
  loopBodies(region).flatMap(({ loop, first, last }) => {
    const conditions = new Set(
      descendants(loop)
        .filter((node) => region.grammar.binary.has(node.type) && comparing.test(textOf(region, node)))
        .map((node) => textOf(region, node))
        .filter((text) => text.length <= 80 && !text.includes('\n')),
    );
    return [...conditions].flatMap((condition): StructuralEdit[] => {
      const opposite = `${region.grammar.not}(${condition})`;
      const atStart = (test: string, jump: string): StructuralEdit => ({
        what: `skip early: if ${test}: ${jump}`,
        at: first.node.start,
        changes: [before(region, first, guard(region, test, jump, first.indent))],
      });
      const atEnd = (test: string): StructuralEdit => ({
        what: `leave the loop early: if ${test}`,
        at: last.node.end,
        changes: [after(region, last, guard(region, test, 'break', last.indent))],
      });
      return [
        atStart(condition, 'continue'),
        atStart(opposite, 'continue'),
        atStart(condition, 'break'),
        atEnd(condition),
        atEnd(opposite),
      ];
    });
  });

const comparing = /[<>]|==|!=|&&|\|\||\b(and|or|in|is|not)\b/;
