/** The mean of each window of a series. */
export function movingAverage(values, size) {
  const result = [];
  for (let i = 0; i + size <= values.length; i++) {
    const total = values.slice(i, i + size).reduce((sum, value) => sum + value, 0);
    result.push(total / size);
  }
  return result;
}

export function inputs() {
  const values = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 1000);
  return [
    [values, 200],
    [[1, 2, 3], 2],
    [[], 3],
  ];
}
