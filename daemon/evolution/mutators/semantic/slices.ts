/** Replaces a text or list that loses its first part in each pass of a loop by a position that moves on. */
import { childOf, descendants } from '../../syntax/parse.ts';
import { before, type Operator, replacing, type StructuralEdit, type TextChange } from '../structural-edit.ts';
import { loopsAround, textOf } from '../structural-region.ts';
import { changes, freshName, isPython, within } from './shape.ts';

/** `while s: … s[0] … s = s[1:]` copies what is left of the text in each pass. */
export const restToPosition: Operator = (region) =>
  region.statements.flatMap((loop): StructuralEdit[] => {
    const condition = childOf(loop.node, 'condition');
    if (loop.node.type !== 'while_statement' || condition === undefined || !loop.ownLines) return [];
    const test = textOf(region, condition).replace(/^\((.*)\)$/, '$1');
    const rest = isPython(region)
      ? /^(?:len\((\w+)\)(?: > 0)?|(\w+))$/.exec(test)
      : /^(\w+)(?:\.length(?: > 0)?| !== '')$/.exec(test);
    const name = rest?.[1] ?? rest?.[2];
    if (name === undefined) return [];
    const at = freshName(region, 'position');
    const size = isPython(region) ? `len(${name})` : `${name}.length`;
    const cut = isPython(region)
      ? new RegExp(`^${name} = ${name}\\[(\\w+|len\\(\\w+\\)):\\]$`)
      : new RegExp(`^${name} = ${name}\\.(?:slice|substring)\\((\\w+|\\w+\\.length)\\);?$`);
    const edits: TextChange[] = [];
    const covered: { start: number; end: number }[] = [];
    for (const statement of region.statements) {
      const by = within(statement.node, loop.node) ? cut.exec(textOf(region, statement.node))?.[1] : undefined;
      if (by === undefined) continue;
      edits.push(replacing(statement.node, `${at} += ${by}${isPython(region) ? '' : ';'}`));
      covered.push(statement.node);
    }
    if (edits.length === 0) return [];
    for (const node of descendants(loop.node)) {
      if (covered.some((each) => within(node, { ...node, ...each }))) continue;
      const text = textOf(region, node);
      const first = new RegExp(`^${name}\\[(\\d+)\\]$`).exec(text)?.[1];
      const starts = new RegExp(`^${name}\\.(startswith|startsWith)\\(([^()]*)\\)$`).exec(text);
      if (first !== undefined) edits.push(replacing(node, `${name}[${at}${first === '0' ? '' : ` + ${first}`}]`));
      else if (starts !== null) edits.push(replacing(node, `${name}.${starts[1]}(${starts[2]}, ${at})`));
      else if (node === condition) edits.push(replacing(node, isPython(region) ? `${at} < ${size}` : `(${at} < ${size})`));
      else if (text === name && node.type === 'identifier') return [];
      else continue;
      covered.push(node);
    }
    // What is left of it must not be read behind the loop.
    const [around] = loopsAround(region, loop.node);
    const isSet =
      around === undefined || new RegExp(`\\b${name}\\b[^=\\n]*=[^=]`).test(region.text.slice(around.start, loop.start));
    const behind = region.nodes.some(
      (node) => node.start >= loop.node.end && node.type === 'identifier' && textOf(region, node) === name,
    );
    if (
      !isSet ||
      behind ||
      edits.length < 2 ||
      region.statements.some((each) => within(each.node, loop.node) && each !== loop && changes(region, each.node, at))
    )
      return [];
    const made = isPython(region) ? `${at} = 0` : `let ${at} = 0;`;
    return [{ what: `move a position through ${name}`, at: loop.node.start, changes: [before(region, loop, made), ...edits] }];
  });
