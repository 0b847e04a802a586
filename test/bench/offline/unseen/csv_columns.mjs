/** The columns of a table in CSV, by name, without those that are empty in every row. */
export function csvColumns(text) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return {};
  const names = lines[0].split(',');
  const columns = {};
  for (const name of names) {
    let values = [];
    for (const line of lines.slice(1)) {
      const cells = line.split(',');
      values = values.concat([cells[names.indexOf(name)] ?? '']);
    }
    if (values.some((value) => value !== '')) columns[name] = values;
  }
  return columns;
}

export function inputs() {
  const rows = ['id,name,empty,city,zip'];
  for (let i = 0; i < 400; i++) rows.push(`${i},n${i % 17},,c${i % 5},${10000 + i}`);
  return [[rows.join('\n')], [''], ['a,b\n1,\n2,']];
}
