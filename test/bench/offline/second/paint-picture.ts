/** Fills areas of a picture of letters with new colours, like the bucket of a drawing program, and counts the cells painted. */
interface Fill {
  row: number;
  column: number;
  colour: string;
}

export function paintPicture(picture: string[], fills: Fill[]): { picture: string[]; painted: number[] } {
  let current = picture;
  const painted: number[] = [];
  for (const { row, column, colour } of fills) {
    const old = current[row]?.[column];
    let count = 0;
    if (old !== undefined && old !== colour) {
      const waiting: [number, number][] = [[row, column]];
      while (waiting.length > 0) {
        const [r, c] = waiting.shift() ?? [0, 0];
        if (current[r]?.[c] !== old) continue;
        current = withCell(current, r, c, colour);
        count += 1;
        waiting.push([r - 1, c], [r + 1, c], [r, c - 1], [r, c + 1]);
      }
    }
    painted.push(count);
  }
  return { picture: current, painted };
}

/** A copy of the picture with one cell changed. */
function withCell(picture: string[], row: number, column: number, colour: string): string[] {
  return picture.map((line, r) =>
    line
      .split('')
      .map((cell, c) => (r === row && c === column ? colour : cell))
      .join(''),
  );
}

export function inputs(): [string[], Fill[]][] {
  const picture = ['..##', '.#..', '.#..'];
  return [
    [picture, [{ row: 0, column: 0, colour: 'o' }]],
    [
      picture,
      [
        { row: 1, column: 3, colour: '#' },
        { row: 2, column: 1, colour: 'x' },
        { row: 7, column: 0, colour: 'x' },
      ],
    ],
    [[], []],
  ];
}
