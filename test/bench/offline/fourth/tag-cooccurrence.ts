export interface Post {
  id: number;
  tags: string[];
}

export interface TagPair {
  tags: [string, string];
  together: number;
  lift: number;
}

export interface TagReport {
  counts: Record<string, number>;
  pairs: TagPair[];
  related: Record<string, string[]>;
}

function cleanTags(tags: string[]): string[] {
  const cleaned = tags.map((tag) =>
    tag
      .trim()
      .toLowerCase()
      .replace(/^#+/, '')
      .replace(/[\s_]+/g, '-'),
  );
  return [...new Set(cleaned)].filter((tag) => tag !== '').sort();
}

/**
 * Which tags are used together, and more often than chance would have it? The
 * lift of a pair is above 1 if it is.
 */
export function tagCooccurrence(posts: Post[], minTogether = 2, relatedLimit = 3): TagReport {
  const counts = new Map<string, number>();
  const together = new Map<string, number>();

  for (const post of posts) {
    const tags = cleanTags(post.tags);
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    for (const first of tags) {
      for (const second of tags) {
        if (first >= second) continue;
        const key = JSON.stringify([first, second]);
        together.set(key, (together.get(key) ?? 0) + 1);
      }
    }
  }

  const pairs = [...together]
    .filter(([, count]) => count >= minTogether)
    .map(([key, count]): TagPair => {
      const [first, second] = JSON.parse(key) as [string, string];
      const expected = ((counts.get(first) ?? 0) * (counts.get(second) ?? 0)) / posts.length;
      return { tags: [first, second], together: count, lift: Number((count / expected).toFixed(2)) };
    })
    .sort((a, b) => b.lift - a.lift || b.together - a.together || a.tags.join().localeCompare(b.tags.join()));

  const related = Object.fromEntries(
    [...counts.keys()].sort().map((tag) => {
      const others = pairs
        .filter((pair) => pair.tags.includes(tag))
        .map((pair) => (pair.tags[0] === tag ? pair.tags[1] : pair.tags[0]));
      return [tag, others.slice(0, relatedLimit)];
    }),
  );
  return { counts: Object.fromEntries([...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))), pairs, related };
}

export function inputs(): [Post[], number?, number?][] {
  let state = 59;
  const draw = (count: number) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const tag = (known: number) => {
    const name = `${['Travel', 'food', 'home office', 'DIY', 'garden'][draw(5)]}${draw(1 + draw(known))}`;
    return ['', '', '#', ' '][draw(4)] + name;
  };
  const posts = (count: number, known: number): Post[] =>
    Array.from({ length: count }, (_, at) => ({ id: at + 1, tags: Array.from({ length: draw(9) }, () => tag(known)) }));
  return [[posts(4, 2), 1], [posts(30, 4)], [posts(120, 10), 2, 5], [posts(500, 24), 2, 4]];
}
