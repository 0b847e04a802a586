"""Bookings of a room, joined where they touch."""
import random


def merge_intervals(bookings):
    merged = []
    for start, end in sorted(bookings):
        placed = False
        for i in range(len(merged)):
            if merged[i][0] <= start <= merged[i][1]:
                merged[i][1] = max(merged[i][1], end)
                placed = True
        if not placed:
            merged.append([start, end])
    return merged


def inputs():
    rng = random.Random(3)
    bookings = []
    for _ in range(500):
        start = rng.randrange(20000)
        bookings.append([start, start + rng.randrange(1, 15)])
    return [[bookings], [[]], [[[5, 9], [1, 3], [3, 4]]]]
