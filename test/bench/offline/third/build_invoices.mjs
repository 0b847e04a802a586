function taxRate(taxRates, country, category) {
  const rate =
    taxRates.find((r) => r.country === country && r.category === category) ||
    taxRates.find((r) => r.country === country && r.category === 'standard');
  return rate ? rate.percent : 0;
}

function discountPercent(quantity) {
  if (quantity >= 100) return 10;
  if (quantity >= 20) return 5;
  return 0;
}

/**
 * Makes one invoice per customer from a list of order lines. All amounts are
 * whole cents. Lines with an unknown customer or product are rejected.
 *
 * @param {Array<{customerId: string, sku: string, quantity: number}>} orderLines
 * @param {Array<{sku: string, title: string, price: number, category: string}>} products
 * @param {Array<{id: string, name: string, country: string}>} customers
 * @param {Array<{country: string, category: string, percent: number}>} taxRates
 */
export function buildInvoices(orderLines, products, customers, taxRates) {
  const invoices = [];
  const rejected = [];

  for (const line of orderLines) {
    const customer = customers.find((c) => c.id === line.customerId);
    const product = products.find((p) => p.sku === line.sku);
    if (!customer || !product) {
      rejected.push({ ...line, reason: customer ? 'unknown product' : 'unknown customer' });
      continue;
    }

    let invoice = invoices.find((inv) => inv.customerId === customer.id);
    if (!invoice) {
      invoice = { customerId: customer.id, name: customer.name, lines: [], net: 0, tax: 0, total: 0 };
      invoices.push(invoice);
    }

    const gross = product.price * line.quantity;
    const net = gross - Math.round((gross * discountPercent(line.quantity)) / 100);
    const tax = Math.round((net * taxRate(taxRates, customer.country, product.category)) / 100);
    invoice.lines.push({ sku: product.sku, title: product.title, quantity: line.quantity, net, tax });
    invoice.net += net;
    invoice.tax += tax;
    invoice.total += net + tax;
  }

  invoices.sort((a, b) => b.total - a.total || (a.customerId < b.customerId ? -1 : 1));
  return { invoices, rejected };
}

export function inputs() {
  let state = 7;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const categories = ['standard', 'food', 'books', 'medical', 'hotel'];
  const countries = ['DE', 'AT', 'FR', 'IT', 'ES', 'NL', 'PL'];
  const rates = countries.flatMap((country) =>
    categories.filter((_, at) => at === 0 || draw(4) > 0).map((category) => ({ country, category, percent: 4 + draw(20) })),
  );
  const title = () => `${['Small', 'Light', 'Blue', 'Solid'][draw(4)]} ${['chair', 'lamp', 'cup', 'book'][draw(4)]}`;
  const call = (lines, products, customers) => [
    Array.from({ length: lines }, () => ({
      customerId: draw(20) === 0 ? 'C1' : `C${2000 + draw(customers)}`,
      sku: draw(20) === 0 ? 'SKU-1' : `SKU-${1000 + draw(products)}`,
      quantity: [1, 2, 12, 25, 120][draw(5)],
    })),
    Array.from({ length: products }, (_, at) => {
      const [sku, price, category] = [`SKU-${1000 + ((at * 7) % products)}`, 300 + draw(29000), categories[draw(5)]];
      return { sku, title: title(), price, category };
    }),
    Array.from({ length: customers }, (_, at) => {
      const name = `${['Anna', 'Otto', 'Vera'][draw(3)]} ${['Graf', 'Huber', 'Jung'][draw(3)]}`;
      return { id: `C${2000 + ((at * 7) % customers)}`, name, country: [...countries, 'SE'][draw(8)] };
    }),
    rates,
  ];
  return [call(4, 4, 2), call(12, 8, 4), call(40, 15, 8), call(600, 260, 180)];
}
