/** What a parameter is likely to hold by its name alone. */
import type { Value } from '../../function/values.ts';
import { dictionary, float } from './data.ts';
import { dictionaries, lists } from './types.ts';

/** Examples of one type. */
export type Family = readonly Value[];

export const ints: Family = [3, 1, 2, 5, 0, 8];
export const words: Family = ['apple', 'b', 'kiwi', 'Apple', 'fig'];
export const sentences: Family = ['the quick brown fox jumps over the lazy dog the end', 'a b a', 'Hello, World! hello', 'x', ''];
export const graph: Value = dictionary([
  ['a', ['b', 'c']],
  ['b', ['d']],
  ['c', ['d']],
  ['d', []],
]);

/** Amounts, although their names are plurals. */
const units =
  /^(?:seconds|minutes|hours|days|weeks|months|years|cents|points|goals|bytes|pixels|met(?:er|re)s|miles|grams|percent|secs|mins|ms|km|kg)$|(?:Seconds|Minutes|Hours|Days|Cents|Points|Bytes|_seconds|_minutes|_hours|_days|_cents|_points|_bytes)$/;

/** As most programs write them. */
export const days: Family = ['2024-03-01', '2024-02-28', '2023-12-31', '2024-03-04'];

const plural = /s$|list$|array$|arr$/i;

/** The usual type of a parameter of that name. */
export function familiesByName(name: string, python: boolean): Family[] {
  const is = (pattern: RegExp): boolean => pattern.test(name);
  if (is(/^(?:graph|adj|adjacency|edges_by|neighbou?rs|tree|deps|dependencies)$/i)) {
    return [
      [graph, dictionary([]), dictionary([['a', []]])],
      lists(
        [
          [0, 1],
          [1, 2],
          [2, 0],
        ],
        'list',
      ),
    ];
  }
  if (is(units)) return [ints];
  if (is(/(?:^|_)date$|Date$|_(?:at|on)$|[a-z](?:At|On)$|^(?:due|deadline|birthday)$/)) return [days];
  if (is(/^(?:sku|code|isbn)$|(?:[a-z]Code|_code|[a-z]Sku|_sku)$/)) return [words];
  if (is(/^id$|(?:[a-z]Id|_id|[a-z]By|_by)$/)) return [ints];
  if (is(/matrix|grid|board|table|rows/i)) {
    return [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
        ],
        [[1]],
        [
          [0, 1],
          [1, 0],
          [1, 1],
        ],
        [],
      ],
    ];
  }
  if (is(/^(?:words|names|tokens|lines|strings|strs|tags|keys|labels)$/i)) return [lists(words, 'list')];
  if (
    is(
      /text|sentence|string|^str$|^s\d?$|line$|word$|name$|phrase|message|content|body|html|markdown|query|path|url|label|title|title|key$|pattern|prefix|suffix|char|category|type$|kind$|status/i,
    ) &&
    !is(/names$|lines$/)
  ) {
    return [/text|sentence|^s$|string|content|message|body|phrase/i.test(name) ? sentences : words];
  }
  if (
    is(
      /^(?:n|k|m|i|j|x|y|a|b|c)$|count|limit|size|length|num$|number$|index|depth|width|height|amount|total|max|min|start|stop|end$|step|year|month|day|age|qty|quantity|target|threshold|level|base|window|capacity/i,
    ) &&
    !is(/counts$|numbers$|amounts$/)
  ) {
    return [[3, 5, 1, 0, 7, 10]];
  }
  if (is(/price|rate|weight|ratio|cost|factor|score$|prob/i) && !is(plural))
    return [[1.5, 0.25, 10.75, float(2, python ? 'python' : 'node')], ints];
  if (is(/^(?:flag|is[A-Z_]\w*|has[A-Z_]\w*|reverse|strict|ascending|descending|verbose)$/)) return [[false, true]];
  if (is(/^(?:d|dict|mapping|obj|object|record|data|config|options|counts|inventory|scores)$/i)) {
    return [dictionaries(words, ints, false), lists(ints, 'list')];
  }
  if (is(/intervals|pairs|edges|points|ranges/i))
    return [
      lists(
        [
          [1, 3],
          [2, 6],
          [8, 10],
          [1, 3],
        ],
        'list',
      ),
    ];
  if (is(plural) || is(/^(?:items|values|numbers|nums|array|arr|list|lst|xs|seq|sequence)$/i))
    return [lists(ints, 'list'), lists(words, 'list')];
  return [];
}
