/** Searches articles for the words of a query and ranks them by how rare and how frequent the words are. */

type Article = { id: string; title: string; body: string; tags?: string[] };
type Indexed = { article: Article; title: string[]; body: string[] };
type Hit = { id: string; score: number; matched: string[]; excerpt: string };

const STOP_WORDS = ['a', 'an', 'and', 'in', 'is', 'of', 'on', 'or', 'the', 'to', 'with'];

function stem(word: string): string {
  for (const ending of ['ing', 'ed', 'es', 's']) {
    if (word.endsWith(ending) && word.length - ending.length >= 3) {
      return word.slice(0, -ending.length);
    }
  }
  return word;
}

function tokens(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !STOP_WORDS.includes(word))
    .map(stem);
}

function count(words: string[], term: string): number {
  return words.filter((word) => word === term).length;
}

function rarity(term: string, all: Indexed[]): number {
  const having = all.filter((entry) => entry.title.includes(term) || entry.body.includes(term));
  return Math.log(1 + all.length / (1 + having.length));
}

function score(entry: Indexed, terms: string[], all: Indexed[]): number {
  let total = 0;
  for (const term of terms) {
    const frequency = count(entry.body, term) / Math.max(1, entry.body.length);
    const tagged = (entry.article.tags ?? []).some((tag) => tokens(tag).includes(term));
    total += (frequency * 10 + count(entry.title, term) * 2 + (tagged ? 1 : 0)) * rarity(term, all);
  }
  return total;
}

function excerpt(body: string, terms: string[]): string {
  const sentences = body.split(/(?<=[.!?])\s+/);
  const ranked = sentences
    .map((sentence) => ({ sentence, found: terms.filter((term) => tokens(sentence).includes(term)).length }))
    .sort((a, b) => b.found - a.found);
  const best = ranked[0]?.sentence ?? '';
  return best.length > 80 ? `${best.slice(0, 77)}...` : best;
}

export function searchArticles(articles: Article[], query: string, limit = 10): Hit[] {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new RangeError('The limit must be a positive whole number');
  }
  const parts = query.split(/\s+/);
  const excluded = parts.filter((part) => part.startsWith('-')).flatMap((part) => tokens(part));
  const terms = [...new Set(parts.filter((part) => !part.startsWith('-')).flatMap((part) => tokens(part)))];
  const all = articles.map((article) => ({ article, title: tokens(article.title), body: tokens(article.body) }));
  const hits = all
    .filter((entry) => !excluded.some((term) => entry.title.includes(term) || entry.body.includes(term)))
    .map((entry) => ({
      id: entry.article.id,
      score: Math.round(score(entry, terms, all) * 1000) / 1000,
      matched: terms.filter((term) => entry.title.includes(term) || entry.body.includes(term)),
      excerpt: excerpt(entry.article.body, terms),
    }));
  return hits
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .slice(0, limit);
}

export function inputs(): [Article[], string, number][] {
  let state = 107;
  const pick = (size: number): number => {
    state = (state * 16807) % 2147483647;
    return state % size;
  };
  const stems = ['garden', 'train', 'market', 'water', 'paint', 'school', 'bridge', 'forest', 'cook', 'sail'];
  const endings = ['', 's', 'ing', 'ed', 'er', 'house'];
  const word = (): string => `${stems[pick(10)] ?? ''}${endings[pick(6)] ?? ''}`;
  const sentence = (): string => `The ${Array.from({ length: 5 + pick(6) }, word).join(' ')}.`;
  const one = (size: number, sentences: number, query: string): [Article[], string, number] => [
    Array.from({ length: size }, (_, index) => {
      const body = Array.from({ length: sentences }, sentence).join(' ');
      const article = { id: `a${index}`, title: `${word()} and ${word()}`, body };
      return pick(2) === 0 ? article : { ...article, tags: [word(), word()] };
    }),
    query,
    5,
  ];
  return [
    one(1, 1, 'garden'),
    one(6, 3, 'the painted bridges'),
    one(30, 6, 'train schools -water'),
    one(110, 14, 'cooking markethouse sailer forests bridge -painthouse'),
  ];
}
