/** Makes the index at the end of a book: each word with the pages on which it stands. */
export function wordIndex(pages, ignored) {
  const entries = pages.flatMap((page) =>
    page.text
      .toLowerCase()
      .split(/[^a-z]+/)
      .filter((word) => word.length > 2 && !ignored.includes(word))
      .map((word) => ({ word, page: page.number })),
  );

  let index = {};
  for (const { word, page } of entries) {
    const known = Object.hasOwn(index, word) ? index[word] : [];
    if (!known.includes(page)) index = { ...index, [word]: [...known, page] };
  }

  return Object.keys(index)
    .sort()
    .map((word) => `${word} ${ranges(index[word])}`);
}

/** Pages in a row are written as 3-5. */
function ranges(pages) {
  const sorted = [...pages].sort((a, b) => a - b);
  const parts = [];
  let first = sorted[0];
  for (let i = 0; i < sorted.length; i++) {
    if (sorted[i + 1] === sorted[i] + 1) continue;
    parts.push(first === sorted[i] ? `${first}` : `${first}-${sorted[i]}`);
    first = sorted[i + 1];
  }
  return parts.join(', ');
}

export function inputs() {
  const pages = [
    { number: 1, text: 'The ship left the harbour.' },
    { number: 2, text: 'A ship and a storm; the harbour was far.' },
    { number: 4, text: 'Storm after storm, and no ship.' },
  ];
  return [
    [pages, ['the', 'and']],
    [pages.slice(0, 1), []],
    [[], ['the']],
  ];
}
