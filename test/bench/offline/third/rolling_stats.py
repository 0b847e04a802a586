"""Moving statistics of a series of daily figures."""

from typing import Any


def average(values: list[int]) -> float:
    return sum(values) / len(values)


def variance(values: list[int]) -> float:
    """Sample variance, 0 for a single value."""
    if len(values) < 2:
        return 0.0
    n = len(values)
    total = sum(values)
    squares = sum(v * v for v in values)
    return (n * squares - total * total) / (n * (n - 1))


def rolling_stats(values: list[int], window: int = 7, limit: float = 2.0) -> dict[str, Any]:
    """Moving average, minimum, maximum and deviation of whole-number readings.

    Each point looks back on up to ``window`` readings, itself included; the
    first points have fewer. A reading is reported as an outlier if it is more
    than ``limit`` deviations from the average of its own window, and as a
    record if it is higher than anything seen before.
    """
    if window < 1:
        raise ValueError("window must be at least 1")

    points = []
    outliers = []
    records = []
    for i in range(len(values)):
        start = max(0, i - window + 1)
        recent = values[start : i + 1]
        mean = average(recent)
        deviation = variance(recent) ** 0.5
        points.append(
            {
                "value": values[i],
                "mean": round(mean, 3),
                "low": min(recent),
                "high": max(recent),
                "deviation": round(deviation, 3),
            }
        )
        if deviation > 0 and abs(values[i] - mean) > limit * deviation:
            outliers.append(i)
        if i > 0 and values[i] > max(values[:i]):
            records.append(i)

    return {"points": points, "outliers": outliers, "records": records}


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def series(count):
        values = [1000 + draw(60)]
        while len(values) < count:
            values.append(values[-1] + draw(80) - 39)
        return [value + 400 if draw(40) == 0 else value for value in values]

    return [[[5, 7, 6, 9, 30, 8], 3], [series(120)], [series(700), 28, 2.5], [series(1100), 60, 3]]
