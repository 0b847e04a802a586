/** Builds up once what inner loops build up again and again: of what never changes, and of equal values. */
import { descendants, type SyntaxNode } from '../../syntax/parse.ts';
import { before, linesOf, type Operator, reindent, removal, type StructuralEdit } from '../structural-edit.ts';
import { namesOf } from '../structural-names.ts';
import { type Region, type Statement, textOf } from '../structural-region.ts';
import { isKept, isStored } from './once.ts';
import { leavesOf } from './remember.ts';
import {
  block,
  changes,
  freshName,
  isPython,
  isTypeScript,
  mutates,
  outside,
  repeatsAround,
  repetitions,
  statementsOf,
  within,
} from './shape.ts';
import { newMap } from './types.ts';

/** `total = 0` and the loop after it. */
interface Built {
  readonly made: Statement;
  readonly loop: Statement;
  readonly name: string;
  /** The word that declares the name. */
  readonly word: string;
  readonly type: string;
  /** What it is made of. */
  readonly reads: readonly string[];
  /** Whether nothing else than the name leaves the two statements, and nothing else in the node changes it. */
  readonly isAlone: (outer: SyntaxNode) => boolean;
}

function builtBy(region: Region, loop: Statement): Built | undefined {
  if (!region.grammar.loops.has(loop.node.type) || !loop.ownLines || loop.rigid || isKept(region, loop.node)) return undefined;
  const own = statementsOf(region, loop.block);
  const made = own[own.indexOf(loop) - 1];
  const [, word = '', name = '', type = ''] =
    made === undefined ? [] : (/^((?:const|let|var)\s+)?(\w+)\s*(:[^=]+)?=[^=]/.exec(textOf(region, made.node)) ?? []);
  if (made === undefined || name === '' || !made.ownLines || made.rigid) return undefined;
  const { changed, declared, used } = namesOf([...descendants(made.node), ...descendants(loop.node)], region.text);
  const reads = [...used].filter((each) => each !== name && !declared.has(each));
  const again = new RegExp(
    `(?<![\\w.])${name}\\s*(\\.\\s*(append|push|pop|add|sort|set|insert|extend|update|shift|splice)\\s*\\(|\\[[^\\]]*\\]\\s*[-+*/%|&]?=[^=]|[-+*/%|&]?=[^=>]|\\+\\+)`,
  );
  const isAlone = (outer: SyntaxNode) => {
    const rest = `${region.text.slice(outer.start, made.start)}${region.text.slice(loop.end, outer.end)}`;
    const leaves = (each: string) => !declared.has(each) || new RegExp(`\\b${each}\\b`).test(rest);
    return !again.test(rest) && ![...changed].some((each) => each !== name && leaves(each));
  };
  return { made, loop, name, word: word.trim(), type, reads, isAlone };
}

/** The two statements one level deeper, the first line without its indentation. */
function deeper(region: Region, { made, loop }: Built): string {
  return reindent(region.text.slice(made.start + made.indent.length, loop.end), made.indent, made.indent + region.unit);
}

