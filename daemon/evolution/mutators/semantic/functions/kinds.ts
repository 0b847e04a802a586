/** Says what can stand for an argument in a table of results: the value itself, or its identity. Pure. */
import { descendants, type SyntaxNode } from '../../../syntax/parse.ts';
import { type Region, textOf } from '../../structural-region.ts';
import { callParts, isPython } from '../shape.ts';
import { functionNamed, nameOf } from './declared.ts';

/** How many functions deep an argument is followed. */
const DEPTH = 3;

/** Calls that go through all items of what they are given, which then is a list more often than a text. */
export const wholes = /^(set|frozenset|sorted|sum|max|min|tuple|Counter|mean|fmean|median|stdev|pstdev|dumps)$/;

/** Methods that lists have and texts do not. */
const listed = 'map|filter|find|findIndex|some|every|forEach|reduce|flatMap|join|push';

/** The identity of a parameter that the body reads as a table, a list of records or an object; such values cannot be keys in Python. */
export function kindOf(region: Region, body: SyntaxNode, parameter: string, depth = DEPTH): 'value' | 'identity' {
  const text = textOf(region, body);
  const name = `(?<![\\w.])${parameter}`;
  const isTable = new RegExp(`${name}(\\[["']|\\.(?:get|items|keys|values)\\(|\\.[A-Za-z_]\\w*\\b(?!\\())`);
  if (isTable.test(text)) return 'identity';
  if (!isPython(region))
    return new RegExp(`\\bof ${parameter}\\b|${name}\\??\\.(?:${listed})\\(`).test(text) ? 'identity' : 'value';
  const isList = new RegExp(`${name}\\[[^\\]]*\\]\\[|\\bfor \\w+, \\w+(?:, \\w+)* in ${parameter}\\b(?! *\\.)`);
  const [, item] = new RegExp(`\\bfor (\\w+) in ${parameter}\\b(?![.(])`).exec(text) ?? [];
  const isOfRecords = item !== undefined && new RegExp(`(?<![\\w.])${item}(\\[|\\.get\\()`).test(text);
  if (isList.test(text) || isOfRecords) return 'identity';
  const calls = descendants(body).flatMap((node) => callParts(region, node) ?? []);
  const isGiven = calls.some((call) => {
    const at = call.args.findIndex((arg) => textOf(region, arg) === parameter);
    if (at === -1) return false;
    if (wholes.test(call.name === '' ? call.method : call.name)) return true;
    const called = depth === 0 ? undefined : functionNamed(region, call.name);
    const inner = called?.parameters[at];
    return (
      called !== undefined && inner !== undefined && kindOf(region, called.body, nameOf(region, inner), depth - 1) === 'identity'
    );
  });
  return isGiven ? 'identity' : 'value';
}
