/** Measures the plots on a map of letters: a plot is a stretch of equal letters that touch side by side. */
export function measurePlots(rows, fencePrice = 1) {
  if (rows.some((row) => row.length !== rows[0].length)) {
    throw new Error('All rows of the map must have the same length');
  }
  const plots = [];
  for (let y = 0; y < rows.length; y++) {
    for (let x = 0; x < rows[y].length; x++) {
      // Dots are common land.
      if (rows[y][x] === '.') continue;
      if (plots.some((plot) => contains(plot, x, y))) continue;
      plots.push(collect(rows, x, y));
    }
  }

  const measured = plots.map((plot) => {
    const [x, y] = plot[0];
    return {
      kind: rows[y][x],
      at: [x, y],
      area: plot.length,
      fence: fenceOf(plot),
      price: plot.length === 1 ? 0 : fenceOf(plot) * fencePrice,
      neighbours: neighboursOf(rows, plot),
      onBorder: plot.some(([px, py]) => px === 0 || py === 0 || py === rows.length - 1 || px === rows[py].length - 1),
    };
  });
  measured.sort((a, b) => b.area - a.area || a.kind.localeCompare(b.kind));
  return { plots: measured, total: measured.reduce((sum, plot) => sum + plot.price, 0) };
}

function contains(cells, x, y) {
  return cells.some(([cx, cy]) => cx === x && cy === y);
}

function around(x, y) {
  return [
    [x + 1, y],
    [x, y + 1],
    [x - 1, y],
    [x, y - 1],
  ];
}

function collect(rows, startX, startY) {
  const kind = rows[startY][startX];
  const cells = [[startX, startY]];
  for (let index = 0; index < cells.length; index++) {
    for (const [x, y] of around(...cells[index])) {
      if (rows[y]?.[x] === kind && !contains(cells, x, y)) cells.push([x, y]);
    }
  }
  return cells;
}

function fenceOf(cells) {
  let fence = 0;
  for (const [x, y] of cells) {
    fence += around(x, y).filter(([nx, ny]) => !contains(cells, nx, ny)).length;
  }
  return fence;
}

function neighboursOf(rows, cells) {
  const kinds = [];
  for (const [x, y] of cells) {
    for (const [nx, ny] of around(x, y)) {
      const kind = rows[ny]?.[nx];
      if (kind && kind !== '.' && kind !== rows[y][x] && !kinds.includes(kind)) kinds.push(kind);
    }
  }
  return kinds.sort();
}

export function inputs() {
  let seed = 448;
  const below = (limit) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  return [
    [1, 1, 3],
    [6, 4, 2],
    [12, 9, 2.5],
    [34, 25, 4],
  ].map(([width, height, price]) => {
    const rows = [];
    for (let y = 0; y < height; y++) {
      let row = '';
      for (let x = 0; x < width; x++) {
        // Most cells continue the plot to the left or above.
        const choice = below(10);
        if (choice < 4 && x > 0) row += row[x - 1];
        else if (choice < 8 && y > 0) row += rows[y - 1][x];
        else row += 'ABC.D'[below(5)];
      }
      rows.push(row);
    }
    return [rows, price];
  });
}
