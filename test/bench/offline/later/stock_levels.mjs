/** What is in stock after deliveries and sales, one line for each article. */
export function stockLevels(movements) {
  const levels = [];
  for (const { article, pieces } of movements) {
    const known = levels.find((level) => level.article === article);
    if (known === undefined) {
      levels.push({ article, pieces });
    } else {
      known.pieces += pieces;
    }
  }
  return levels.filter((level) => level.pieces !== 0);
}

export function inputs() {
  const movements = Array.from({ length: 1500 }, (_, i) => ({ article: `a${(i * 37) % 600}`, pieces: ((i * 13) % 9) - 4 }));
  return [
    [movements],
    [[]],
    [
      [
        { article: 'x', pieces: 1 },
        { article: 'x', pieces: -1 },
      ],
    ],
  ];
}
