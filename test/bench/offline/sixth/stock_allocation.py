"""Gives the stock of a warehouse to waiting orders, the lots that expire first going first."""


def lot_order(lot):
    # Lots without a date keep for ever, so they go last.
    return (lot.get("expires") or "9999-12-31", lot["lot"])


def usable_lots(stock, sku, today):
    """Lots of an article that still hold something and have not expired."""
    found = []
    for lot in stock:
        if lot["sku"] != sku or lot["qty"] <= 0:
            continue
        if lot.get("expires") and lot["expires"] <= today:
            continue
        found.append(lot)
    return sorted(found, key=lot_order)


def pick_line(stock, line, today):
    """Takes what a line asks for; returns the picks and the quantity that is missing."""
    missing = line["qty"]
    picks = []
    for lot in usable_lots(stock, line["sku"], today):
        if missing <= 0:
            break
        taken = min(lot["qty"], missing)
        lot["qty"] -= taken
        missing -= taken
        picks.append({"lot": lot["lot"], "sku": line["sku"], "qty": taken})
    return picks, missing


def put_back(stock, picks):
    for pick in picks:
        for lot in stock:
            if lot["lot"] == pick["lot"] and lot["sku"] == pick["sku"]:
                lot["qty"] += pick["qty"]
                break


def stock_allocation(lots, orders, today):
    """Allocates lots to orders by priority; an order that may not be split gets all or nothing."""
    stock = [dict(lot) for lot in lots]
    shipments = []
    short = {}
    waiting = list(enumerate(orders))
    waiting.sort(key=lambda entry: (-(entry[1].get("priority") or 0), entry[0]))
    for _, order in waiting:
        picks = []
        lacking = []
        for line in order.get("lines", []):
            if line["qty"] < 0:
                raise ValueError(f"order {order['id']}: negative quantity of {line['sku']}")
            taken, missing = pick_line(stock, line, today)
            picks += taken
            if missing > 0:
                lacking.append((line["sku"], missing))
        state = "complete"
        if lacking and not order.get("partial"):
            put_back(stock, picks)
            picks = []
            state = "waiting"
        elif lacking:
            state = "partial" if picks else "waiting"
        for sku, missing in lacking:
            short[sku] = short.get(sku, 0) + missing
        shipments.append({"id": order["id"], "state": state, "picks": picks})
    left = {}
    for lot in stock:
        if lot["qty"] > 0:
            left[lot["sku"]] = left.get(lot["sku"], 0) + lot["qty"]
    expired = [lot["lot"] for lot in stock if lot.get("expires") and lot["expires"] <= today and lot["qty"] > 0]
    return {"shipments": shipments, "short": short, "left": left, "expired": expired}


def inputs():
    state = 17

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    def call(lot_count, order_count, skus):
        lots = []
        for index in range(lot_count):
            lot = {"sku": f"A{roll(skus):03}", "lot": f"L{index:04}", "qty": roll(60)}
            if roll(5):
                lot["expires"] = f"2024-{roll(12) + 1:02}-{roll(28) + 1:02}"
            lots.append(lot)
        orders = []
        for index in range(order_count):
            lines = [{"sku": f"A{roll(skus):03}", "qty": roll(25) + 1} for _ in range(roll(5) + 1)]
            orders.append({"id": f"O{index}", "priority": roll(3), "partial": roll(3) > 0, "lines": lines})
        return [lots, orders, "2024-03-15"]

    return [call(4, 2, 2), call(30, 15, 8), call(150, 80, 30), call(600, 300, 90)]
