/** Brings the methods of an object that a function makes into the function, where what holds for local functions holds for them. */
import { childOf, descendants, parseLoaded, type SyntaxNode } from '../../../syntax/parse.ts';
import {
  after,
  applyChanges,
  type Operator,
  reindent,
  replacing,
  type StructuralEdit,
  type TextChange,
} from '../../structural-edit.ts';
import { namesOf, roleOf } from '../../structural-names.ts';
import { type Region, type Statement, textOf, topLevel } from '../../structural-region.ts';
import { callParts, freshName, functionsAround, isPython, readIn, within } from '../shape.ts';
import { declaredBy, nameOf } from './declared.ts';
import { type Helper, helperOf, undescribed } from './local.ts';

/** A name that one statement gives a new object of a class of the file. */
interface Made {
  readonly statement: Statement;
  readonly name: string;
  readonly type: Class;
}

interface Class {
  /** The text of the class alone, which the tree around a span says nothing about. */
  readonly region: Region;
  readonly methods: ReadonlyMap<string, Helper>;
}

function madeObjects(region: Region): Made[] {
  return region.statements.flatMap((statement): Made[] => {
    const [, name, type] = /^(\w+) = (\w+)\([\s\S]*\)$/.exec(textOf(region, statement.node)) ?? [];
    if (name === undefined || type === undefined || !statement.ownLines || functionsAround(region, statement.node).length > 1)
      return [];
    const times = region.nodes.filter((each) => textOf(region, each) === name && /^(declares|assigns)$/.test(roleOf(each) ?? ''));
    const found = times.length === 1 ? classNamed(region, type) : undefined;
    return found === undefined ? [] : [{ statement, name, type: found }];
  });
}

/** A class of the file that inherits from no other, with its plain methods. */
function classNamed(region: Region, name: string): Class | undefined {
  const outline = topLevel(region).find(
    (each) => each.type === 'class_definition' && new RegExp(`^class ${name}(\\(\\))?:`).test(textOf(region, each)),
  );
  if (outline === undefined) return undefined;
  const own = { ...region, text: textOf(region, outline) };
  const [found] = parseLoaded('python', own.text).root.children;
  const body = found === undefined ? undefined : childOf(found, 'body');
  const functions = body?.children.filter(({ type }) => type === 'function_definition') ?? [];
  return {
    region: own,
    methods: new Map(
      functions
        .flatMap((each) => declaredBy(each) ?? [])
        .flatMap((declared) => helperOf(own, declared, true) ?? [])
        .map((each) => [each.name, each]),
    ),
  };
}

/** The parts that name the method in calls of the object's methods. */
function callsOfObject(region: Region, nodes: readonly SyntaxNode[], object: string): { called: SyntaxNode; method: string }[] {
  return nodes.flatMap((node) => {
    const call = callParts(region, node);
    const called = childOf(node, 'function');
    return call?.object !== undefined && called !== undefined && textOf(region, call.object) === object
      ? [{ called, method: call.method }]
      : [];
  });
}

/** The name by which a method calls its object, where the method can stand in the function. */
function selfOf(outer: Region, { name, body, parameters }: Helper, made: Made): string | undefined {
  const { region } = made.type;
  const [first, ...others] = parameters;
  const self = first === undefined ? '' : textOf(region, first);
  const { declared, changed } = namesOf(descendants(body), region.text);
  const given = others.map((each) => nameOf(region, each));
  const around = new Set(outer.nodes.filter((each) => roleOf(each) === 'declares').map((each) => textOf(outer, each)));
  const free = readIn(region, body).filter((each) => each !== self && !given.includes(each));
  const isClear = ![...declared, ...given].includes(made.name) && !free.some((each) => around.has(each));
  return /^\w+$/.test(self) && !name.startsWith('__') && !changed.has(self) && isClear && !/\bsuper\(/.test(textOf(region, body))
    ? self
    : undefined;
}

/** A copy of the method that reads the object by the name that it has in the function. */
function copied(
  { own, named, list, body, parameters }: Helper,
  self: string,
  made: Made,
  names: ReadonlyMap<string, string>,
): string {
  const { region } = made.type;
  const calls = callsOfObject(region, descendants(body), self).filter(({ method }) => names.has(method));
  const reads = descendants(body).filter(
    (each) =>
      each.type === 'identifier' &&
      textOf(region, each) === self &&
      roleOf(each) === 'uses' &&
      !calls.some(({ called }) => within(each, called)),
  );
  const given = parameters.slice(1).map((each) => textOf(region, each));
  const edits: TextChange[] = [
    replacing(named, names.get(textOf(region, named)) ?? ''),
    replacing(list, `(${given.join(', ')})`),
    ...undescribed(body),
    ...calls.map(({ called, method }) => replacing(called, names.get(method) ?? '')),
    ...reads.map((each) => replacing(each, made.name)),
  ];
  const moved = edits.map(({ start, end, text }) => ({ start: start - own.start, end: end - own.start, text }));
  const indent = region.text.slice(region.text.lastIndexOf('\n', own.start) + 1, own.start);
  return reindent(applyChanges(textOf(region, own), moved) ?? '', indent, made.statement.indent);
}

/** Copies of all methods that the function calls of an object of its own, and of those that these call of it. */
export const localMethods: Operator = (region) =>
  !isPython(region)
    ? []
    : madeObjects(region).flatMap((made): StructuralEdit[] => {
        const { statement, name, type } = made;
        const { methods } = type;
        const block = statement.block;
        const calls = callsOfObject(region, region.nodes, name).filter(({ method }) => methods.has(method));
        if (calls.some(({ called }) => !within(called, block) || called.start < statement.end)) return [];
        const needed = new Map<string, { helper: Helper; self: string }>();
        for (let open = calls.map(({ method }) => method); open.length > 0; ) {
          const [next = '', ...others] = open;
          const helper = methods.get(next);
          const self = helper === undefined ? undefined : selfOf(region, helper, made);
          open = others;
          if (needed.has(next) || helper === undefined) continue;
          if (self === undefined) return [];
          needed.set(next, { helper, self });
          open = [...open, ...callsOfObject(type.region, descendants(helper.body), self).map(({ method }) => method)];
        }
        if (needed.size === 0) return [];
        const names = new Map([...needed.keys()].map((each) => [each, freshName(region, `${each}_here`)]));
        const copies = [...needed.values()].map(({ helper, self }) => copied(helper, self, made, names));
        const changes = [
          after(region, statement, copies.join(`${region.eol}${statement.indent}`)),
          ...calls.map(({ called, method }) => replacing(called, names.get(method) ?? '')),
        ];
        return [{ what: `bring in the methods of an object: ${name}`, at: statement.node.start, changes }];
      });
