/** The prose of the repository: comments, texts of more than one word in strings, and documents, each line with its place. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parse, type SyntaxNode } from '../daemon/evolution/syntax/parse.ts';

interface ProseLine {
  /** `daemon/cli/commands/evolve.ts:12`. */
  readonly at: string;
  readonly text: string;
  /** Whether a comment begins with this line. */
  readonly opens: boolean;
}

const root = join(import.meta.dirname, '..');
/** Texts that are data: programs to be judged, recorded answers of models. */
const DATA = /^(test\/fixtures|test\/unit\/answers\/corpus|test\/llm\/corpus|media\/samples|package-lock\.json|LICENSE)/;
const GRAMMARS: Readonly<Record<string, string>> = {
  '.ts': 'typescript',
  '.js': 'javascript',
  '.cjs': 'javascript',
  '.mjs': 'javascript',
  '.py': 'python',
};
/** Read as they are, line by line. */
const DOCUMENTS = ['.md', '.j2', '.json', '.lua', '.css', '.yml'];

/** Files that git tracks, from the root. */
export function trackedFiles(...paths: readonly string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '--', ...paths], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((path) => path !== '' && !DATA.test(path));
}

export const readTracked = (path: string) => readFileSync(join(root, path), 'utf8');

export async function proseOf(path: string): Promise<ProseLine[]> {
  const text = readTracked(path);
  const grammar = GRAMMARS[extname(path)];
  if (grammar !== undefined) return [...inSource((await parse(grammar, text)).root, text, path)];
  if (!DOCUMENTS.includes(extname(path))) return [];
  return text.split('\n').map((line, index) => ({ at: `${path}:${index + 1}`, text: withoutCode(line), opens: false }));
}

function* inSource(node: SyntaxNode, source: string, path: string): Generator<ProseLine> {
  const isComment = node.type === 'comment';
  if (isComment || node.type === 'string' || node.type === 'template_string') {
    const first = source.slice(0, node.start).split('\n').length;
    const text = withoutCode(source.slice(node.start, node.end), isComment);
    if (isComment || /\w .*\w/.test(text))
      for (const [index, line] of text.split('\n').entries())
        yield { at: `${path}:${first + index}`, text: line, opens: isComment && index === 0 };
    return;
  }
  for (const child of node.children) yield* inSource(child, source, path);
}

/** Names in back quotes and places in templates are code. */
function withoutCode(text: string, isComment = true): string {
  const plain = text.replaceAll(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\{%.*?%\}|\{\{.*?\}\}/g, '…');
  return isComment ? plain.replaceAll(/`[^`\n]*`/g, '…') : plain;
}
