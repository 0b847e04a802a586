"""The busiest stretch of days of a shop, with its average and how far it is above the whole."""


def best_window(sales, length):
    best_start = None
    best_total = 0
    averages = []
    for start in range(len(sales) - length + 1):
        window = sales[start:start + length]
        total = sum(window)
        averages.append(round(total / length, 2))
        if best_start is None or total > best_total:
            best_start = start
            best_total = total
    if best_start is None:
        return None
    overall = sum(sales) / len(sales)
    above = []
    for start in range(len(averages)):
        if averages[start] > sum(sales) / len(sales):
            above.append(start)
    return {
        "start": best_start,
        "end": best_start + length - 1,
        "total": best_total,
        "average": averages[best_start],
        "ahead": round(averages[best_start] - overall, 2),
        "days_above": above,
    }


def inputs():
    return [[[5, 9, 3, 12, 7, 8, 1, 4, 10, 6], 3], [[2, 2], 5]]
