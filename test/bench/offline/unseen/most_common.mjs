/** The words of a text that are used most, with their counts; equal counts in the order of the alphabet. */
export function mostCommon(text, limit) {
  const words = text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 0);
  const counted = [];
  for (const word of words) {
    if (counted.find((entry) => entry.word === word)) continue;
    counted.push({ word, count: words.filter((other) => other === word).length });
  }
  counted.sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
  return counted.slice(0, limit);
}

export function inputs() {
  const words = [];
  for (let i = 0; i < 600; i++) words.push(`w${'abcdefghij'[(i * 7) % 10]}${'klmnopqrst'[(i * 3 + (i >> 4)) % 10]}`);
  return [
    [words.join(' '), 10],
    ['', 3],
    ['b a b, a; c', 2],
  ];
}
