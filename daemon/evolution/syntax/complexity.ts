/** Cyclomatic complexity of the part that may change, from its syntax tree (T. McCabe, "A Complexity Measure", 1976). */
import type { Program } from '../../../shared/program.ts';
import type { Feature } from '../features.ts';
import { grammarOf, parsedLanguages } from './languages.ts';
import { focusOf, loadGrammar, parseLoaded, type SyntaxNode } from './parse.ts';

const logical = new Set(['and', 'or', '&&', '||', '??']);

/** Makes the feature `complexity`. Grammars are loaded first, so that its value is there at once. */
export async function loadComplexity(): Promise<() => Feature> {
  await Promise.all(parsedLanguages.map(loadGrammar));
  return () => ({ name: 'complexity', unit: 'paths', value: ({ program }) => complexityOf(program) });
}

/** One, and one for every fork: branch, loop, case, handler, `and` and `or`. Undefined without a grammar. */
function complexityOf(program: Program): number | undefined {
  const grammar = grammarOf(program.language);
  if (grammar === undefined) return undefined;
  let paths = 1;
  for (const file of program.files) {
    const spans = program.spans.filter((span) => span.path === file.path);
    if (spans.length === 0) continue;
    const visit = (node: SyntaxNode): void => {
      const within = spans.some((span) => node.start >= span.start && node.end <= span.end);
      const isFork = node.named ? grammar.forks.has(node.type) || grammar.loops.has(node.type) : logical.has(node.type);
      if (within && isFork) paths++;
      if (spans.some((span) => node.start < span.end && span.start < node.end)) node.children.forEach(visit);
    };
    visit(parseLoaded(program.language, file.text, focusOf(program, file.path)).root);
  }
  return paths;
}
