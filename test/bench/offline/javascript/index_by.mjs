/** Records by their key; a later record replaces an earlier one. */
export function indexBy(records, field) {
  let index = {};
  for (const record of records) {
    index = { ...index, [record[field]]: record };
  }
  return index;
}

export function inputs() {
  const records = Array.from({ length: 500 }, (_, i) => ({ id: `r${(i * 17) % 450}`, value: i }));
  return [
    [records, 'id'],
    [[], 'id'],
    [[{ id: 'x', value: 1 }], 'value'],
  ];
}
