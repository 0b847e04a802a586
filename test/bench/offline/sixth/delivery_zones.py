"""Finds the delivery zone of each address on a flat map."""

import math


def area(polygon):
    total = 0.0
    for index, (x1, y1) in enumerate(polygon):
        x2, y2 = polygon[(index + 1) % len(polygon)]
        total += x1 * y2 - x2 * y1
    return abs(total) / 2


def inside(polygon, x, y):
    """Whether a ray to the right crosses the border an odd number of times."""
    result = False
    for index in range(len(polygon)):
        x1, y1 = polygon[index]
        x2, y2 = polygon[index - 1]
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            result = not result
    return result


def distance_to_edge(a, b, x, y):
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = dx * dx + dy * dy
    part = 0.0
    if length > 0:
        part = max(0.0, min(1.0, ((x - a[0]) * dx + (y - a[1]) * dy) / length))
    return math.hypot(x - a[0] - part * dx, y - a[1] - part * dy)


def distance(polygon, x, y):
    return min(distance_to_edge(polygon[i], polygon[i - 1], x, y) for i in range(len(polygon)))


def delivery_zones(zones, addresses, reach=0):
    """Each address gets the zone it lies in, or the nearest within reach for a surcharge of half the fee."""
    for zone in zones:
        if len(zone["polygon"]) < 3:
            raise ValueError(f"zone {zone['name']} has no area")
    results = []
    for address in addresses:
        if address.get("x") is None or address.get("y") is None:
            results.append({"id": address["id"], "zone": None, "reason": "no position"})
            continue
        x, y = address["x"], address["y"]
        around = [zone for zone in zones if inside(zone["polygon"], x, y)]
        if around:
            # The smaller zone of those with the same rank is the more exact one.
            best = min(around, key=lambda zone: (zone.get("rank", 0), area(zone["polygon"]), zone["name"]))
            results.append({"id": address["id"], "zone": best["name"], "fee": best.get("fee", 0)})
            continue
        near = sorted((distance(zone["polygon"], x, y), zone["name"], zone.get("fee", 0)) for zone in zones)
        if near and near[0][0] <= reach:
            gap, name, fee = near[0]
            results.append({"id": address["id"], "zone": name, "fee": round(fee * 1.5, 2), "gap": round(gap, 3)})
        else:
            results.append({"id": address["id"], "zone": None, "reason": "out of reach"})
    counts = {zone["name"]: 0 for zone in zones}
    for result in results:
        if result["zone"] is not None:
            counts[result["zone"]] += 1
    return {"addresses": results, "counts": counts, "unserved": [r["id"] for r in results if r["zone"] is None]}


def inputs():
    state = 8

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    def call(zone_count, address_count):
        zones = []
        for index in range(zone_count):
            x, y, corners = roll(1000), roll(1000), 6 + roll(9)
            polygon = []
            for corner in range(corners):
                turn, radius = 2 * math.pi * corner / corners, 60 + roll(70)
                polygon.append([round(x + radius * math.cos(turn), 1), round(y + radius * math.sin(turn), 1)])
            zones.append({"name": f"Z{index:02}", "polygon": polygon, "rank": roll(2), "fee": 2 + roll(40) / 10})
        addresses = [{"id": index, "x": roll(1000), "y": roll(1000)} for index in range(address_count)]
        return [zones, addresses, 40]

    return [call(1, 2), call(5, 10), call(15, 60), call(30, 110)]
