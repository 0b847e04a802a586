"""For each limit, which share of the measurements is at most that."""


def share_below(measurements, limits):
    shares = {}
    for limit in limits:
        count = 0
        for value in measurements:
            if value <= limit:
                count += 1
        shares[limit] = round(count / len(measurements), 3) if measurements else 0
    return shares


def inputs():
    values = [i * 7919 % 1009 for i in range(1000)]
    return [[values, list(range(0, 1000, 7))], [[], [1]], [[1, 2, 2], [2, 0]]]
