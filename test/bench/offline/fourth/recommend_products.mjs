/** Everything that a customer has ever bought. */
function boughtBy(customer, orders) {
  const items = [];
  for (const order of orders) {
    if (order.customer !== customer || order.refunded) continue;
    for (const item of order.items) {
      if (!items.includes(item)) items.push(item);
    }
  }
  return items;
}

function similarity(a, b) {
  const common = a.filter((item) => b.includes(item));
  const all = new Set([...a, ...b]);
  return all.size === 0 ? 0 : common.length / all.size;
}

/**
 * "Customers who are like you also bought": the products that the most similar
 * customers have and this one does not have.
 *
 * @param {Array<{customer: string, items: string[], refunded?: boolean}>} orders
 * @param {string[]} customers for whom recommendations are wanted
 * @param {{limit?: number, neighbours?: number}} [options]
 */
export function recommendProducts(orders, customers, { limit = 3, neighbours = 10 } = {}) {
  const everyone = [...new Set(orders.map((order) => order.customer))];
  const result = {};

  for (const customer of customers) {
    const own = boughtBy(customer, orders);
    const similar = everyone
      .filter((other) => other !== customer)
      .map((other) => ({ other, weight: similarity(own, boughtBy(other, orders)) }))
      .filter(({ weight }) => weight > 0)
      .sort((a, b) => b.weight - a.weight || (a.other < b.other ? -1 : 1))
      .slice(0, neighbours);

    const scores = {};
    const reasons = {};
    for (const { other, weight } of similar) {
      for (const item of boughtBy(other, orders)) {
        if (own.includes(item)) continue;
        scores[item] = (scores[item] || 0) + weight;
        reasons[item] = [...(reasons[item] || []), other];
      }
    }
    result[customer] = Object.keys(scores)
      .sort((a, b) => scores[b] - scores[a] || (a < b ? -1 : 1))
      .slice(0, limit)
      .map((item) => ({ item, score: Math.round(scores[item] * 1000) / 1000, because: reasons[item] }));
  }
  return result;
}

export function inputs() {
  let state = 29;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const call = (orders, customers, items, wanted, ...rest) => [
    Array.from({ length: orders }, () => ({
      customer: `c${draw(customers)}`,
      items: Array.from({ length: 1 + draw(5) }, () => `item-${draw(1 + draw(items))}`),
      ...(draw(15) === 0 ? { refunded: true } : {}),
    })),
    Array.from({ length: wanted }, (_, at) => `c${at}`),
    ...rest,
  ];
  return [
    call(6, 3, 8, 2),
    call(40, 12, 25, 6),
    call(100, 30, 50, 12, { limit: 5, neighbours: 4 }),
    call(240, 55, 80, 24, { limit: 4 }),
  ];
}
