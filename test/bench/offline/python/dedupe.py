"""Keep the first of each e-mail address, ignoring case."""
import random


def dedupe(addresses):
    kept = []
    lowered = []
    for address in addresses:
        key = address.strip().lower()
        if key not in lowered:
            lowered.append(key)
            kept.append(address)
    return kept


def inputs():
    rng = random.Random(2)
    many = ["User%d@example.com" % rng.randrange(900) for _ in range(1500)]
    return [[many], [[]], [["a@b.c", "A@B.C "]]]
