const DAY = 24 * 60 * 60 * 1000;

function daysBetween(from, to) {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY);
}

/** Units sold on each of the last days, the most recent first. */
function dailySales(sku, sales, today, days) {
  const result = [];
  for (let ago = 1; ago <= days; ago++) {
    const units = sales
      .filter((sale) => sale.sku === sku && daysBetween(sale.date, today) === ago)
      .reduce((sum, sale) => sum + sale.quantity, 0);
    result.push(units);
  }
  return result;
}

function standardDeviation(values) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

/**
 * Suggests what to order from each supplier. A product is reordered when the
 * stock, including what is on its way, does not cover the demand during the
 * lead time plus a safety stock.
 *
 * @param {Array<{sku: string, supplier: string, stock: number, cost: number, leadDays?: number, pack?: number}>} products
 * @param {Array<{sku: string, date: string, quantity: number}>} sales
 * @param {Array<{sku: string, quantity: number}>} incoming
 * @param {string} today
 * @param {number} [days] how many days of sales are looked at
 */
export function suggestReorders(products, sales, incoming, today, days = 28) {
  const suggestions = [];
  for (const product of products) {
    const perDay = dailySales(product.sku, sales, today, days);
    const demand = perDay.reduce((a, b) => a + b, 0) / days;
    if (demand <= 0) continue;

    const leadDays = product.leadDays ?? 7;
    const safety = 1.65 * standardDeviation(perDay) * Math.sqrt(leadDays);
    const onTheWay = incoming.filter((order) => order.sku === product.sku).reduce((sum, order) => sum + order.quantity, 0);
    const available = product.stock + onTheWay;
    const reorderPoint = Math.ceil(demand * leadDays + safety);
    if (available > reorderPoint) continue;

    const pack = product.pack || 1;
    const wanted = reorderPoint + Math.ceil(demand * 14) - available;
    const quantity = Math.ceil(wanted / pack) * pack;
    suggestions.push({
      sku: product.sku,
      supplier: product.supplier,
      quantity,
      cost: quantity * product.cost,
      daysLeft: Math.floor(product.stock / demand),
    });
  }

  const suppliers = [...new Set(suggestions.map((s) => s.supplier))].sort();
  return suppliers.map((supplier) => {
    const lines = suggestions.filter((s) => s.supplier === supplier);
    lines.sort((a, b) => a.daysLeft - b.daysLeft || a.sku.localeCompare(b.sku));
    return { supplier, lines, cost: lines.reduce((sum, line) => sum + line.cost, 0), urgent: lines.some((l) => l.daysLeft < 3) };
  });
}

export function inputs() {
  let state = 19;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const call = (products, sales, ...rest) => [
    Array.from({ length: products }, (_, at) => ({
      sku: `A-${100 + at}`,
      supplier: ['Nordik', 'Haas & Co', 'Lumen'][draw(3)],
      stock: draw(60),
      cost: 120 + draw(3000),
      ...(draw(3) > 0 ? { leadDays: 2 + draw(12) } : {}),
      ...(draw(2) > 0 ? { pack: [6, 10, 12][draw(3)] } : {}),
    })),
    Array.from({ length: sales }, () => ({
      sku: `A-${100 + draw(products + 2)}`,
      date: `2024-0${2 + draw(2)}-${String(1 + draw(28)).padStart(2, '0')}`,
      quantity: 1 + draw(6),
    })),
    Array.from({ length: Math.ceil(products / 2) }, () => ({ sku: `A-${100 + draw(products)}`, quantity: 5 + draw(40) })),
    '2024-03-29',
    ...rest,
  ];
  return [call(3, 10), call(8, 60, 14), call(15, 150), call(40, 500)];
}
