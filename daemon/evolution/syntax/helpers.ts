/** Finds the functions of a file that work for one of its functions alone, directly or through each other. */
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import { functionsIn } from './functions.ts';
import { grammarOf } from './languages.ts';
import type { SyntaxNode, SyntaxTree } from './parse.ts';

/** How private functions begin: those of a module in JavaScript and TypeScript, without `export`. */
const declaration = /^\s*(?:async\s+)?(?:function\b|(?:const|let|var)\s)/;
const module = /^\s*(?:import|export)\b|\brequire\(|\bexports\b/m;

/**
 * In the order of the text: what the file offers to nobody else, by its syntax, and names nowhere but in the entry and in each
 * other. Comments may name them. In Python another file may import any of them: `used` are those that are known to be, by name.
 */
export function helpersOf(tree: SyntaxTree, entry: FunctionInfo, used: ReadonlySet<string> = new Set()): FunctionInfo[] {
  const text = withoutComments(tree);
  if (tree.language !== 'python' && !module.test(text)) return [];
  const functions = functionsIn(tree);
  const names = new Map<string, number>();
  for (const one of functions) names.set(bareName(one), (names.get(bareName(one)) ?? 0) + 1);
  const isOffered = (one: FunctionInfo): boolean => used.has(one.name) || !isPrivate(tree, one, text.slice(one.start, one.end));
  let helpers = functions.filter((one) => one.start !== entry.start && names.get(bareName(one)) === 1 && !isOffered(one));
  const mentions = mentionsOf(text, new Set(helpers.map(bareName)));
  const isIn = (at: number, { start, end }: FunctionInfo): boolean => start <= at && at < end;
  for (let before = Number.POSITIVE_INFINITY; helpers.length < before; ) {
    before = helpers.length;
    const reached = new Set([entry]);
    for (const user of reached) {
      for (const one of helpers) if (mentions.get(bareName(one))?.some((at) => isIn(at, user))) reached.add(one);
    }
    helpers = helpers.filter(
      (one) => reached.has(one) && mentions.get(bareName(one))?.every((at) => [...reached].some((each) => isIn(at, each))),
    );
  }
  return helpers;
}

/** Without the name of its class, and without the `#` of a private method. */
export function bareName({ name }: FunctionInfo): string {
  return (name.split('.').at(-1) ?? name).replace(/^#/, '');
}

/** What a decorator does with a function is not known. */
function isPrivate({ language }: SyntaxTree, one: FunctionInfo, text: string): boolean {
  if (/^\s*@/.test(text)) return false;
  const name = one.name.split('.').at(-1) ?? '';
  if (!one.name.includes('.')) return language === 'python' || declaration.test(text);
  return language === 'python' ? /^_(?!_)/.test(name) : name.startsWith('#') || /^\s*private\s/.test(text);
}

/** The text with blanks for its comments: every offset stays. */
function withoutComments({ language, text, root }: SyntaxTree): string {
  const comments = grammarOf(language)?.comments;
  const parts: string[] = [];
  let end = 0;
  const visit = (node: SyntaxNode): void => {
    if (comments?.has(node.type) !== true) {
      node.children.forEach(visit);
      return;
    }
    parts.push(text.slice(end, node.start), ' '.repeat(node.end - node.start));
    end = node.end;
  };
  visit(root);
  return parts.join('') + text.slice(end);
}

/** Where each of the names stands as a word, in strings as well. */
function mentionsOf(text: string, names: ReadonlySet<string>): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const { 0: word, index } of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
    if (names.has(word)) found.set(word, [...(found.get(word) ?? []), index]);
  }
  return found;
}
