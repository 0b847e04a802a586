/** Tables that are filled before a repeated statement and asked in it, such that what fails, fails as before. Pure. */
import type { SyntaxNode } from '../../../syntax/parse.ts';
import { before, type TextChange } from '../../structural-edit.ts';
import type { Region, Statement } from '../../structural-region.ts';
import { block, isPython, isTypeScript, within } from '../shape.ts';
import { mayFail } from './scans.ts';

/** Whether working out one of these can fail: it reads a part of what may be nothing, takes it apart, or calls something. */
export const isRisky = (...texts: readonly string[]): boolean => texts.some((text) => mayFail(text) || /[[{,]/.test(text));

/**
 * `lines`: the table's empty value, then what fills it. With care, a table in which an item cannot be filed, as one without the key, is
 * left empty.
 */
export function filledBefore(
  region: Region,
  place: Statement,
  name: string,
  [empty = '', ...fill]: readonly string[],
  careful: boolean,
): TextChange {
  const made = isPython(region) ? `${name} = ${empty}` : `const ${name} = ${empty};`;
  const inner = fill.map((line) => region.unit + line);
  const clear = `${region.unit}${name}.clear()`;
  const filled = !careful
    ? fill
    : isPython(region)
      ? ['try:', ...inner, 'except Exception:', clear]
      : ['try {', ...inner, '} catch {', `${clear};`, '}'];
  return before(region, place, block(region, place, [made, ...filled]));
}

/** What a full table answers. With care, nothing is asked of an empty one: what stood there before does the work. */
export function answered(region: Region, table: string, answer: string, otherwise: string, careful: boolean): string {
  if (!careful) return / \?\? | in /.test(answer) ? `(${answer})` : answer;
  return isPython(region) ? `(${answer} if ${table} else ${otherwise})` : `(${table}.size > 0 ? ${answer} : ${otherwise})`;
}

/**
 * Makes a table before the repeated statement. A loop that never runs looks at no item, which may be of another kind: with care, the
 * table is filled the first time that it is asked, if that is in a statement of its own.
 */
export function madeOnce(
  region: Region,
  place: Statement,
  node: SyntaxNode,
  name: string,
  [empty = '', ...fill]: readonly string[],
  careful: boolean,
): TextChange[] {
  const own = region.statements.findLast((each) => within(node, each.node) && within(each.node, place.node));
  // A function of Python's that gives a name a value has a name of its own.
  const isApart =
    isPython(region) &&
    own !== undefined &&
    region.nodes.some((each) => region.grammar.functions.has(each.type) && within(own.node, each) && within(each, place.node));
  if (!careful || isTypeScript(region) || own === undefined || own === place || !own.ownLines || isApart)
    return [filledBefore(region, place, name, [empty, ...fill], false)];
  const inner = fill.map((line) => region.unit + line);
  const filled = isPython(region)
    ? [`if ${name} is None:`, `${region.unit}${name} = ${empty}`, ...inner]
    : [`if (${name} === undefined) {`, `${region.unit}${name} = ${empty};`, ...inner, '}'];
  return [
    before(region, place, isPython(region) ? `${name} = None` : `let ${name};`),
    before(region, own, block(region, own, filled)),
  ];
}
