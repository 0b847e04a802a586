/** Works out what the goods of each sale have cost, when the oldest goods are sold first, and what the rest in stock is worth. */
interface Delivery {
  product: string;
  day: number;
  quantity: number;
  price: number;
}

interface Sale {
  product: string;
  day: number;
  quantity: number;
}

interface Costs {
  sales: { product: string; cost: number; missing: number }[];
  stock: Record<string, number>;
}

export function stockCost(deliveries: Delivery[], sales: Sale[]): Costs {
  const lots = deliveries.map((delivery) => ({ ...delivery, left: delivery.quantity }));
  const result: Costs = { sales: [], stock: {} };

  for (const sale of sales.toSorted((a, b) => a.day - b.day)) {
    const open = lots
      .filter((lot) => lot.product === sale.product && lot.left > 0)
      .filter((lot) => lot.day <= sale.day)
      .sort((a, b) => a.day - b.day);
    let missing = sale.quantity;
    let cost = 0;
    for (const lot of open) {
      const taken = Math.min(lot.left, missing);
      lot.left -= taken;
      missing -= taken;
      cost += taken * lot.price;
    }
    result.sales.push({ product: sale.product, cost, missing });
  }

  for (const { product } of lots) {
    const rest = lots.filter((lot) => lot.product === product);
    result.stock[product] = rest.reduce((sum, lot) => sum + lot.left * lot.price, 0);
  }
  return result;
}

export function inputs(): [Delivery[], Sale[]][] {
  const deliveries = [
    { product: 'tea', day: 1, quantity: 10, price: 30 },
    { product: 'rice', day: 2, quantity: 5, price: 12 },
    { product: 'tea', day: 4, quantity: 6, price: 35 },
  ];
  const sales = [
    { product: 'tea', day: 5, quantity: 12 },
    { product: 'rice', day: 3, quantity: 7 },
    { product: 'tea', day: 3, quantity: 2 },
  ];
  return [
    [deliveries, sales],
    [deliveries, []],
    [[], sales],
  ];
}
