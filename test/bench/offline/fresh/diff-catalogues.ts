interface Product {
  sku: string;
  price: number;
}

/** What was added, removed and repriced between two catalogues. */
export function diffCatalogues(before: Product[], after: Product[]): { added: string[]; removed: string[]; repriced: string[] } {
  const added = after.filter((product) => !before.some((old) => old.sku === product.sku)).map((product) => product.sku);
  const removed = before.filter((old) => !after.map((product) => product.sku).includes(old.sku)).map((old) => old.sku);
  const repriced: string[] = [];
  for (const old of before) {
    const current = after.find((product) => product.sku === old.sku);
    if (current !== undefined && current.price !== old.price) {
      repriced.push(`${old.sku}: ${old.price} -> ${current.price}`);
    }
  }
  return { added, removed, repriced };
}

export function inputs() {
  return [
    [
      [
        { sku: 'a1', price: 10 },
        { sku: 'b2', price: 20 },
        { sku: 'c3', price: 5 },
      ],
      [
        { sku: 'b2', price: 25 },
        { sku: 'c3', price: 5 },
        { sku: 'd4', price: 1 },
      ],
    ],
    [[], [{ sku: 'x', price: 1 }]],
  ];
}
