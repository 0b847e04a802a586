interface Item {
  sku: string;
  name: string;
}

interface Movement {
  sku: string;
  day: number;
  amount: number;
}

/** The stock of each item with its last movement, and those that have run out. */
export function stockReport(items: Item[], movements: Movement[]): { lines: string[]; empty: string[] } {
  const lines: string[] = [];
  const empty: string[] = [];
  for (const item of items) {
    const own = movements.filter((movement) => movement.sku === item.sku);
    const stock = own.reduce((sum, movement) => sum + movement.amount, 0);
    const last = [...own].sort((a, b) => b.day - a.day)[0];
    lines.push(`${item.name}: ${stock}${last === undefined ? '' : `, last moved on day ${last.day}`}`);
    if (stock <= 0) {
      empty.push(item.sku);
    }
  }
  return { lines, empty };
}

export function inputs() {
  return [
    [
      [
        { sku: 'a', name: 'Apple' },
        { sku: 'b', name: 'Bread' },
      ],
      [
        { sku: 'a', day: 1, amount: 10 },
        { sku: 'b', day: 2, amount: 3 },
        { sku: 'a', day: 4, amount: -4 },
        { sku: 'b', day: 3, amount: -3 },
      ],
    ],
    [[{ sku: 'z', name: 'Zest' }], []],
  ];
}
