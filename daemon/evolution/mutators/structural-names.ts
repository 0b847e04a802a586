/** Which names a piece of a program declares, assigns and uses: enough to see that an edit must fail, or what a loop leaves alone. */
import type { SyntaxNode } from '../syntax/parse.ts';

/** Parent and field under which a name, or a pattern of names, is declared. */
const declares = new Set([
  'assignment.left',
  'for_statement.left',
  'for_in_clause.left',
  'for_in_statement.left',
  'named_expression.name',
  'variable_declarator.name',
  'function_definition.name',
  'function_declaration.name',
  'generator_function_declaration.name',
  'function_expression.name',
  'class_definition.name',
  'class_declaration.name',
  'catch_clause.parameter',
  'arrow_function.parameter',
  'aliased_import.alias',
  'dotted_name.',
  'import_specifier.name',
  'import_specifier.alias',
  'parameters.',
  'lambda_parameters.',
  'formal_parameters.',
  'as_pattern_target.',
  'global_statement.',
  'nonlocal_statement.',
]);

const assigns = new Set([
  'augmented_assignment.left',
  'assignment_expression.left',
  'augmented_assignment_expression.left',
  'update_expression.argument',
]);

/** Between a name and the place that declares it. */
const patterns = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'list_splat_pattern',
  'dictionary_splat_pattern',
  'array_pattern',
  'object_pattern',
  'pair_pattern',
  'rest_pattern',
  'assignment_pattern',
  'default_parameter',
  'typed_parameter',
  'typed_default_parameter',
  'required_parameter',
  'optional_parameter',
]);

const notInPattern = new Set(['value', 'right', 'type', 'key']);

const nameTypes = new Set(['identifier', 'shorthand_property_identifier', 'shorthand_property_identifier_pattern']);

type Role = 'declares' | 'assigns' | 'uses';

/** What an identifier does where it stands; undefined for the name of a member or of a keyword argument. */
export function roleOf(node: SyntaxNode): Role | undefined {
  if (!nameTypes.has(node.type)) return undefined;
  let at = node;
  let parent = node.parent;
  if (parent?.type === 'attribute' && node.field === 'attribute') return undefined;
  if (parent?.type === 'keyword_argument' && node.field === 'name') return undefined;
  while (parent !== undefined && patterns.has(parent.type) && !notInPattern.has(at.field ?? '')) {
    at = parent;
    parent = parent.parent;
  }
  if (parent === undefined) return 'uses';
  const place = `${parent.type}.${at.field ?? ''}`;
  if (declares.has(place)) return 'declares';
  return assigns.has(place) ? 'assigns' : 'uses';
}

interface Names {
  readonly declared: ReadonlySet<string>;
  /** Declared or assigned. */
  readonly changed: ReadonlySet<string>;
  readonly used: ReadonlySet<string>;
}

export function namesOf(nodes: Iterable<SyntaxNode>, text: string): Names {
  const declared = new Set<string>();
  const changed = new Set<string>();
  const used = new Set<string>();
  for (const node of nodes) {
    const role = roleOf(node);
    if (role === undefined) continue;
    const name = text.slice(node.start, node.end);
    if (role === 'declares') declared.add(name);
    if (role === 'uses') used.add(name);
    else changed.add(name);
    if (role === 'assigns') used.add(name);
  }
  return { declared, changed, used };
}
