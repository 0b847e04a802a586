/** The normal form of a program: equal for two programs that differ only in comments and layout of what may change. */
import { createHash } from 'node:crypto';
import { Sha256 } from '../../../shared/ids.ts';
import type { Program } from '../../../shared/program.ts';
import { type Grammar, grammarOf } from './languages.ts';
import { parseFile, type SyntaxNode, type SyntaxTree } from './parse.ts';

/** Hash of the syntax trees, and of the text outside of the spans; for a language without a grammar, of the text without blank lines and trailing blanks. */
export async function normalHash(program: Program): Promise<Sha256> {
  const hash = createHash('sha256').update(program.language);
  const grammar = grammarOf(program.language);
  for (const file of program.files) {
    const normal = grammar === undefined ? plainForm(file.text) : normalForm(await parseFile(program, file.path), grammar);
    hash.update(`\0${file.path}\0${normal.length}\0`).update(normal, 'utf8');
  }
  return Sha256.parse(hash.digest('hex'));
}

function plainForm(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').join('\n');
}

/** Type and children of each node, in brackets, with the text of the leaves. */
function normalForm(tree: SyntaxTree, grammar: Grammar): string {
  const parts: string[] = [];
  const { text } = tree;
  const visit = (node: SyntaxNode): void => {
    if (grammar.comments.has(node.type)) return;
    if (node.children.length === 0) {
      // A statement's end is layout: `;` and the end of the line are one in Python, and JavaScript inserts it.
      if (node.type !== ';' || node.parent?.type === 'for_statement') parts.push(text.slice(node.start, node.end), '\u0001');
      return;
    }
    const kept = !(grammar.transparent.has(node.type) && node.children.length === 3);
    const verbatim = grammar.verbatim.has(node.type);
    if (kept) parts.push('\u0002', node.type, '\u0001');
    let at = node.start;
    for (const child of node.children) {
      const between = text.slice(at, child.start);
      if (verbatim || /[^\s\\]/.test(between)) parts.push(between, '\u0001');
      if (kept || child.named) visit(child);
      at = child.end;
    }
    const rest = text.slice(at, node.end);
    if (verbatim || /[^\s\\]/.test(rest)) parts.push(rest);
    if (kept) parts.push('\u0003');
  };
  visit(tree.root);
  return parts.join('');
}
