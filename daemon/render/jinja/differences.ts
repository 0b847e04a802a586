/**
 * What the embedded engine still does otherwise than Python's Jinja2, each with an example and a pattern that sees it in
 * a template. The engine `jinja2` has none of these. A test holds that every example differs, and nothing else does.
 */
import { codeOf } from './rewrite.ts';

export interface EngineDifference {
  readonly name: string;
  readonly example: string;
  /** What happens instead, and what to write. */
  readonly advice: string;
  readonly pattern: RegExp;
}

export const differences: readonly EngineDifference[] = [
  {
    name: 'tuples',
    example: '{{ (1, 2) }}',
    advice: 'A tuple prints as a list.',
    pattern: /\{\{-?\s*\([^()]*,[^()]*\)\s*-?\}\}/,
  },
  {
    name: 'pairs',
    example: '{{ {"a": 1}.items()|list }}',
    advice: 'The pairs of a mapping print as lists. Print the parts of each pair.',
    pattern: /(?:\.items\(\)|\|\s*(?:items|dictsort|groupby)[^|{}]*)\s*\|\s*list\s*-?\}\}/,
  },
  {
    name: 'joined-words',
    example: '{{ "a" ~ true }}',
    advice: 'True, False and None are joined by ~ as true, false and none. Print them by themselves.',
    pattern: /~\s*(?:true|false|none|True|False|None)\b|\b(?:true|false|none|True|False|None)\s*~/,
  },
  {
    name: 'join-filter',
    example: '{{ [true, none]|join("-") }}',
    advice: 'The filter join writes true, false and none in lower case.',
    pattern: /\[[^\]]*\b(?:true|false|none|True|False|None)\b[^\]]*\]\s*\|\s*join/,
  },
  {
    name: 'number-test',
    example: '{{ true is number }}',
    advice: 'True and False are no numbers.',
    pattern: /\bis\s+(?:not\s+)?(?:number|integer)\b|\(\s*['"](?:number|integer)['"]/,
  },
  {
    name: 'mapping-filters',
    example: '{{ {"z": 1, "a": 2}|list }}',
    advice: 'A mapping that goes through a filter comes in the order of its keys. Use .keys() or .items().',
    pattern: /\}\s*\|\s*(?:list|first|last|join|map|select|reject|batch|slice|unique)\b/,
  },
  {
    name: 'dict-call',
    example: '{% for k in dict(z=1, a=2) %}{{ k }}{% endfor %}',
    advice: 'The mapping that dict() makes comes in the order of its keys. Write it with braces.',
    pattern: /\bdict\s*\(/,
  },
  {
    name: 'percent',
    example: '{{ "%d items" % 3 }}',
    advice: 'Texts are not formatted by %. Join the parts by ~.',
    pattern: /['"]\s*%\s*[\w("'[]/,
  },
  {
    name: 'missing-filters',
    example: '{{ "a long text here"|truncate(9) }}',
    advice:
      'These filters are missing or differ: format, truncate, wordwrap, filesizeformat, urlize, xmlattr, pprint, random, forceescape.',
    pattern: /\|\s*(?:format|truncate|wordwrap|filesizeformat|urlize|xmlattr|pprint|random|forceescape)\b/,
  },
  {
    name: 'float-texts',
    example: '{{ 3.0|string }}',
    advice: 'A float without a fraction loses its point in a list, a mapping, and the filter string.',
    pattern: /(?<![\w.'"])\d+\.0+\b[^{}]*(?:\||\]|\})/,
  },
  {
    name: 'payload-floats',
    example: '{{ whole }}',
    advice: 'A float of the payload without a fraction, such as 1.0, prints as 1. Write it as a text.',
    pattern: /\{\{\s*whole\s*\}\}/,
  },
];

/** Characters of one piece of code that is looked at: the patterns are not made for megabytes. */
const MAX_CODE = 2000;

/** The differences that can be seen in a template. */
export function differencesIn(source: string): EngineDifference[] {
  const code = codeOf(source).filter(({ length }) => length <= MAX_CODE);
  return differences.filter(({ pattern }) => code.some((piece) => pattern.test(piece)));
}
