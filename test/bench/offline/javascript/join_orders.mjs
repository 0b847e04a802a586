/** Orders with the name of their customer. */
export function joinOrders(orders, customers) {
  return orders.map((order) => {
    const customer = customers.find((one) => one.id === order.customer);
    return { id: order.id, total: order.total, name: customer === undefined ? 'unknown' : customer.name };
  });
}

export function inputs() {
  const customers = Array.from({ length: 800 }, (_, i) => ({ id: `c${i}`, name: `Customer ${i}` }));
  const orders = Array.from({ length: 800 }, (_, i) => ({ id: i, total: i * 3, customer: `c${(i * 331) % 850}` }));
  return [
    [orders, customers],
    [[], customers],
    [[{ id: 1, total: 2, customer: 'c1' }], customers.slice(0, 3)],
  ];
}
