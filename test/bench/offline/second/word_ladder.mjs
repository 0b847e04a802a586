/** Finds the shortest way from one word to another that changes one letter at a time and uses known words only. */
export function wordLadder(start, goal, words) {
  const queue = [[start]];
  const seen = [start];
  while (queue.length > 0) {
    const path = queue.shift();
    const last = path[path.length - 1];
    if (last === goal) return path;
    const next = words.filter((word) => isOneStep(last, word) && !seen.includes(word));
    for (const word of next) {
      if (seen.includes(word)) continue;
      seen.push(word);
      queue.push([...path, word]);
    }
  }
  return [];
}

function isOneStep(from, to) {
  const letters = from.split('');
  const others = to.split('');
  return letters.length === others.length && letters.filter((letter, i) => letter !== others[i]).length === 1;
}

export function inputs() {
  const words = ['hot', 'dot', 'dog', 'lot', 'log', 'cog', 'cold', 'hit'];
  return [
    ['hit', 'cog', words],
    ['cold', 'dog', words],
    ['hot', 'hot', []],
  ];
}
