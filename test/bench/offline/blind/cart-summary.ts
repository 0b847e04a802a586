interface Product {
  sku: string;
  name: string;
  price: number;
  group: string;
}

interface Line {
  sku: string;
  quantity: number;
}

interface Discount {
  group: string;
  minimum: number;
  percent: number;
}

/** The lines of a shopping cart with the best discount of each, and what is to pay. */
export function cartSummary(
  cart: Line[],
  products: Product[],
  discounts: Discount[],
): { lines: string[]; total: number; unknown: string[] } {
  const skus = cart.map((line) => line.sku).filter((sku, index, all) => all.indexOf(sku) === index);
  const unknown = skus.filter((sku) => !products.find((product) => product.sku === sku));
  const lines: string[] = [];
  let total = 0;
  for (const sku of skus) {
    if (unknown.includes(sku)) continue;
    const product = products.find((each) => each.sku === sku) as Product;
    const quantity = cart.filter((line) => line.sku === sku).reduce((sum, line) => sum + line.quantity, 0);
    const fitting = discounts
      .filter((discount) => discount.group === product.group && quantity >= discount.minimum)
      .sort((a, b) => b.percent - a.percent);
    const percent = fitting[0]?.percent ?? 0;
    const price = Math.round((product.price * quantity * (100 - percent)) / 100);
    total += price;
    lines.push(`${quantity} ${product.name}: ${price}${percent > 0 ? ` (-${percent} %)` : ''}`);
  }
  return { lines, total, unknown };
}

export function inputs() {
  return [
    [
      [
        { sku: 'a', quantity: 2 },
        { sku: 'b', quantity: 1 },
        { sku: 'a', quantity: 3 },
        { sku: 'q', quantity: 1 },
      ],
      [
        { sku: 'a', name: 'Pen', price: 15, group: 'office' },
        { sku: 'b', name: 'Mug', price: 90, group: 'kitchen' },
        { sku: 'c', name: 'Cup', price: 70, group: 'kitchen' },
      ],
      [
        { group: 'office', minimum: 3, percent: 10 },
        { group: 'office', minimum: 5, percent: 20 },
        { group: 'kitchen', minimum: 2, percent: 15 },
      ],
    ],
    [[], [{ sku: 'z', name: 'Z', price: 1, group: 'g' }], []],
  ];
}
