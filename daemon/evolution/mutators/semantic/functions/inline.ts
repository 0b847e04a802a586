/** Writes a function that only returns an expression out where it is called: in Python a call costs more than most expressions. */
import { childOf, descendants, type SyntaxNode } from '../../../syntax/parse.ts';
import { applyChanges, type Operator, replacing, type StructuralEdit, type TextChange } from '../../structural-edit.ts';
import { namesOf, roleOf } from '../../structural-names.ts';
import { type Region, textOf } from '../../structural-region.ts';
import { identifiers } from '../lookups/scans.ts';
import { doesMore } from '../once.ts';
import { isPython, readIn, within } from '../shape.ts';
import { declaredBy, nameOf } from './declared.ts';
import { callsOf, type Helper, helperOf, helpersOf } from './local.ts';

/** Longer ones are rarely called for so little that the call matters. */
const LONGEST = 160;

const simple = /^(identifier|integer|float|true|false|none)$/;
/** Reading it a second time costs less than a call. */
const path = /^\w+(?:\.\w+|\[(?:\w+|"\w*"|'\w*')\])$/;
const scopes = /^(function_definition|lambda|generator_expression|(list|set|dictionary)_comprehension)$/;

/** An expression of a function, in which parameters stand for what a call gives. */
interface Written {
  readonly test: SyntaxNode | undefined;
  readonly value: SyntaxNode;
}

/** `if a: return x` and `return y` as the values of a choice, the last without a test; undefined for a body that does more. */
function choices(region: Region, { body }: Helper): Written[] | undefined {
  const found: Written[] = [];
  const statements = body.children.filter(({ named, type }) => named && !region.grammar.comments.has(type));
  for (const [at, statement] of statements.entries()) {
    if (at === 0 && statement.type === 'expression_statement' && statement.children[0]?.type === 'string') continue;
    if (statement.type === 'if_statement') {
      const [test, then] = [childOf(statement, 'condition'), childOf(statement, 'consequence')];
      const [only, more] = then?.children.filter(({ named }) => named) ?? [];
      const value = only === undefined || more !== undefined ? undefined : returned(only);
      if (test === undefined || value === undefined || childOf(statement, 'alternative') !== undefined) return undefined;
      found.push({ test, value });
      continue;
    }
    const value = returned(statement);
    if (value === undefined || at < statements.length - 1) return undefined;
    return [...found, { test: undefined, value }];
  }
  return undefined;
}

const returned = (node: SyntaxNode): SyntaxNode | undefined =>
  node.type === 'return_statement' ? node.children.find(({ named }) => named) : undefined;

/** The node with what the call gives in the place of the parameters. */
function substituted(region: Region, node: SyntaxNode, given: ReadonlyMap<string, string>): string {
  const changes = descendants(node).flatMap((each): TextChange[] => {
    const value = each.type === 'identifier' && roleOf(each) === 'uses' ? given.get(textOf(region, each)) : undefined;
    return value === undefined ? [] : [{ start: each.start - node.start, end: each.end - node.start, text: value }];
  });
  return applyChanges(textOf(region, node), changes) ?? '';
}

/** What the call gives each parameter, as it can stand in the expression; undefined where that would change what is worked out. */
function argumentsOf(region: Region, { parameters }: Helper, nodes: readonly SyntaxNode[], args: readonly SyntaxNode[]) {
  if (args.length !== parameters.length) return undefined;
  const all = nodes.flatMap(descendants);
  const { declared } = namesOf(all, region.text);
  const isRepeated = all.some(({ type }) => scopes.test(type));
  const strings = all.filter(({ type }) => type === 'string');
  const given = new Map<string, string>();
  for (const [at, arg] of args.entries()) {
    const parameter = parameters[at];
    const name = parameter === undefined ? '' : nameOf(region, parameter);
    const uses = all.filter((each) => each.type === 'identifier' && textOf(region, each) === name && roleOf(each) === 'uses');
    const isSimple = simple.test(arg.type);
    const text = textOf(region, arg);
    // What is worked out for each use must be so once, or cost little, and quotes do not fit into a text.
    const isFew = uses.length === 1 || (uses.length > 1 && path.test(text));
    const isOnce = isFew && !isRepeated && !uses.some((use) => strings.some((each) => within(use, each)));
    if (/^keyword_argument$|splat/.test(arg.type) || doesMore(region, arg) || text.includes('\n')) return undefined;
    if (!isSimple && !isOnce) return undefined;
    if (identifiers(text).some((each) => declared.has(each))) return undefined;
    given.set(name, isSimple || /^(attribute|subscript|call|string)$/.test(arg.type) ? text : `(${text})`);
  }
  return given;
}

/** Whether a name that the function reads means something else where the call stands. */
function isHidden(region: Region, call: SyntaxNode, home: SyntaxNode | undefined, free: readonly string[]): boolean {
  for (let up = call.parent; up !== undefined && up !== home; up = up.parent) {
    if (!scopes.test(up.type)) continue;
    const { changed } = namesOf(descendants(up), region.text);
    if (free.some((name) => changed.has(name))) return true;
  }
  return false;
}

/** A function of the file, or in the function, that only returns an expression, is written out where it is called. */
export const inlineFunction: Operator = (region) => {
  if (!isPython(region)) return [];
  const inner = region.nodes.flatMap((own) => {
    const declared = own.start > region.span.start && own.parent?.type === 'block' ? declaredBy(own) : undefined;
    return declared === undefined ? [] : (helperOf(region, declared) ?? []);
  });
  return [...helpersOf(region), ...inner].flatMap((helper): StructuralEdit[] => {
    const written = choices(region, helper);
    const nodes = written?.flatMap(({ test, value }) => [...(test === undefined ? [] : [test]), value]) ?? [];
    const size = nodes.reduce((sum, node) => sum + node.end - node.start, 0);
    if (written === undefined || size > LONGEST || nodes.some((node) => doesMore(region, node) || hasComment(region, node)))
      return [];
    const parameters = helper.parameters.map((each) => nameOf(region, each));
    const free = nodes.flatMap((node) => readIn(region, node)).filter((name) => !parameters.includes(name));
    if (free.includes(helper.name)) return [];
    const home = inner.includes(helper) ? helper.own.parent : undefined;
    const changes = callsOf(region, helper.name, region.nodes).flatMap(({ node, args }): TextChange[] => {
      const given = argumentsOf(region, helper, nodes, args);
      const isAlone = node.parent?.type === 'expression_statement' || within(node, helper.own);
      const isInArgument = args.some((arg) => callsOf(region, helper.name, descendants(arg)).length > 0);
      if (given === undefined || isAlone || isInArgument || isHidden(region, node, home, free)) return [];
      const text = written.map(({ test, value }) => {
        const made = substituted(region, value, given);
        return test === undefined ? made : `${made} if ${substituted(region, test, given)} else `;
      });
      return [replacing(node, `(${text.join('')})`)];
    });
    return changes.length === 0
      ? []
      : [{ what: `write out a function: ${helper.name}`, at: changes[0]?.start ?? helper.own.start, changes }];
  });
};

const hasComment = (region: Region, node: SyntaxNode): boolean =>
  descendants(node).some(({ type }) => region.grammar.comments.has(type));
