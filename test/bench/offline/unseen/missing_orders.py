"""Orders that were placed and never delivered, with the total of what is open for each customer."""
import random


def missing_orders(placed, delivered):
    open_orders = []
    for order in placed:
        is_there = False
        for parcel in delivered:
            if parcel["order"] == order["id"]:
                is_there = True
        if not is_there:
            open_orders.append(order)
    totals = {}
    for order in open_orders:
        customer = order["customer"]
        totals[customer] = sum(o["cents"] for o in open_orders if o["customer"] == customer)
    return totals


def inputs():
    rng = random.Random(6)
    placed = [{"id": i, "customer": "c%d" % rng.randrange(40), "cents": rng.randrange(100, 9000)} for i in range(300)]
    delivered = [{"order": rng.randrange(400)} for _ in range(250)]
    return [[placed, delivered], [[], []], [[{"id": 1, "customer": "a", "cents": 5}], [{"order": 2}]]]
