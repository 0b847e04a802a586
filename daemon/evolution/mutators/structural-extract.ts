/** Computes a repeated or loop-invariant expression once: a name for it before the statement, the name in its places. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import { freshName, mutates } from './semantic/shape.ts';
import { before, brief, type Operator, replacing, type StructuralEdit } from './structural-edit.ts';
import { namesOf } from './structural-names.ts';
import { enclosing, type Region, textOf } from './structural-region.ts';

const worthNaming = new Set(['call', 'call_expression', 'attribute', 'member_expression', 'subscript', 'subscript_expression']);

/** Whether functions that are called in it change what it reads is not known here: judging finds out. */
export const extractExpression: Operator = (region) => {
  const places = region.nodes.filter(
    (node) => (worthNaming.has(node.type) || region.grammar.binary.has(node.type)) && isValue(node),
  );
  const byText = new Map<string, SyntaxNode[]>();
  for (const node of places) {
    if (node.end - node.start > 100) continue;
    const text = textOf(region, node);
    if (text.includes('\n')) continue;
    const same = byText.get(text);
    if (same === undefined) byText.set(text, [node]);
    else same.push(node);
  }
  const name = freshName(region, 'known');
  const edits: StructuralEdit[] = [];
  const changedIn = new Map<SyntaxNode, ReadonlySet<string>>();
  for (const [text, nodes] of byText) {
    const targets = new Set(nodes.flatMap((node) => enclosing(region, node)).filter((each) => region.statementOf.has(each)));
    for (const target of targets) {
      const statement = region.statementOf.get(target);
      const inner = nodes.filter((node) => node.start >= target.start && node.end <= target.end);
      if (statement === undefined || !statement.ownLines || !(region.grammar.loops.has(target.type) || inner.length > 1))
        continue;
      const { used } = namesOf(inner.flatMap(descendants), region.text);
      const changed = changedIn.get(target) ?? namesOf(descendants(target), region.text).changed;
      changedIn.set(target, changed);
      if ([...used].some((each) => changed.has(each) || mutates(region, target, each))) continue;
      const declaration = region.grammar.layout === 'indent' ? `${name} = ${text}` : `const ${name} = ${text};`;
      edits.push({
        what: `compute a repeated expression once: ${brief(text)}`,
        at: target.start,
        changes: [
          before(region, statement, declaration),
          ...inner.map((node) => ({ start: node.start, end: node.end, text: name })),
        ],
      });
    }
  }
  return edits;
};

/** `table[i]` of `table[i][j]`. */
interface Row {
  readonly node: SyntaxNode;
  readonly table: string;
  readonly text: string;
}

function rowsIn(region: Region, loop: SyntaxNode): Row[] {
  const { changed } = namesOf(descendants(loop), region.text);
  const head = childOf(loop, 'right') ?? childOf(loop, 'condition');
  return descendants(loop).flatMap((node): Row[] => {
    const [table, index] = [childOf(node, 'value'), childOf(node, 'subscript')];
    const isRow = node.type === 'subscript' && node.parent?.type === 'subscript' && node.field === 'value';
    if (!isRow || table?.type !== 'identifier' || index === undefined || (head !== undefined && node.start < head.end)) return [];
    const name = textOf(region, table);
    const isFixed = [...namesOf(descendants(node), region.text).used].every((each) => !changed.has(each));
    const isPlain = /^[\w +-]+$/.test(textOf(region, index));
    return isFixed && isPlain && keepsRows(region, loop, name) ? [{ node, table: name, text: textOf(region, node) }] : [];
  });
}

/** Whether nothing in the loop can put another row into the table: it is read by its items and its length only. */
const keepsRows = (region: Region, loop: SyntaxNode, table: string): boolean =>
  descendants(loop).every((node) => {
    if (node.type !== 'identifier' || textOf(region, node) !== table || node.field === 'attribute') return true;
    const { parent } = node;
    if (parent?.type === 'argument_list') return parent.parent !== undefined && textOf(region, parent.parent) === `len(${table})`;
    const isItem = parent?.type === 'subscript' && node.field === 'value';
    return (
      isItem && !(parent.field === 'left' || /^(delete_statement|pattern_list|tuple_pattern)$/.test(parent.parent?.type ?? ''))
    );
  });

/** The rows of tables that an inner loop reads and writes items of get names before the loop: in Python each look-up costs time. */
export const rowsOnce: Operator = (region) =>
  region.grammar.layout !== 'indent'
    ? []
    : region.loops.flatMap((loop): StructuralEdit[] => {
        const statement = region.statementOf.get(loop);
        const [outer] = enclosing(region, loop).filter((each) => region.grammar.loops.has(each.type));
        const rows = statement?.ownLines === true ? rowsIn(region, loop) : [];
        // Rows that do not change in the loop around it either are for that one.
        const wider = new Set(outer === undefined ? [] : rowsIn(region, outer).map(({ text }) => text));
        const own = rows.filter(({ text }) => !wider.has(text));
        if (statement === undefined || own.length < 2) return [];
        const texts = [...new Set(own.map(({ text }) => text))];
        const names = new Map(texts.map((text, at) => [text, freshName(region, at === 0 ? 'row' : `row_${at + 1}`)]));
        const declared = texts.map((text) => `${names.get(text)} = ${text}`).join(`${region.eol}${statement.indent}`);
        const changes = [
          before(region, statement, declared),
          ...own.map(({ node, text }) => replacing(node, names.get(text) ?? text)),
        ];
        return [{ what: `name the rows before the loop: ${texts.join(', ')}`, at: loop.start, changes }];
      });

/** Read, not written to and not called. */
function isValue(node: SyntaxNode): boolean {
  const { parent, field } = node;
  if (parent === undefined || field === 'function' || field === 'constructor') return false;
  for (let at: SyntaxNode = node, up = node.parent; up !== undefined; at = up, up = up.parent) {
    if (at.field === 'left' && /assignment|^for_/.test(up.type)) return false;
    if (up.type === 'update_expression' || up.type === 'delete_statement') return false;
    if (up.type.endsWith('_statement') || up.type === 'block') break;
  }
  return true;
}
