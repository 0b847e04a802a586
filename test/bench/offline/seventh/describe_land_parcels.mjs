/** Finds the connected parcels of equal land use on a map and describes their size, border and neighbours. */

const STEPS = [
  { row: -1, column: 0 },
  { row: 0, column: 1 },
  { row: 1, column: 0 },
  { row: 0, column: -1 },
];

function useAt(map, row, column) {
  return map[row]?.[column] ?? null;
}

function contains(cells, row, column) {
  return cells.some((cell) => cell.row === row && cell.column === column);
}

function collectParcel(map, row, column) {
  const use = useAt(map, row, column);
  const cells = [{ row, column }];
  const waiting = [{ row, column }];
  while (waiting.length > 0) {
    const cell = waiting.shift();
    for (const step of STEPS) {
      const next = { row: cell.row + step.row, column: cell.column + step.column };
      if (useAt(map, next.row, next.column) === use && !contains(cells, next.row, next.column)) {
        cells.push(next);
        waiting.push(next);
      }
    }
  }
  return { use, cells };
}

function describeParcel(map, parcel) {
  let border = 0;
  const neighbours = [];
  for (const cell of parcel.cells) {
    for (const step of STEPS) {
      const other = useAt(map, cell.row + step.row, cell.column + step.column);
      if (other !== parcel.use) {
        border += 1;
        if (other !== null && !neighbours.includes(other)) {
          neighbours.push(other);
        }
      }
    }
  }
  const rows = parcel.cells.map((cell) => cell.row);
  const columns = parcel.cells.map((cell) => cell.column);
  return {
    use: parcel.use,
    size: parcel.cells.length,
    border,
    top: Math.min(...rows),
    left: Math.min(...columns),
    bottom: Math.max(...rows),
    right: Math.max(...columns),
    neighbours: neighbours.sort(),
  };
}

export function describeLandParcels(map, smallest = 1) {
  if (map.some((row) => row.length !== map[0].length)) {
    throw new Error('The rows of the map differ in length');
  }
  const parcels = [];
  for (let row = 0; row < map.length; row += 1) {
    for (let column = 0; column < map[row].length; column += 1) {
      if (!parcels.some((parcel) => contains(parcel.cells, row, column))) {
        parcels.push(collectParcel(map, row, column));
      }
    }
  }
  return parcels
    .filter((parcel) => parcel.cells.length >= smallest)
    .map((parcel) => describeParcel(map, parcel))
    .sort((a, b) => b.size - a.size || a.top - b.top || a.left - b.left);
}

export function inputs() {
  let state = 97;
  const pick = (count) => {
    state = (state * 16807) % 2147483647;
    return state % count;
  };
  const one = (height, width) => {
    const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => 'F'));
    for (let patch = 0; patch < (height * width) / 12; patch += 1) {
      const use = ['F', 'M', 'W', 'R'][pick(4)];
      const top = pick(height);
      const left = pick(width);
      for (let row = top; row < Math.min(height, top + 4); row += 1) {
        for (let column = left; column < Math.min(width, left + 5); column += 1) {
          cells[row][column] = use;
        }
      }
    }
    return [cells.map((row) => row.join('')), 1 + pick(3)];
  };
  return [one(1, 2), one(6, 8), one(18, 20), one(40, 44)];
}
