/** The parts of a function of the file: one that is declared by its name, or in JavaScript a constant arrow function. Pure. */
import { childOf, type SyntaxNode } from '../../../syntax/parse.ts';
import { type Region, textOf, topLevel } from '../../structural-region.ts';

export interface Declared {
  /** The whole declaration. */
  readonly own: SyntaxNode;
  readonly named: SyntaxNode;
  /** The parameters with their parentheses, or the only one without. */
  readonly list: SyntaxNode;
  /** A block, or the expression that an arrow function returns. */
  readonly body: SyntaxNode;
  readonly parameters: readonly SyntaxNode[];
}

/** Undefined for what declares no function, or more than one name. */
export function declaredBy(own: SyntaxNode): Declared | undefined {
  if (/^function_(definition|declaration)$/.test(own.type)) return partsOf(own, own, own);
  const declarators = own.type === 'lexical_declaration' ? own.children.filter(({ named }) => named) : [];
  const [only, more] = declarators;
  const value = only === undefined || more !== undefined ? undefined : childOf(only, 'value');
  const isConstant = own.children[0]?.type === 'const' && only !== undefined && childOf(only, 'type') === undefined;
  return isConstant && value?.type === 'arrow_function' ? partsOf(own, only, value) : undefined;
}

function partsOf(own: SyntaxNode, holder: SyntaxNode, fn: SyntaxNode): Declared | undefined {
  const single = childOf(fn, 'parameter');
  const [named, list, body] = [childOf(holder, 'name'), single ?? childOf(fn, 'parameters'), childOf(fn, 'body')];
  if (named?.type !== 'identifier' || list === undefined || body === undefined) return undefined;
  return { own, named, list, body, parameters: single === undefined ? list.children.filter((child) => child.named) : [single] };
}

/** What the file declares, also for others. */
const declarations = (region: Region): SyntaxNode[] => topLevel(region).map((node) => childOf(node, 'declaration') ?? node);

/** The functions of the file around the span. */
export const functionsOfFile = (region: Region): Declared[] =>
  declarations(region).flatMap((node) => {
    const isOutside = node.end <= region.span.start || node.start >= region.span.end;
    return isOutside ? (declaredBy(node) ?? []) : [];
  });

/** The function of the file, or within the span, that has the name. */
export function functionNamed(region: Region, name: string): Declared | undefined {
  const all = [...declarations(region), ...region.nodes].flatMap((node) => declaredBy(node) ?? []);
  return all.find((each) => textOf(region, each.named) === name);
}

export const nameOf = (region: Region, parameter: SyntaxNode): string => /^\w+/.exec(textOf(region, parameter))?.[0] ?? '';
