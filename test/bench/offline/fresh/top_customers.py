"""The customers who spent most, with their share of all sales."""


def top_customers(orders, count):
    customers = []
    for order in orders:
        if order["customer"] not in customers:
            customers.append(order["customer"])
    totals = []
    for customer in customers:
        total = 0
        for order in orders:
            if order["customer"] == customer:
                total += order["price"] * order["quantity"]
        totals.append((customer, total))
    totals.sort(key=lambda pair: (-pair[1], pair[0]))
    result = []
    for customer, total in totals[:count]:
        share = total / sum(t for _, t in totals) if total else 0
        result.append("%s: %d (%.1f%%)" % (customer, total, share * 100))
    return result


def inputs():
    return [
        [
            [
                {"customer": "ann", "price": 10, "quantity": 2},
                {"customer": "bob", "price": 5, "quantity": 1},
                {"customer": "ann", "price": 3, "quantity": 4},
                {"customer": "cid", "price": 50, "quantity": 1},
            ],
            2,
        ],
        [[{"customer": "ann", "price": 1, "quantity": 1}], 5],
    ]
