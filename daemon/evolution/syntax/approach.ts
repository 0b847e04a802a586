/**
 * The approach that a program takes, as one of a few classes that a developer would name: sorting, dictionary-based,
 * nested loops and so on. Read from the syntax tree, so that it does not depend on the machine or its load.
 */
import type { Program } from '../../../shared/program.ts';
import { approaches, type Feature } from '../features.ts';
import { type Grammar, grammarOf, parsedLanguages } from './languages.ts';
import { focusOf, loadGrammar, parseLoaded, type SyntaxNode } from './parse.ts';

type Approach = (typeof approaches)[number];

/** Makes the feature `approach`. Grammars are loaded first, so that its value is there at once. */
export async function loadApproach(): Promise<() => Feature> {
  await Promise.all(parsedLanguages.map(loadGrammar));
  return () => ({ name: 'approach', unit: '', value: ({ program }) => binOf(program) });
}

function binOf(program: Program): number | undefined {
  const approach = approachOf(program);
  return approach === undefined ? undefined : approaches.indexOf(approach);
}

/** What is most characteristic comes first. Undefined for a language without a grammar. */
export function approachOf(program: Program): Approach | undefined {
  const grammar = grammarOf(program.language);
  if (grammar === undefined) return undefined;
  const { code, depth, lists } = reading(program, grammar);
  if (/\b(np|numpy|array\.array|Float64Array|Int32Array|Uint32Array|Uint8Array)\b/.test(code)) return 'array-based';
  if (/\b(sorted|heapq|bisect\w*|insort)\b|\. ?(sort|toSorted)\b/.test(code)) return 'sorting-based';
  if (/\b(dict|defaultdict|Counter|OrderedDict|Map)\b ?\(|\{ ?\}|\. ?setdefault\b/.test(code)) return 'dictionary-based';
  if (/\b(set|frozenset|Set)\b ?\(/.test(code)) return 'set-based';
  if (isRecursive(code)) return 'recursive';
  if (lists || /\. ?(map|filter|reduce|flatMap)\b ?\(/.test(code)) return 'comprehension-based';
  return depth === 0 ? 'straight-line' : depth === 1 ? 'one loop' : 'nested loops';
}

/** A function that calls itself by its name, anywhere behind the name's definition. */
function isRecursive(code: string): boolean {
  const names = [...code.matchAll(/\b(?:def|function) (\w+) ?\(/g)].map(([, name = '']) => name);
  return names.some((name) => (code.match(new RegExp(`\\b${name} ?\\(`, 'g'))?.length ?? 0) > 1);
}

const comprehensions = new Set(['list_comprehension', 'dictionary_comprehension', 'set_comprehension', 'generator_expression']);
const skipped = new Set(['string', 'template_string', 'regex', 'jsx_text']);

/** The tokens of what may change, how deep its loops are nested, and whether it has comprehensions. */
function reading(program: Program, grammar: Grammar): { code: string; depth: number; lists: boolean } {
  const tokens: string[] = [];
  let deepest = 0;
  let lists = false;
  for (const { path, text } of program.files) {
    const spans = program.spans.filter((span) => span.path === path);
    if (spans.length === 0) continue;
    const visit = (node: SyntaxNode, depth: number): void => {
      if (grammar.comments.has(node.type) || skipped.has(node.type)) return;
      if (!spans.some((span) => node.start < span.end && span.start < node.end)) return;
      const within = spans.some((span) => node.start >= span.start && node.end <= span.end);
      const inner = within && grammar.loops.has(node.type) ? depth + 1 : depth;
      deepest = Math.max(deepest, inner);
      if (within && comprehensions.has(node.type)) lists = true;
      if (within && node.children.length === 0) tokens.push(text.slice(node.start, node.end));
      for (const child of node.children) visit(child, inner);
    };
    visit(parseLoaded(program.language, text, focusOf(program, path)).root, 0);
  }
  return { code: tokens.join(' '), depth: deepest, lists };
}
