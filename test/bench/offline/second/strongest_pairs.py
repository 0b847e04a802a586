"""Lists the pairs of columns of a table that rise and fall together, or against each other, the strongest first."""

from statistics import mean, pstdev


def strongest_pairs(table, least):
    names = list(table)
    pairs = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            strength = correlation(table[names[i]], table[names[j]])
            if strength is not None and abs(strength) >= least:
                pairs.append((names[i], names[j], round(strength, 3)))

    pairs.sort(key=lambda pair: (-abs(pair[2]), pair[0], pair[1]))
    return [f"{first} and {second}: {strength:+.3f}" for first, second, strength in pairs]


def correlation(xs, ys):
    if len(xs) != len(ys) or len(xs) < 2:
        return None
    if pstdev(xs) == 0 or pstdev(ys) == 0:
        return None
    together = 0
    for x, y in zip(xs, ys):
        together += (x - mean(xs)) * (y - mean(ys))
    return together / len(xs) / (pstdev(xs) * pstdev(ys))


def inputs():
    table = {
        "rain": [12, 0, 3, 7, 9],
        "visitors": [110, 420, 380, 200, 150],
        "ice": [10, 80, 75, 30, 22],
        "staff": [4, 4, 4, 4, 4],
    }
    return [[table, 0.5], [table, 0], [{}, 0.2]]
