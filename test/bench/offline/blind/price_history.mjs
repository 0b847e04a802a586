/** The lowest price of each product in the last days, and whether today's price is really a reduction. */
export function priceHistory(products, prices, today, days) {
  const rows = [];
  for (const product of products) {
    const history = prices.filter((price) => price.product === product.id).sort((a, b) => a.day - b.day);
    const current = history.filter((price) => price.day <= today).pop();
    if (current === undefined) {
      rows.push({ name: product.name, text: 'no price' });
      continue;
    }
    const recent = prices.filter((price) => price.product === product.id && price.day >= today - days && price.day < today);
    const lowest = recent.length > 0 ? Math.min(...recent.map((price) => price.cents)) : null;
    let text = (current.cents / 100).toFixed(2);
    if (lowest !== null && current.cents < lowest) {
      text += ` (was ${(lowest / 100).toFixed(2)})`;
    } else if (lowest !== null && current.cents > lowest) {
      text += ' (dearer)';
    }
    rows.push({ name: product.name, text });
  }
  rows.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return rows;
}

export function inputs() {
  return [
    [
      [
        { id: 'p1', name: 'Tent' },
        { id: 'p2', name: 'Stove' },
        { id: 'p3', name: 'Lamp' },
      ],
      [
        { product: 'p1', day: 1, cents: 19900 },
        { product: 'p2', day: 2, cents: 4900 },
        { product: 'p1', day: 20, cents: 14900 },
        { product: 'p2', day: 18, cents: 5900 },
      ],
      20,
      30,
    ],
    [[{ id: 'a', name: 'A' }], [{ product: 'a', day: 5, cents: 100 }], 3, 7],
  ];
}
