/** The tags of all posts, each once, in the order of their first use. */
export function uniqueTags(posts) {
  let tags = [];
  for (const post of posts) {
    for (const tag of post.tags) {
      if (!tags.includes(tag)) {
        tags = [...tags, tag];
      }
    }
  }
  return tags;
}

export function inputs() {
  const posts = Array.from({ length: 300 }, (_, i) => ({ tags: [`tag${(i * 37) % 900}`, `tag${(i * 101) % 900}`, `t${i}`] }));
  return [[posts], [[]], [[{ tags: ['a', 'a', 'b'] }]]];
}
