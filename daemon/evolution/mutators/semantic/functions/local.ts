/** Brings a function of the file into the function that calls it, where it can share what never changes. */
import { childOf, descendants, type SyntaxNode } from '../../../syntax/parse.ts';
import {
  applyChanges,
  before,
  type Operator,
  reindent,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../../structural-edit.ts';
import { roleOf } from '../../structural-names.ts';
import { type Region, type Statement, statementAt, textOf } from '../../structural-region.ts';
import { worthKeeping } from '../once.ts';
import {
  callParts,
  callsIn,
  freshName,
  functionsAround,
  isPython,
  readIn,
  repeatsAround,
  repetitions,
  within,
} from '../shape.ts';
import { type Declared, functionsOfFile, nameOf } from './declared.ts';

export interface Helper extends Declared {
  readonly name: string;
}

/** A parameter, which may have a type and a constant that it is by default. */
const plain = /^\w+(\??\s*:[^=]+)?(\s*=\s*(None|True|False|null|undefined|true|false|-?\d[\d.]*|"[^"]*"|'[^']*'))?$/;

/** The functions of the file around the span, with plain parameters. */
export const helpersOf = (region: Region): Helper[] =>
  functionsOfFile(region).flatMap((declared) => helperOf(region, declared) ?? []);

/** `yields`: also where it returns one value after the other. */
export function helperOf(region: Region, declared: Declared, yields = false): Helper | undefined {
  const { own, named, body, parameters } = declared;
  const isPlain = parameters.every((each) => plain.test(textOf(region, each)));
  const text = textOf(region, own);
  const isUsual = !/^(?:const \w+ = )?async\b/.test(text) && (yields || !/\byield\b/.test(text));
  if (!isPlain || !isUsual) return undefined;
  // A text of several lines would not survive another indentation.
  const described = describedBy(body);
  const spans = (node: SyntaxNode) =>
    textOf(region, node).includes('\n') && !(described !== undefined && within(node, described));
  if (descendants(body).some((each) => /^(string|template_string)$/.test(each.type) && spans(each))) return undefined;
  return { ...declared, name: textOf(region, named) };
}

/** The docstring. */
function describedBy(body: SyntaxNode): SyntaxNode | undefined {
  const first = body.children.find(({ named }) => named);
  const isText = first?.type === 'expression_statement' && first.children[0]?.type === 'string';
  return isText ? first : undefined;
}

/** A copy does without the docstring. */
export function undescribed(body: SyntaxNode): TextChange[] {
  const described = describedBy(body);
  const rest = body.children.find(({ named, start }) => named && described !== undefined && start >= described.end);
  return described === undefined || rest === undefined ? [] : [{ start: described.start, end: rest.start, text: '' }];
}

interface Call {
  readonly node: SyntaxNode;
  readonly args: readonly SyntaxNode[];
}

export const callsOf = (region: Region, name: string, nodes: readonly SyntaxNode[]): Call[] =>
  nodes.flatMap((node) => {
    const call = callParts(region, node);
    return call?.name === name ? [{ node, args: call.args }] : [];
  });

export interface Local extends Helper {
  /** The name that the copy gets. */
  readonly copy: string;
  readonly place: Statement;
  readonly calls: readonly Call[];
  readonly again: readonly Call[];
  /** For each parameter the name around the copy that it always stands for; undefined for one that stays. */
  readonly fixed: readonly (string | undefined)[];
}

/** The copy goes before all that calls the function, or before a statement of a loop that holds all calls. */
export function localOf(region: Region, helper: Helper, inner?: Statement): Local | undefined {
  const { name, body, parameters } = helper;
  const calls = callsOf(region, name, region.nodes);
  const [first] = calls;
  const isInner = calls.some(({ node }) => functionsAround(region, node).length > 1);
  const top =
    first === undefined
      ? undefined
      : isHoisted(region, calls)
        ? firstOfAll(region, first.node)
        : topStatement(region, first.node);
  const place = inner ?? top;
  if (first === undefined || place === undefined || !place.ownLines) return undefined;
  const again = callsOf(region, name, descendants(body));
  const isWhole = [...calls, ...again].every(({ args }) => {
    return args.length === parameters.length && args.every(({ type }) => !/^keyword_argument$|splat|^spread/.test(type));
  });
  // A function that is handed over by its name stays where it is.
  const uses = [...region.nodes, ...descendants(body)].filter(
    (each) => each.type === 'identifier' && textOf(region, each) === name && roleOf(each) === 'uses',
  );
  if (uses.length !== calls.length + again.length) return undefined;
  const declared = new Set(
    region.nodes
      .filter((each) => roleOf(each) === 'declares')
      .map((each) => textOf(region, each))
      .concat(parametersAround(region)),
  );
  const given = parameters.map((each) => nameOf(region, each));
  if (readIn(region, body).some((each) => !given.includes(each) && declared.has(each))) return undefined;
  const ownNames = new Set(
    descendants(body)
      .filter((each) => roleOf(each) === 'declares')
      .map((each) => textOf(region, each)),
  );
  // In a loop the copy is made again each time.
  const behind =
    inner === undefined ? region.statements.filter((each) => each.block === place.block && each.start >= place.start) : [inner];
  const fixed = given.map((parameter, at) => {
    const value = first.args[at];
    const text = value?.type === 'identifier' ? textOf(region, value) : '';
    const isSame =
      isWhole &&
      declared.has(text) &&
      calls.every(({ args }) => args[at] !== undefined && textOf(region, args[at]) === text) &&
      again.every(({ args }) => args[at] !== undefined && textOf(region, args[at]) === parameter) &&
      (isInner ? isAroundAll(region, text, place) : !behind.some((each) => rebinds(region, each.node, text))) &&
      !rebinds(region, body, parameter) &&
      (text === parameter || !ownNames.has(text));
    return isSame ? text : undefined;
  });
  const copy = freshName(region, isPython(region) ? `${name}_here` : `${name}Here`);
  return { ...helper, copy, place, calls, again, fixed };
}

/** The copy in the outermost loop in which it is given more of the same each time than before all loops. */
function localInLoop(region: Region, helper: Helper, outer: Local): Local | undefined {
  const { calls, place } = outer;
  const count = ({ fixed }: Local) => fixed.filter((each) => each !== undefined).length;
  const holds = ({ node }: Statement) =>
    node !== place.node && calls.every((call) => within(call.node, node) && functionsAround(region, call.node).length < 2);
  const isRepeatedIn = ({ node }: Statement) =>
    calls.some((call) => repeatsAround(region, call.node) > repeatsAround(region, node));
  const all = region.statements.filter((each) => each.ownLines && holds(each) && isRepeatedIn(each));
  return all.map((each) => localOf(region, helper, each)).find((each) => each !== undefined && count(each) > count(outer));
}

export const rebinds = (region: Region, node: SyntaxNode, name: string): boolean =>
  descendants(node).some((each) => textOf(region, each) === name && /^(declares|assigns)$/.test(roleOf(each) ?? ''));

/** The names of the parameters of the span's function. */
function parametersAround(region: Region): string[] {
  const fn = region.nodes.find((each) => region.grammar.functions.has(each.type));
  const list = fn === undefined ? undefined : childOf(fn, 'parameters');
  return list?.children.filter((child) => child.named).map((each) => nameOf(region, each)) ?? [];
}

/** Whether functions in front of the place can read the name later: it has one value, in all of the outermost function. */
function isAroundAll(region: Region, name: string, { block }: Statement): boolean {
  const [only, more] = region.nodes.filter(
    (each) => textOf(region, each) === name && /^(declares|assigns)$/.test(roleOf(each) ?? ''),
  );
  if (only === undefined) return parametersAround(region).includes(name);
  if (more !== undefined || functionsAround(region, only).length !== 1) return false;
  const isNamed = /^(assignment|variable_declarator)$/.test(only.parent?.type ?? '');
  const isOwn = region.statements.some((each) => each.block === block && each.node === only.parent?.parent);
  return isNamed && isOwn && !parametersAround(region).includes(name);
}

/** Whether one stands in a function that may be called in front of where it is declared. */
const isHoisted = (region: Region, calls: readonly Call[]): boolean =>
  calls.some(({ node }) =>
    functionsAround(region, node)
      .slice(0, -1)
      .some(({ type }) => type === 'function_declaration'),
  );

/** In front of all that the outermost function does. */
function firstOfAll(region: Region, node: SyntaxNode): Statement | undefined {
  const fn = functionsAround(region, node).at(-1);
  const body = fn && childOf(fn, 'body');
  const described = body && describedBy(body);
  const first = body?.children.find((each) => each.named && each !== described && !region.grammar.comments.has(each.type));
  return body && first && statementAt(first, body, region.text, region.span);
}

/** The statement of the function's own block around the node. */
function topStatement(region: Region, node: SyntaxNode): Statement | undefined {
  const fn = functionsAround(region, node).at(-1);
  const body = fn && childOf(fn, 'body');
  const own = body?.children.find((each) => within(node, each));
  return body && own && /block$/.test(body.type) ? statementAt(own, body, region.text, region.span) : undefined;
}

/** Whether the program calls the function more than once in its function, as far as the text says. */
export function isRepeated(region: Region, { calls, again }: Local): boolean {
  const repeats = ({ node }: Call) => repetitions(region, node).length > 0 || functionsAround(region, node).length > 1;
  return again.length > 0 || calls.some(repeats);
}

/** The changes that have calls name the copy, without the arguments that never change. */
export function renamed(local: Local, calls: readonly Call[]): TextChange[] {
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
export function copied(region: Region, local: Local, name: string): { text: string; names: string[] } | undefined {
  const { own, named, list, body, parameters, fixed, again } = local;
  const stay = parameters.filter((_, at) => fixed[at] === undefined);
  const names = new Map(
    parameters.flatMap((each, at) => (fixed[at] === undefined ? [] : [[nameOf(region, each), fixed[at]] as const])),
  );
  const dropped = [...renamed(local, again), ...undescribed(body)];
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
 * A copy of a function of the file that reads the names around it, instead of being given the same each time, or that calls others
 * again and again, whose results can be remembered outside of it.
 */
export const localHelper: Operator = (region) =>
  helpersOf(region).flatMap((helper): StructuralEdit[] => {
    const local = localOf(region, helper);
    if (local === undefined) return [];
    const calls = callsIn({ ...region, nodes: descendants(helper.body) });
    const callsOthers = calls.some(({ node }) => worthKeeping(region, node)) && isRepeated(region, local);
    const isSame = local.fixed.some((each) => each !== undefined);
    return [...(isSame || callsOthers ? [local] : []), localInLoop(region, helper, local)].flatMap((each): StructuralEdit[] => {
      const copy = each === undefined ? undefined : copied(region, each, each.copy);
      if (each === undefined || copy === undefined) return [];
      const lines = reindent(copy.text, '', each.place.indent);
      const changesMade = [before(region, each.place, lines), ...renamed(each, each.calls)];
      return [{ what: `bring in a function: ${helper.name}`, at: each.place.node.start, changes: changesMade }];
    });
  });
