"""A monthly report of a small shop: what each customer bought, what sells, and how the month went."""


def shop_report(orders, customers):
    """Return the report as a dictionary.

    `orders` are dictionaries with the keys `customer`, `day`, `product` and `amount`; `customers` are
    dictionaries with the keys `id`, `name` and `city`. Orders of unknown customers count as walk-ins.
    """
    # Give each order the name and the city of its customer.
    named = []
    walk_ins = 0
    for order in orders:
        name = None
        city = None
        for customer in customers:
            if customer["id"] == order["customer"]:
                name = customer["name"]
                city = customer["city"]
        if name is None:
            walk_ins += 1
            name, city = "walk-in", "unknown"
        named.append({"name": name, "city": city, "product": order["product"], "amount": order["amount"]})

    # What was sold, in the order of the first sale, and how often.
    products = []
    for order in named:
        if order["product"] not in products:
            products.append(order["product"])
    sold = [order["product"] for order in named]
    sales = []
    for product in products:
        sales.append((product, sold.count(product)))

    # The sales of each city.
    cities = []
    for order in named:
        if order["city"] not in cities:
            cities.append(order["city"])
    by_city = {}
    for city in cities:
        by_city[city] = sum([order["amount"] for order in named if order["city"] == city])

    # The total after each order, for a chart.
    amounts = [order["amount"] for order in named]
    running = []
    for i in range(len(amounts)):
        running.append(sum(amounts[: i + 1]))

    # One line of text for each order.
    lines = ""
    for order in named:
        lines = lines + order["name"] + " bought " + order["product"] + " for " + str(order["amount"]) + "\n"

    best = sorted(sales, key=lambda sale: -sale[1])[:5]
    return {"walk_ins": walk_ins, "best": best, "cities": by_city, "running": running, "text": lines}
