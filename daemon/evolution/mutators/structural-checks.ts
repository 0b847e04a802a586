/** Says of an edited span that it cannot run, where that is certain without running it. It saves an evaluation; it proves nothing. */
import { childOf, descendants, type SyntaxNode } from '../syntax/parse.ts';
import { namesOf } from './structural-names.ts';
import { type Region, textOf } from './structural-region.ts';

/** Undefined when nothing speaks against it. */
export function doomed(before: Region, after: Region): string | undefined {
  const old = namesOf(before.nodes, before.text);
  const now = namesOf(after.nodes, after.text);
  const parameters = after.nodes.flatMap((node) => childOf(node, 'parameters') ?? childOf(node, 'parameter') ?? []);
  const given = namesOf(parameters.flatMap(descendants), after.text).declared;
  for (const name of now.used) {
    if (old.declared.has(name) && !now.declared.has(name) && !given.has(name)) return `"${name}" is used but no longer set`;
  }
  return after.nodes.map((node) => misplaced(node, after) ?? declaredTwice(node, after)).find((reason) => reason !== undefined);
}

/** A jump with nothing to jump out of: a syntax error that grammars do not know. */
function misplaced(node: SyntaxNode, { grammar }: Region): string | undefined {
  const isJump = node.type === 'break_statement' || node.type === 'continue_statement';
  if (!isJump && node.type !== 'return_statement') return undefined;
  for (let up = node.parent; up !== undefined; up = up.parent) {
    if (isJump && (grammar.loops.has(up.type) || (up.type === 'switch_statement' && node.type === 'break_statement')))
      return undefined;
    if (grammar.functions.has(up.type)) return isJump ? `${node.type} outside of a loop` : undefined;
  }
  return `${node.type} outside of a ${isJump ? 'loop' : 'function'}`;
}

/** `const x` or `let x` twice in one block. */
function declaredTwice(block: SyntaxNode, region: Region): string | undefined {
  if (!region.grammar.blocks.has(block.type)) return undefined;
  const declared = new Set<string>();
  for (const statement of block.children) {
    if (statement.type !== 'lexical_declaration') continue;
    for (const declarator of statement.children) {
      const name = declarator.children[0];
      if (declarator.type !== 'variable_declarator' || name === undefined) continue;
      const text = textOf(region, name);
      if (declared.has(text)) return `"${text}" is declared twice`;
      declared.add(text);
    }
  }
  return undefined;
}
