/** How many steps each cell of a maze is from its entry; -1 for walls and cells that cannot be reached. */
export function shortestSteps(maze, startRow, startColumn) {
  const steps = maze.map((row) => row.map(() => -1));
  const queue = [[startRow, startColumn]];
  steps[startRow][startColumn] = 0;
  while (queue.length > 0) {
    const [row, column] = queue.shift();
    const moves = [
      [row - 1, column],
      [row + 1, column],
      [row, column - 1],
      [row, column + 1],
    ];
    for (const [r, c] of moves) {
      if (r < 0 || c < 0 || r >= maze.length || c >= maze[0].length) continue;
      if (maze[r][c] === 1 || steps[r][c] !== -1) continue;
      steps[r][c] = steps[row][column] + 1;
      queue.push([r, c]);
    }
  }
  return steps;
}

export function inputs() {
  const maze = Array.from({ length: 60 }, (_, r) =>
    Array.from({ length: 60 }, (_, c) => (r % 4 === 2 && c % 7 !== r % 7 ? 1 : 0)),
  );
  return [
    [maze, 0, 0],
    [[[0]], 0, 0],
  ];
}
