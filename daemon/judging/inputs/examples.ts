/** Calls of a function that are written with literal arguments: in doctests, and in other files of the workspace. */
import type { Call } from '../../../shared/judging.ts';
import { childOf, descendants, parse, type SyntaxNode } from '../../evolution/syntax/parse.ts';
import type { Value } from '../function/values.ts';
import type { EntrySource } from './source.ts';
import { type Draft, keyOf, writeCall } from './values/data.ts';
import { literalOf } from './values/literals.ts';

/** `>>> f(1, 2)` in the function's docstring. */
export async function doctestsOf(source: EntrySource, fn: string): Promise<Call[]> {
  if (source.language !== 'python' || fn.includes('.')) return [];
  const lines = doctestLines(source.doc);
  return lines === '' ? [] : await literalCalls('python', lines, fn);
}

/** The lines behind `>>>` and `...`. */
export function doctestLines(text: string): string {
  return [...text.matchAll(/^\s*(?:>>>|\.\.\.)\s?(.*)$/gm)].map(([, line = '']) => line).join('\n');
}

/** Calls of `name` with literal arguments in a text. */
export async function literalCalls(language: string, text: string, name: string): Promise<Call[]> {
  const python = language === 'python';
  const { root } = await parse(language, text);
  const found = new Map<string, Call>();
  for (const node of descendants(root)) {
    if (node.type !== 'call' && node.type !== 'call_expression') continue;
    const called = childOf(node, 'function');
    const last = called === undefined ? undefined : (childOf(called, 'attribute') ?? childOf(called, 'property') ?? called);
    if (last === undefined || text.slice(last.start, last.end) !== name) continue;
    const draft = draftOf(childOf(node, 'arguments'), text, python);
    if (draft !== undefined) found.set(keyOf(draft), writeCall(draft));
  }
  return [...found.values()];
}

function draftOf(list: SyntaxNode | undefined, text: string, python: boolean): Draft | undefined {
  if (list === undefined || !/^arguments?(?:_list)?$/.test(list.type)) return undefined;
  const args: Value[] = [];
  const kwargs: Record<string, Value> = {};
  for (const node of list.children) {
    if (!node.named || node.type === 'comment') continue;
    const name = node.type === 'keyword_argument' ? childOf(node, 'name') : undefined;
    const place = name === undefined ? node : childOf(node, 'value');
    const value = place === undefined ? undefined : literalOf(place, text, python);
    if (value === undefined) return undefined;
    if (name === undefined) args.push(value);
    else kwargs[text.slice(name.start, name.end)] = value;
  }
  return { args, kwargs };
}
