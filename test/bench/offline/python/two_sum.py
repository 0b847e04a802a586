"""The positions of the first two prices that add up to a budget."""
import random


def two_sum(prices, budget):
    for i in range(len(prices)):
        for j in range(i + 1, len(prices)):
            if prices[i] + prices[j] == budget:
                return [i, j]
    return None


def inputs():
    rng = random.Random(1)
    prices = [rng.randrange(1, 100000) * 2 for _ in range(400)]
    return [[prices, 999999], [prices, prices[390] + prices[397]], [[], 5], [[3, 4], 7]]
