/** Remembers, within one call of the program, what functions of the file and of the function have returned. */
import { descendants, type SyntaxNode } from '../../../syntax/parse.ts';
import { after, before, type Operator, reindent, replacing, type StructuralEdit } from '../../structural-edit.ts';
import { type Region, statementAt, textOf } from '../../structural-region.ts';
import { callsIn, changes, freshName, isPython, isTypeScript, mutates, readIn, within } from '../shape.ts';
import { declaredBy, nameOf } from './declared.ts';
import { kindOf } from './kinds.ts';
import { callsOf, copied, type Helper, helperOf, helpersOf, isRepeated, type Local, localOf, rebinds, renamed } from './local.ts';

/** Whether the function only computes what it returns from what it reads. */
function isPure(region: Region, { body, parameters, name }: Helper): boolean {
  const text = textOf(region, body);
  const free = [...readIn(region, body).filter((each) => each !== name), ...parameters.map((each) => nameOf(region, each))];
  const returns = !/block$/.test(body.type) || /\breturn[ (]+[^\s;]/.test(text);
  if (!returns || /\b(print|open|input|random|console)\b/.test(text)) return false;
  // A parameter that gets another value is the function's own from then on.
  return !free.some((each) => mutates(region, body, each) && !rebinds(region, body, each));
}

/** What a parameter's value is remembered by: itself, its identity, or nothing where it only reports a failure. */
function keyOf(region: Region, { body }: Helper, parameter: string): 'value' | 'identity' | 'none' {
  const text = textOf(region, body);
  const name = `(?<![\\w.])${parameter}`;
  const raises = new RegExp(
    `\\bif\\b[^\\n]*${isPython(region) ? `\\bin ${parameter}\\b` : `${name}\\.(?:includes|has)\\(`}[^\\n]*\\n?\\s*\\{?\\s*(raise|throw)\\b`,
  );
  const grown = new RegExp(`${name} [+|] [\\[{]|\\[\\*?(?:\\.\\.\\.)?${parameter}, `);
  return raises.test(text) && grown.test(text) ? 'none' : kindOf(region, body, parameter);
}

/** Whether what calls give for a key by identity stays as it is in the span, as far as the text says. */
function isSteady(region: Region, { parameters }: Helper, calls: Local['calls'], keys: readonly Key[]): boolean {
  const [root] = region.nodes;
  const names = parameters.map((each) => nameOf(region, each));
  return keys.every(({ name, kind }) => {
    const given = calls.flatMap(({ args }) => args[names.indexOf(name)] ?? []);
    return kind === 'value' || !given.some((arg) => root !== undefined && mutates(region, root, textOf(region, arg)));
  });
}

/** A copy of a function of the file that remembers, within one call of the program, what it has returned. */
export const rememberingHelper: Operator = (region) =>
  helpersOf(region).flatMap((helper): StructuralEdit[] => {
    const local = localOf(region, helper);
    if (local === undefined || !isPure(region, helper) || isCheap(region, local) || isStep(region, local)) return [];
    if (!isRepeated(region, local)) return [];
    const names = namesFor(region, helper.name);
    const copy = copied(region, local, names.work);
    const keys = copy === undefined ? undefined : keysOf(region, helper, copy.names);
    if (copy === undefined || keys === undefined || !isSteady(region, helper, local.calls, keys)) return [];
    const edit = (what: string, by: readonly Key[]): StructuralEdit => {
      const lines = [copy.text, ...rememberingLines(region, { ...names, ...copy, solve: local.copy, own: local.own, keys: by })];
      const text = reindent(lines.join('\n'), '', local.place.indent);
      const changesMade = [before(region, local.place, text), ...renamed(local, local.calls)];
      return { what: `${what}: ${helper.name}`, at: local.place.node.start, changes: changesMade };
    };
    const read = keys.map((key): Key => {
      const members = key.kind === 'identity' ? membersRead(region, helper.body, key.name) : undefined;
      return members === undefined ? key : { ...key, kind: 'members', members };
    });
    const byMembers = read.some(({ kind }) => kind === 'members')
      ? [edit('remember the results of a function by the members that it reads', read)]
      : [];
    return [edit('remember the results of a function', keys), ...byMembers];
  });

/** By more than these, remembering costs as much as most functions. */
const MOST_MEMBERS = 3;

/** `item.code` and `item["code"]`, where the body reads nothing else of the parameter, and hands it to nobody. */
function membersRead(region: Region, body: SyntaxNode, parameter: string): string[] | undefined {
  const uses = descendants(body).filter((each) => each.type === 'identifier' && textOf(region, each) === parameter);
  const members = uses.map(({ parent }) => {
    const isMember = /^(attribute|member_expression|subscript|subscript_expression)$/.test(parent?.type ?? '');
    const text = parent === undefined || !isMember ? '' : textOf(region, parent);
    const isRead = parent?.field !== 'function' && parent?.field !== 'left';
    return isRead && new RegExp(`^${parameter}(\\.\\w+|\\[["']\\w+["']\\])$`).test(text) ? text : undefined;
  });
  const found = [...new Set(members)].filter((each) => each !== undefined);
  const isAll = members.every((each) => each !== undefined);
  return isAll && found.length > 0 && found.length <= MOST_MEMBERS ? found : undefined;
}

/** A function in the function remembers, within one call of the program, what it has returned. */
export const rememberingInner: Operator = (region) =>
  region.nodes.flatMap((own): StructuralEdit[] => {
    const declared = declaredBy(own);
    const found = declared === undefined ? undefined : helperOf(region, declared);
    const home = own.parent;
    const isInner =
      home?.parent !== undefined && region.grammar.functions.has(home.parent.type) && home.start > region.span.start;
    if (found === undefined || home === undefined || !isInner || !isPure(region, found)) return [];
    const given = found.parameters.map((each) => nameOf(region, each));
    const free = readIn(region, found.body).filter((each) => each !== found.name && !given.includes(each));
    const behind = region.statements.filter((each) => each.block === home && each.start > own.start);
    const isFixed = !behind.some((each) => free.some((name) => changes(region, each.node, name)));
    const calls = callsOf(region, found.name, region.nodes);
    const keys = keysOf(region, found, given);
    if (!isFixed || calls.length < 2 || /\bnonlocal\b/.test(textOf(region, own))) return [];
    const isReady = calls.every(({ node }) => node.start > own.start);
    const names = { ...namesFor(region, found.name), names: given, text: textOf(region, own) };
    if (!isReady || keys === undefined || !isSteady(region, found, calls, keys)) return [];
    const lines = rememberingLines(region, { ...names, solve: found.name, own, keys });
    const statement = statementAt(own, home, region.text, region.span);
    const changesMade = [
      replacing(found.named, names.work),
      after(region, statement, reindent(lines.join('\n'), '', statement.indent)),
    ];
    return [{ what: `remember the results of a function: ${found.name}`, at: own.start, changes: changesMade }];
  });

/** A function that works out little of few values is as quick as remembering what it has returned. */
function isCheap(region: Region, { body, again }: Local): boolean {
  const text = textOf(region, body);
  return again.length === 0 && text.length < 60 && callsIn({ ...region, nodes: descendants(body) }).length === 0;
}

/** A result that takes the place of an argument is asked for once: `state = next_state(state)`. */
function isStep(region: Region, { calls }: Local): boolean {
  return calls.some(({ node, args }) => {
    const own = region.statements.findLast((each) => within(node, each.node));
    const target = own === undefined ? undefined : /^([\w.[\]'"]+) = /.exec(textOf(region, own.node))?.[1];
    return target !== undefined && args.some((arg) => textOf(region, arg) === target);
  });
}

interface Key {
  readonly name: string;
  readonly kind: 'value' | 'identity' | 'members' | 'none';
  /** What is read of it, as expressions, where that stands for it. */
  readonly members?: readonly string[];
}

/** What results are remembered by; undefined where nothing can stand for the parameters. */
function keysOf(region: Region, helper: Helper, names: readonly string[]): Key[] | undefined {
  const keys = names.map((name): Key => ({ name, kind: keyOf(region, helper, name) })).filter(({ kind }) => kind !== 'none');
  return keys.length === 0 ? undefined : keys;
}

/** `work_out_depth` and `known_depth`, `workOutDepth` and `knownDepth`. */
function namesFor(region: Region, name: string): { work: string; known: string } {
  const of = (word: string) => `${word}${isPython(region) ? `_${name}` : `${name.charAt(0).toUpperCase()}${name.slice(1)}`}`;
  return { work: freshName(region, of(isPython(region) ? 'work_out' : 'workOut')), known: freshName(region, of('known')) };
}

interface Remembering {
  readonly known: string;
  /** The function that does the work, and the one that remembers. */
  readonly work: string;
  readonly solve: string;
  readonly own: SyntaxNode;
  /** The declaration of the function that does the work, and its parameters. */
  readonly text: string;
  readonly names: readonly string[];
  readonly keys: readonly Key[];
}

/** The parameters as they are declared, with their types and what they are by default. */
const headerOf = (text: string): string | undefined => /\(([^)]*)\)/.exec(text)?.[1]?.replaceAll(/\s+/g, ' ').trim();

const rememberingLines = (region: Region, how: Remembering): string[] =>
  isPython(region) ? pythonLines(region, how) : javascriptLines(region, how);

function pythonLines(region: Region, { known, work, solve, text, names, keys }: Remembering): string[] {
  const { unit } = region;
  const list = names.join(', ');
  const header = headerOf(text) ?? list;
  const parts = keys.flatMap(({ name, kind, members }) => members ?? [kind === 'identity' ? `id(${name})` : name]);
  const key = parts.length === 1 ? parts[0] : `(${parts.join(', ')})`;
  // What is known by its identity must live on, or another value may get the same.
  const alive = keys.filter(({ kind }) => kind === 'identity').map(({ name }) => name);
  const value = `${work}(${list})`;
  const [kept, read] = alive.length === 0 ? [value, ''] : [`(${value}, ${alive.join(', ')})`, '[0]'];
  return [
    `${known} = {}`,
    `def ${solve}(${header}):`,
    `${unit}key = ${key}`,
    `${unit}if key not in ${known}:`,
    `${unit}${unit}${known}[key] = ${kept}`,
    `${unit}return ${known}[key]${read}`,
  ];
}

function javascriptLines(region: Region, { known, work, solve, own, text, names, keys }: Remembering): string[] {
  const { unit } = region;
  const list = names.join(', ');
  const typed = isTypeScript(region);
  const header = headerOf(text) ?? list;
  const returned = typed ? (/\)(: [^{=]+?) (?:\{|=>)/.exec(textOf(region, own))?.[1] ?? `: ReturnType<typeof ${work}>`) : '';
  const type = returned.slice(2);
  const all = keys.flatMap(({ name, members }) => members ?? [name]);
  // Tables in tables keep objects apart, which no text does. As JSON, 1 and '1' differ, and so do 'a,b' with 'c' and 'a' with 'b,c'.
  const outer = keys.some(({ kind }) => kind !== 'value') ? all.slice(0, -1) : [];
  const key = outer.length > 0 || all.length === 1 ? all.at(-1) : `JSON.stringify([${all.join(', ')}])`;
  const table = (depth: number): string => `Map<unknown, ${depth === 0 ? type : table(depth - 1)}>`;
  const nameAt = (depth: number): string => (depth === 0 ? known : `${known}${depth}`);
  const tables = outer.map((name, at) => {
    const found = `${nameAt(at)}.get(${name}) ?? ${nameAt(at)}.set(${name}, new Map()).get(${name})`;
    return `${unit}const ${nameAt(at + 1)} = ${typed ? `(${found}) as ${table(outer.length - at - 1)}` : found};`;
  });
  const last = nameAt(outer.length);
  return [
    `const ${known} = new ${typed ? table(outer.length) : 'Map'}();`,
    `function ${solve}(${header})${returned} {`,
    ...tables,
    `${unit}const key = ${key};`,
    `${unit}const found = ${last}.get(key);`,
    `${unit}if (found !== undefined || ${last}.has(key)) return found${typed ? ` as ${type}` : ''};`,
    `${unit}const value = ${work}(${list});`,
    `${unit}${last}.set(key, value);`,
    `${unit}return value;`,
    '}',
  ];
}