const makesContainer = (region: Region, { made }: Built): boolean =>
  /=\s*(\[|\{|list\(|set\(|dict\(|new )/.test(textOf(region, made.node));

/** A sum that an inner loop builds up from what never changes is built up once. */
export const buildOnce: Operator = (region) =>
  region.statements.flatMap((loop): StructuralEdit[] => {
    const built = builtBy(region, loop);
    if (built === undefined) return [];
    const { made, name, word, type } = built;
    const group = { start: made.start, end: loop.end };
    const place = outside(region, made.node, built.reads);
    if (place === undefined || within(place.node, loop.node) || place.node === loop.node || !built.isAlone(place.node)) return [];
    const early: StructuralEdit = {
      what: `build up once: ${name}`,
      at: made.node.start,
      changes: [removal(region, made), removal(region, loop), before(region, place, hoisted(region, made, loop, place))],
    };
    const isKeptElsewhere = isBareName(region, place.node, name);
    if (isKeptElsewhere && makesContainer(region, built)) return [];
    const plain = isKeptElsewhere ? [] : [early];
    const known = freshName(region, `known_${name}`);
    const inner = deeper(region, built);
    const what = `build up once: ${name}`;
    if (isPython(region)) {
      const text = [`if ${known} is None:`, `${region.unit}${inner}`, `${region.unit}${known} = ${name}`, `${name} = ${known}`];
      return [
        ...plain,
        {
          what,
          at: made.node.start,
          changes: [before(region, place, `${known} = None`), { ...group, text: made.indent + block(region, made, text) }],
        },
      ];
    }
    if (isTypeScript(region) || (word !== 'let' && word !== 'const')) return plain;
    const text = [
      `if (${known} === undefined) {`,
      `${region.unit}${inner}`,
      `${region.unit}${known} = ${name};`,
      '}',
      `${word} ${name}${type} = ${known};`,
    ];
    return [
      ...plain,
      {
        what,
        at: made.node.start,
        changes: [before(region, place, `let ${known};`), { ...group, text: made.indent + block(region, made, text) }],
      },
    ];
  });

/** The two statements as they stand before the place. */
function hoisted(region: Region, made: Statement, loop: Statement, place: Statement): string {
  const lines = [made, loop].map((each) => reindent(linesOf(region, each), each.indent, place.indent));
  return lines.join(`${region.eol}${place.indent}`);
}

/** Whether the name's value is kept: each pass of the loop may then need one of its own. */
function isBareName(region: Region, place: SyntaxNode, name: string): boolean {
  return region.nodes.some(
    (each) => each.type === 'identifier' && within(each, place) && textOf(region, each) === name && isStored(region, each),
  );
}

/** What an inner loop builds up of one value, which outer loops meet again and again, is remembered by the value. */
export const rememberBuilt: Operator = (region) =>
  region.statements.flatMap((loop): StructuralEdit[] => {
    const built = builtBy(region, loop);
    const outer = built === undefined ? undefined : repetitions(region, built.made.node)[0];
    if (built === undefined || outer === undefined || repeatsAround(region, built.made.node) < 2) return [];
    const { made, name, word, reads } = built;
    const moving = reads.filter((each) => changes(region, outer.node, each));
    const [leaf, more] = leavesOf(region, [made.node, loop.node], moving);
    if (leaf === undefined || more !== undefined || (isPython(region) ? word !== '' : word !== 'let')) return [];
    const place = outside(
      region,
      made.node,
      reads.filter((each) => !moving.includes(each)),
    );
    if (place === undefined || within(place.node, loop.node) || !within(outer.node, place.node)) return [];
    // A list that is changed on the way stands for nothing.
    if (mutates(region, place.node, leaf)) return [];
    if (!built.isAlone(outer.node) || (makesContainer(region, built) && isBareName(region, outer.node, name))) return [];
    const value = /=\s*(.*?);?$/.exec(textOf(region, made.node))?.[1] ?? '';
    const type = /^-?\d[\d.]*$/.test(value) ? 'number' : /^(['"])[^'"]*\1$/.test(value) ? 'string' : undefined;
    if (isTypeScript(region) && type === undefined) return [];
    const map = freshName(region, isPython(region) ? `known_${name}` : `${name}By`);
    const inner = deeper(region, built);
    const { unit } = region;
    const lines = isPython(region)
      ? [`if ${leaf} not in ${map}:`, `${unit}${inner}`, `${unit}${map}[${leaf}] = ${name}`, `${name} = ${map}[${leaf}]`]
      : [
          `let ${name} = ${map}.get(${leaf});`,
          `if (${name} === undefined) {`,
          `${unit}${inner.replace(/^let (\w+)(: [^=]+?)? =/, '$1 =')}`,
          `${unit}${map}.set(${leaf}, ${name});`,
          '}',
        ];
    const table = isPython(region) ? `${map} = {}` : `const ${map} = ${newMap(region, 'unknown', type ?? 'unknown')};`;
    const group = { start: made.start, end: loop.end, text: made.indent + block(region, made, lines) };
    return [{ what: `remember by ${leaf}: ${name}`, at: made.node.start, changes: [before(region, place, table), group] }];
  });
