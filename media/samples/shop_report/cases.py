"""Calls for the sample: one month of a shop, and a few small ones."""
import random


def months():
    rng = random.Random(7)
    cities = ["Bergen", "Oslo", "Tromsø", "Molde"] + ["village %d" % n for n in range(30)]
    customers = [{"id": n, "name": "Customer %d" % n, "city": rng.choice(cities)} for n in range(150)]
    orders = [
        {
            "customer": rng.randrange(170),
            "day": rng.randrange(1, 31),
            "product": "product %d" % rng.randrange(120),
            "amount": rng.randrange(1, 300),
        }
        for _ in range(400)
    ]
    return [[orders, customers], [orders[:3], customers[:2]], [[], []], [orders[:20], []]]
