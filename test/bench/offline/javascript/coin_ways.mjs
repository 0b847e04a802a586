/** In how many ways coins add up to an amount. */
export function coinWays(coins, amount, first) {
  if (amount === 0) {
    return 1;
  }
  if (amount < 0 || first >= coins.length) {
    return 0;
  }
  return coinWays(coins, amount - coins[first], first) + coinWays(coins, amount, first + 1);
}

export function inputs() {
  return [
    [[50, 20, 10, 5, 2, 1], 90, 0],
    [[3, 5], 7, 0],
    [[2], 0, 0],
  ];
}
