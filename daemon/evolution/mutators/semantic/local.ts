/** Brings a function of the file into the function that calls it, where it can share what never changes and remember its results. */
import { childOf, descendants, type SyntaxNode } from '../../syntax/parse.ts';
import {
  after,
  applyChanges,
  before,
  type Operator,
  reindent,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../structural-edit.ts';
import { roleOf } from '../structural-names.ts';
import { type Region, type Statement, statementAt, textOf } from '../structural-region.ts';
import {
  callParts,
  callsIn,
  changes,
  firstStatement,
  freshName,
  functionsAround,
  isPython,
  isTypeScript,
  mutates,
  readIn,
  repetitions,
  within,
} from './shape.ts';

interface Helper {
  readonly name: string;
  /** The whole declaration. */
  readonly own: SyntaxNode;
  readonly body: SyntaxNode;
  readonly parameters: readonly SyntaxNode[];
}

/** The functions of the file around the span that are declared by their names, with plain parameters. */
function helpersOf(region: Region): Helper[] {
  let root = region.nodes[0];
  while (root?.parent !== undefined) root = root.parent;
  return (root?.children ?? []).flatMap((own) => {
    const isOutside = own.end <= region.span.start || own.start >= region.span.end;
    if (!isOutside || !/^function_(definition|declaration)$/.test(own.type)) return [];
    return helperOf(region, own) ?? [];
  });
}

function helperOf(region: Region, own: SyntaxNode): Helper | undefined {
  const [name, list, body] = [childOf(own, 'name'), childOf(own, 'parameters'), childOf(own, 'body')];
  const parameters = list?.children.filter((child) => child.named) ?? [];
  const isPlain = parameters.every((each) => /^\w+(\s*:[^=]+)?$/.test(textOf(region, each)));
  if (name === undefined || body === undefined || !isPlain || /^async\b|\byield\b/.test(textOf(region, own))) return undefined;
  // A text of several lines would not survive another indentation.
  const described = describedBy(body);
  const spans = (node: SyntaxNode) =>
    textOf(region, node).includes('\n') && !(described !== undefined && within(node, described));
  if (descendants(body).some((each) => /^(string|template_string)$/.test(each.type) && spans(each))) return undefined;
  return { name: textOf(region, name), own, body, parameters };
}

/** The docstring, which the copy does without. */
function describedBy(body: SyntaxNode): SyntaxNode | undefined {
  const first = body.children.find(({ named }) => named);
  const isText = first?.type === 'expression_statement' && first.children[0]?.type === 'string';
  return isText ? first : undefined;
}

const nameOf = (region: Region, parameter: SyntaxNode): string => /^\w+/.exec(textOf(region, parameter))?.[0] ?? '';

interface Call {
  readonly node: SyntaxNode;
  readonly args: readonly SyntaxNode[];
}

const callsOf = (region: Region, name: string, nodes: readonly SyntaxNode[]): Call[] =>
  nodes.flatMap((node) => {
    const call = callParts(region, node);
    return call?.name === name ? [{ node, args: call.args }] : [];
  });

interface Local extends Helper {
  /** The name that the copy gets. */
  readonly copy: string;
  readonly place: Statement;
  readonly calls: readonly Call[];
  readonly again: readonly Call[];
  /** For each parameter the name around the copy that it always stands for; undefined for one that stays. */
  readonly fixed: readonly (string | undefined)[];
}

function localOf(region: Region, helper: Helper): Local | undefined {
  const { name, own, body, parameters } = helper;
  const calls = callsOf(region, name, region.nodes);
  const [first] = calls;
  const isInner = calls.some(({ node }) => functionsAround(region, node).length > 1);
  const place = first === undefined ? undefined : isInner ? firstOfAll(region, first.node) : topStatement(region, first.node);
  if (first === undefined || place === undefined || !place.ownLines) return undefined;
  const again = callsOf(region, name, descendants(body));
  const isWhole = [...calls, ...again].every(({ args }) => {
    return args.length === parameters.length && args.every(({ type }) => !/^keyword_argument$|splat|^spread/.test(type));
  });
  // A function that is handed over by its name stays where it is.
  const uses = [...region.nodes, ...descendants(body)].filter(
    (each) => each.type === 'identifier' && textOf(region, each) === name && roleOf(each) === 'uses',
  );
  if (!isWhole || uses.length !== calls.length + again.length) return undefined;
  const declared = new Set(
    region.nodes
      .filter((each) => roleOf(each) === 'declares')
      .map((each) => textOf(region, each))
      .concat(parametersAround(region)),
  );
  const given = parameters.map((each) => nameOf(region, each));
  if (readIn(region, body).some((each) => !given.includes(each) && declared.has(each))) return undefined;
  const inner = new Set(
    descendants(body)
      .filter((each) => roleOf(each) === 'declares')
      .map((each) => textOf(region, each)),
  );
  const behind = region.statements.filter((each) => each.block === place.block && each.start >= place.start);
  const fixed = given.map((parameter, at) => {
    const value = first.args[at];
    const text = value?.type === 'identifier' ? textOf(region, value) : '';
    const isSame =
      !isInner &&
      declared.has(text) &&
      calls.every(({ args }) => args[at] !== undefined && textOf(region, args[at]) === text) &&
      again.every(({ args }) => args[at] !== undefined && textOf(region, args[at]) === parameter) &&
      !behind.some((each) => rebinds(region, each.node, text)) &&
      !rebinds(region, body, parameter) &&
      (text === parameter || !inner.has(text));
    return isSame ? text : undefined;
  });
  const copy = freshName(region, isPython(region) ? `${name}_here` : `${name}Here`);
  return { ...helper, own, copy, place, calls, again, fixed };
}

const rebinds = (region: Region, node: SyntaxNode, name: string): boolean =>
  descendants(node).some((each) => textOf(region, each) === name && /^(declares|assigns)$/.test(roleOf(each) ?? ''));

/** The names of the parameters of the span's function. */
function parametersAround(region: Region): string[] {
  const fn = region.nodes.find((each) => region.grammar.functions.has(each.type));
  const list = fn === undefined ? undefined : childOf(fn, 'parameters');
  return list?.children.filter((child) => child.named).map((each) => nameOf(region, each)) ?? [];
}

/** In front of all that the outermost function does: a local one may be called before it is declared. */
function firstOfAll(region: Region, node: SyntaxNode): Statement | undefined {
  const fn = functionsAround(region, node).at(-1);
  const body = fn && childOf(fn, 'body');
  const described = body && describedBy(body);
  const first = body?.children.find((each) => each.named && each !== described && !region.grammar.comments.has(each.type));
  return body && first && statementAt(first, body, region.text, region.span);
}

/** The statement of the function's own block around the node. */
function topStatement(region: Region, node: SyntaxNode): Statement | undefined {
  const first = firstStatement(region, node);
  return first && region.statements.find((each) => each.block === first.block && within(node, each.node));
}

/** Whether the program calls the function more than once in its function, as far as the text says. */
function isRepeated(region: Region, { calls, again }: Local): boolean {
  const repeats = ({ node }: Call) => repetitions(region, node).length > 0 || functionsAround(region, node).length > 1;
  return again.length > 0 || calls.some(repeats);
}

/** The changes that have calls name the copy, without the arguments that never change. */
function renamed(local: Local, calls: readonly Call[]): TextChange[] {
  return calls.flatMap(({ node, args }) => {
    const called = childOf(node, 'function');
    const list = childOf(node, 'arguments');
    if (called === undefined || list === undefined) return [];
    const rename = replacing(called, local.copy);
    if (local.fixed.every((each) => each === undefined)) return [rename];
    // Calls in arguments are renamed as well.
    const [open, close] = [list.children[0], list.children.at(-1)];
    if (open === undefined || close === undefined) return [];
    const dropped = args.flatMap((arg, at): TextChange[] => {
      if (local.fixed[at] === undefined) return [];
      const next = args[at + 1];
      const kept = args.slice(0, at).filter((_, index) => local.fixed[index] === undefined);
      if (next !== undefined) return [{ start: arg.start, end: next.start, text: '' }];
      const last = kept.at(-1);
      const from = last === undefined || args.slice(0, at).at(-1) !== last ? arg.start : last.end;
      return [{ start: from, end: close.start, text: '' }];
    });
    return [rename, ...dropped];
  });
}

/** The declaration of the copy, and those of its parameters that stay. */
function copied(region: Region, local: Local, name: string): { text: string; names: string[] } | undefined {
  const { own, body, parameters, fixed, again } = local;
  const stay = parameters.filter((_, at) => fixed[at] === undefined);
  const list = childOf(own, 'parameters');
  const named = childOf(own, 'name');
  if (list === undefined || named === undefined) return undefined;
  const names = new Map(
    parameters.flatMap((each, at) => (fixed[at] === undefined ? [] : [[nameOf(region, each), fixed[at]] as const])),
  );
  const described = describedBy(body);
  const rest = body.children.find(({ named, start }) => named && described !== undefined && start >= described.end);
  const undescribed =
    described === undefined || rest === undefined ? [] : [{ start: described.start, end: rest.start, text: '' }];
  const dropped = [...renamed(local, again), ...undescribed];
  const isGone = (node: SyntaxNode) =>
    dropped.some(({ start, end, text }) => text === '' && node.start >= start && node.end <= end);
  const reads = descendants(body).filter((each) => names.has(textOf(region, each)) && roleOf(each) === 'uses' && !isGone(each));
  if (reads.some(({ type }) => type.startsWith('shorthand'))) return undefined;
  const edits: TextChange[] = [
    replacing(named, name),
    replacing(list, `(${stay.map((each) => textOf(region, each)).join(', ')})`),
    ...dropped,
    ...reads.map((each) => replacing(each, names.get(textOf(region, each)) ?? '')),
  ];
  const moved = edits.map(({ start, end, text }) => ({ start: start - own.start, end: end - own.start, text }));
  const text = applyChanges(textOf(region, own), moved);
  return text === undefined ? undefined : { text, names: stay.map((each) => nameOf(region, each)) };
}

/**
 * A copy of a function of the file that reads the names around it, instead of being given the same each time, or that calls other
 * functions again and again, whose results can be remembered outside of it.
 */
export const localHelper: Operator = (region) => {
  const helpers = helpersOf(region);
  return helpers.flatMap((helper): StructuralEdit[] => {
    const local = localOf(region, helper);
    const copy = local === undefined ? undefined : copied(region, local, local.copy);
    if (local === undefined || copy === undefined) return [];
    const inner = callsIn({ ...region, nodes: descendants(helper.body) });
    const callsOthers = helpers.some(({ name }) => name !== helper.name && inner.some((call) => call.name === name));
    if (local.fixed.every((each) => each === undefined) && !(callsOthers && isRepeated(region, local))) return [];
    const lines = reindent(copy.text, '', local.place.indent);
    const changesMade = [before(region, local.place, lines), ...renamed(local, local.calls)];
    return [{ what: `bring in a function: ${helper.name}`, at: local.place.node.start, changes: changesMade }];
  });
};

/** Whether the function only computes what it returns from what it reads. */
function isPure(region: Region, { body, parameters, name }: Helper): boolean {
  const text = textOf(region, body);
  const free = [...readIn(region, body).filter((each) => each !== name), ...parameters.map((each) => nameOf(region, each))];
  if (!/\breturn[ (]+[^\s;]/.test(text) || /\b(print|open|input|random|console)\b/.test(text)) return false;
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
  if (raises.test(text) && grown.test(text)) return 'none';
  return new RegExp(`${name}(\\[["']|\\.get\\(["']|\\.[A-Za-z_]\\w*\\b(?!\\())`).test(text) ? 'identity' : 'value';
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
    if (copy === undefined || keys === undefined) return [];
    const lines = [copy.text, ...rememberingLines(region, { ...names, ...copy, solve: local.copy, own: local.own, keys })];
    const changesMade = [
      before(region, local.place, reindent(lines.join('\n'), '', local.place.indent)),
      ...renamed(local, local.calls),
    ];
    return [{ what: `remember the results of a function: ${helper.name}`, at: local.place.node.start, changes: changesMade }];
  });

/** A function in the function remembers, within one call of the program, what it has returned. */
export const rememberingInner: Operator = (region) =>
  region.nodes.flatMap((own): StructuralEdit[] => {
    const found = /^function_(definition|declaration)$/.test(own.type) ? helperOf(region, own) : undefined;
    const home = own.parent;
    const isInner =
      home?.parent !== undefined && region.grammar.functions.has(home.parent.type) && home.start > region.span.start;
    const named = childOf(own, 'name');
    if (found === undefined || home === undefined || named === undefined || !isInner || !isPure(region, found)) return [];
    const given = found.parameters.map((each) => nameOf(region, each));
    const free = readIn(region, found.body).filter((each) => each !== found.name && !given.includes(each));
    const behind = region.statements.filter((each) => each.block === home && each.start > own.start);
    const isFixed = !behind.some((each) => free.some((name) => changes(region, each.node, name)));
    const calls = callsOf(region, found.name, region.nodes);
    const keys = keysOf(region, found, given);
    if (!isFixed || calls.length < 2 || /\bnonlocal\b/.test(textOf(region, own))) return [];
    const isReady = calls.every(({ node }) => node.start > own.start);
    const names = { ...namesFor(region, found.name), names: given, text: textOf(region, own) };
    if (!isReady || keys === undefined) return [];
    const lines = rememberingLines(region, { ...names, solve: found.name, own, keys });
    const statement = statementAt(own, home, region.text, region.span);
    const changesMade = [
      replacing(named, names.work),
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
  readonly kind: 'value' | 'identity' | 'none';
}

/** What results are remembered by; undefined where nothing can stand for the parameters. */
function keysOf(region: Region, helper: Helper, names: readonly string[]): Key[] | undefined {
  const keys = names.map((name): Key => ({ name, kind: keyOf(region, helper, name) })).filter(({ kind }) => kind !== 'none');
  const [only, more] = keys;
  // In JavaScript a text stands for several values, and for no object.
  const isLost = !isPython(region) && more !== undefined && keys.some(({ kind }) => kind === 'identity');
  return only === undefined || isLost ? undefined : keys;
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

const rememberingLines = (region: Region, how: Remembering): string[] =>
  isPython(region) ? pythonLines(region, how) : javascriptLines(region, how);

function pythonLines(region: Region, { known, work, solve, names, keys }: Remembering): string[] {
  const { unit } = region;
  const list = names.join(', ');
  const parts = keys.map(({ name, kind }) => (kind === 'identity' ? `id(${name})` : name));
  const key = parts.length === 1 ? parts[0] : `(${parts.join(', ')})`;
  // What is known by its identity must live on, or another value may get the same.
  const alive = keys.filter(({ kind }) => kind === 'identity').map(({ name }) => name);
  const value = `${work}(${list})`;
  const [kept, read] = alive.length === 0 ? [value, ''] : [`(${value}, ${alive.join(', ')})`, '[0]'];
  return [
    `${known} = {}`,
    `def ${solve}(${list}):`,
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
  const header = /\(([^)]*)\)/.exec(text)?.[1] ?? list;
  const returned = typed ? (/\)(: [^{]+?) \{/.exec(textOf(region, own))?.[1] ?? `: ReturnType<typeof ${work}>`) : '';
  // As JSON, 1 and '1' differ, and so do 'a,b' with 'c' and 'a' with 'b,c'.
  const key = keys.length === 1 ? keys[0]?.name : `JSON.stringify([${keys.map(({ name }) => name).join(', ')}])`;
  return [
    `const ${known} = new Map${typed ? `<unknown, ${returned.slice(2)}>` : ''}();`,
    `function ${solve}(${header})${returned} {`,
    `${unit}const key = ${key};`,
    `${unit}const found = ${known}.get(key);`,
    `${unit}if (found !== undefined || ${known}.has(key)) return found${typed ? ` as ${returned.slice(2)}` : ''};`,
    `${unit}const value = ${work}(${list});`,
    `${unit}${known}.set(key, value);`,
    `${unit}return value;`,
    '}',
  ];
}
