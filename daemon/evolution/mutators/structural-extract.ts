/** Computes a repeated or loop-invariant expression once: a name for it before the statement, the name in its places. */
import { descendants, type SyntaxNode } from '../syntax/parse.ts';
import { mutates } from './semantic/shape.ts';
import { before, brief, type Operator, type StructuralEdit } from './structural-edit.ts';
import { namesOf } from './structural-names.ts';
import { enclosing, textOf } from './structural-region.ts';

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
  const name = freshName(region.text);
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

function freshName(text: string): string {
  for (let i = 1; ; i++) {
    const name = i === 1 ? 'known' : `known_${i}`;
    if (!new RegExp(`\\b${name}\\b`).test(text)) return name;
  }
}
