/** A table as text: columns as wide as their longest cell. */
export function textTable(header, rows) {
  const lines = [];
  for (const row of [header, ...rows]) {
    let line = '|';
    for (let column = 0; column < header.length; column++) {
      const width = Math.max(header[column].length, ...rows.map((each) => String(each[column]).length));
      line += ' ' + String(row[column]).padEnd(width) + ' |';
    }
    lines.push(line);
  }
  lines.splice(1, 0, lines[0].replace(/[^|]/g, '-'));
  return lines.join('\n');
}

export function inputs() {
  return [
    [
      ['name', 'city', 'age'],
      [
        ['Ann', 'Bergen', 31],
        ['Robert', 'Oslo', 7],
        ['Eve', 'Mo', 104],
      ],
    ],
    [['x'], [[1]]],
  ];
}
