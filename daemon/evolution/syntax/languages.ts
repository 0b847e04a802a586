/**
 * One small table per language: what its grammar calls functions, blocks, loops and so on. Everything that works on
 * syntax trees reads these tables, so that a language is added here only.
 */

export interface Grammar {
  /** File in the grammars folder, without `tree-sitter-` and `.wasm`. */
  readonly wasm: string;
  /** How blocks are written: by indentation, or in braces. */
  readonly layout: 'indent' | 'braces';
  /** Nodes whose named children, comments aside, are statements. */
  readonly blocks: ReadonlySet<string>;
  /** Nodes that have parameters and a body of their own. */
  readonly functions: ReadonlySet<string>;
  readonly classes: ReadonlySet<string>;
  readonly loops: ReadonlySet<string>;
  /** Statements that hold other statements and can be replaced by them. */
  readonly wrappers: ReadonlySet<string>;
  /** Not part of the normal form. */
  readonly comments: ReadonlySet<string>;
  /** Nodes that the normal form replaces by what is in them. */
  readonly transparent: ReadonlySet<string>;
  /** Nodes whose text counts to the last blank: strings, templates. */
  readonly verbatim: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
  /** Binary operations of any kind. */
  readonly binary: ReadonlySet<string>;
  /** Expressions that can stand in for one another. */
  readonly expressions: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Where the way through a program forks, loops and logical operators aside. */
  readonly forks: ReadonlySet<string>;
  readonly not: string;
  readonly true: string;
  readonly false: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

const python: Grammar = {
  wasm: 'python',
  layout: 'indent',
  blocks: words('block module'),
  functions: words('function_definition lambda'),
  classes: words('class_definition'),
  loops: words('for_statement while_statement'),
  wrappers: words('if_statement for_statement while_statement with_statement try_statement'),
  comments: words('comment line_continuation'),
  transparent: words('parenthesized_expression'),
  verbatim: words('string string_content format_specifier'),
  calls: words('call'),
  binary: words('binary_operator boolean_operator comparison_operator'),
  expressions: words(
    'identifier attribute subscript call binary_operator boolean_operator comparison_operator unary_operator not_operator integer float true false none list tuple list_comprehension parenthesized_expression',
  ),
  numbers: words('integer'),
  forks: words('if_statement elif_clause except_clause case_clause conditional_expression if_clause for_in_clause'),
  not: 'not ',
  true: 'True',
  false: 'False',
};

const javascript: Grammar = {
  wasm: 'javascript',
  layout: 'braces',
  blocks: words('statement_block program'),
  functions: words(
    'function_declaration generator_function_declaration function_expression generator_function arrow_function method_definition',
  ),
  classes: words('class_declaration class'),
  loops: words('for_statement for_in_statement while_statement do_statement'),
  wrappers: words('if_statement for_statement for_in_statement while_statement do_statement try_statement'),
  comments: words('comment html_comment'),
  transparent: words(''),
  verbatim: words('string template_string regex jsx_text'),
  calls: words('call_expression new_expression'),
  binary: words('binary_expression'),
  expressions: words(
    'identifier member_expression subscript_expression call_expression binary_expression unary_expression number true false null array parenthesized_expression',
  ),
  numbers: words('number'),
  forks: words('if_statement catch_clause switch_case ternary_expression'),
  not: '!',
  true: 'true',
  false: 'false',
};

const typescript: Grammar = {
  ...javascript,
  wasm: 'typescript',
  classes: words('class_declaration class abstract_class_declaration'),
};

const grammars: ReadonlyMap<string, Grammar> = new Map([
  ['python', python],
  ['javascript', javascript],
  ['javascriptreact', javascript],
  ['typescript', typescript],
  ['typescriptreact', { ...typescript, wasm: 'tsx' }],
]);

/** Languages with a grammar. */
export const parsedLanguages: readonly string[] = [...grammars.keys()];

/** The table of a language, by its id in VS Code; undefined when we cannot parse it. */
export function grammarOf(language: string): Grammar | undefined {
  return grammars.get(language);
}

const byExtension: ReadonlyMap<string, string> = new Map(
  Object.entries({
    python: 'py pyw',
    javascript: 'js mjs cjs',
    javascriptreact: 'jsx',
    typescript: 'ts mts cts',
    typescriptreact: 'tsx',
    c: 'c h',
    cpp: 'cc cpp cxx hpp hh',
    csharp: 'cs',
    'cuda-cpp': 'cu cuh',
    go: 'go',
    java: 'java',
    julia: 'jl',
    kotlin: 'kt',
    lua: 'lua',
    perl: 'pl',
    php: 'php',
    r: 'r',
    ruby: 'rb',
    rust: 'rs',
    scala: 'scala',
    shellscript: 'sh bash',
    sql: 'sql',
    swift: 'swift',
    zig: 'zig',
  }).flatMap(([language, extensions]) => extensions.split(' ').map((extension) => [extension, language] as const)),
);

/** A file's language id as in VS Code, by its extension. Not every one has a grammar here: see `grammarOf`. */
export function languageOf(path: string): string | undefined {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : byExtension.get(extension.toLowerCase());
}
