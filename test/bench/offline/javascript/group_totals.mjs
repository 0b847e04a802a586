/** The total of each category of expenses. */
export function groupTotals(expenses) {
  const categories = expenses.map((one) => one.category).filter((name, index, all) => all.indexOf(name) === index);
  const totals = {};
  for (const category of categories) {
    let total = 0;
    for (const expense of expenses) {
      if (expense.category === category) {
        total += expense.amount;
      }
    }
    totals[category] = total;
  }
  return totals;
}

export function inputs() {
  const expenses = Array.from({ length: 1500 }, (_, i) => ({ category: `k${(i * 7919) % 400}`, amount: (i * 31) % 97 }));
  return [[expenses], [[]], [[{ category: 'a', amount: 3 }]]];
}
