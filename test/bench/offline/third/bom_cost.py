from typing import Optional


def part_cost(part_id: str, parts: dict, path: tuple = ()) -> int:
    """Cost in cents of building one piece of a part, with all it contains."""
    if part_id in path:
        raise ValueError("circular bill of materials: " + " > ".join(path + (part_id,)))
    if part_id not in parts:
        raise KeyError(part_id)
    part = parts[part_id]
    cost = part.get("price", 0) + part.get("labour", 0)
    for component in part.get("components", []):
        cost += component["qty"] * part_cost(component["part"], parts, path + (part_id,))
    return cost


def part_depth(part_id: str, parts: dict) -> int:
    """Number of assembly levels under a part (0 for a bought part)."""
    components = parts[part_id].get("components", [])
    if not components:
        return 0
    return 1 + max(part_depth(c["part"], parts) for c in components)


def bom_cost(parts: dict, orders: list, margin_percent: Optional[int] = None) -> dict:
    """Price a list of orders from the bills of materials.

    ``parts`` maps a part number to {"price", "labour", "components":
    [{"part", "qty"}]}. Each order is {"part", "qty"}. All amounts are in
    cents; the margin, if any, is added to the unit cost and rounded down.
    """
    lines = []
    total = 0
    for order in orders:
        unit = part_cost(order["part"], parts)
        price = unit
        if margin_percent is not None:
            price = unit * (100 + margin_percent) // 100
        amount = price * order["qty"]
        lines.append(
            {
                "part": order["part"],
                "qty": order["qty"],
                "unit_cost": unit,
                "unit_price": price,
                "amount": amount,
                "levels": part_depth(order["part"], parts),
            }
        )
        total += amount
    return {"lines": lines, "total": total}


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def made(levels, width):
        parts = {f"P0{number:02}": {"price": 20 + draw(900)} for number in range(width)}
        for level in range(1, levels):
            for number in range(width):
                below = [{"part": f"P{level - 1}{draw(width):02}", "qty": 1 + draw(6)} for _ in range(2 + draw(2))]
                parts[f"P{level}{number:02}"] = {"labour": 30 + draw(500), "components": below}
        orders = [{"part": f"P{levels - 1 - draw(levels) // 3}{draw(width):02}", "qty": 1 + draw(40)} for _ in range(width)]
        return [parts, orders]

    small = {"bolt": {"price": 12}, "frame": {"price": 9, "labour": 900, "components": [{"part": "bolt", "qty": 16}]}}
    return [[small, [{"part": "frame", "qty": 2}, {"part": "bolt", "qty": 100}]], [*made(4, 10), 20], [*made(7, 55), 25]]
