from fractions import Fraction
from typing import Any


def allocate_seats(
    votes: dict[str, int],
    seats: int,
    threshold_percent: float = 0,
    method: str = "dhondt",
) -> dict[str, Any]:
    """Distribute seats among parties by a highest averages method.

    ``method`` is "dhondt" (divisors 1, 2, 3, ...) or "sainte-lague"
    (divisors 1, 3, 5, ...). Parties below the threshold get nothing. Ties go
    to the party with more votes, then to the alphabetically first.
    """
    if method not in ("dhondt", "sainte-lague"):
        raise ValueError(f"unknown method: {method}")
    if seats < 0:
        raise ValueError("the number of seats cannot be negative")

    total_votes = sum(votes.values())
    eligible = [
        party
        for party, count in votes.items()
        if count > 0 and count * 100 >= threshold_percent * total_votes
    ]
    result = {party: 0 for party in votes}
    order: list[str] = []

    if not eligible:
        return {"seats": result, "order": order, "excluded": sorted(votes)}

    for _ in range(seats):
        quotients = []
        for party in eligible:
            if method == "dhondt":
                divisor = result[party] + 1
            else:
                divisor = 2 * result[party] + 1
            quotients.append((Fraction(votes[party], divisor), votes[party], party))
        quotients.sort(key=lambda q: (-q[0], -q[1], q[2]))
        winner = quotients[0][2]
        result[winner] += 1
        order.append(winner)

    excluded = sorted(party for party in votes if party not in eligible)
    return {"seats": result, "order": order, "excluded": excluded}


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def parties(count, most):
        return {f"List {number:03}": 200 + draw(most) for number in range(count)}

    return [
        [{"A": 340000, "B": 280000, "C": 160000, "D": 60000}, 7],
        [parties(8, 90000), 60, 5, "sainte-lague"],
        [parties(14, 900000), 150, 3],
        [parties(100, 30000), 80, 0.5, "sainte-lague"],
    ]
