/** Plural and singular of English nouns, by rules that both engines share: the same words on every machine. */

/** Pattern and replacement in the syntax that JavaScript and Python share; the first that matches counts. */
type WordRule = readonly [pattern: string, replacement: string];

const irregular: readonly (readonly [string, string])[] = [
  ['person', 'people'],
  ['child', 'children'],
  ['man', 'men'],
  ['woman', 'women'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['goose', 'geese'],
  ['mouse', 'mice'],
  ['ox', 'oxen'],
  ['leaf', 'leaves'],
  ['life', 'lives'],
  ['knife', 'knives'],
  ['half', 'halves'],
  ['shelf', 'shelves'],
  ['datum', 'data'],
  ['criterion', 'criteria'],
  ['index', 'indices'],
  ['matrix', 'matrices'],
  ['vertex', 'vertices'],
  ['hero', 'heroes'],
  ['potato', 'potatoes'],
  ['tomato', 'tomatoes'],
];

const unchanging = ['sheep', 'fish', 'deer', 'series', 'species', 'information', 'equipment', 'news', 'metadata'];

const same: readonly WordRule[] = unchanging.map((word) => [`\\b(${word})$`, '$1']);

export const pluralRules: readonly WordRule[] = [
  ...same,
  ...irregular.map(([one, many]): WordRule => [`\\b${one}$`, many]),
  ['(s|x|z|ch|sh)$', '$1es'],
  ['([^aeiou])y$', '$1ies'],
  ['$', 's'],
];

export const singularRules: readonly WordRule[] = [
  ...same,
  ...irregular.map(([one, many]): WordRule => [`\\b${many}$`, one]),
  ['(address|process|class|access|status|analysis|basis|bus)$', '$1'],
  ['(address|process|class|access|status|bus)es$', '$1'],
  ['(analys|bas)es$', '$1is'],
  ['([^aeiou])ies$', '$1y'],
  ['(x|z|ch|sh|ss)es$', '$1'],
  ['(ss)$', '$1'],
  ['s$', ''],
];

const compiled = new Map<readonly WordRule[], readonly (readonly [RegExp, string])[]>();

export function inflected(word: string, rules: readonly WordRule[]): string {
  let known = compiled.get(rules);
  if (known === undefined) {
    known = rules.map(([pattern, replacement]) => [new RegExp(pattern), replacement]);
    compiled.set(rules, known);
  }
  if (word === '') return word;
  const rule = known.find(([pattern]) => pattern.test(word));
  return rule === undefined ? word : word.replace(rule[0], rule[1]);
}
