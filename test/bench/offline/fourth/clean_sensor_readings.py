from statistics import median


def without_spikes(points, radius=3, factor=4.0):
    """Drop the points that are far from the median of their neighbours."""
    kept = []
    for index in range(len(points)):
        window = points[max(0, index - radius) : index + radius + 1]
        middle = median([value for _, value in window])
        spread = median([abs(value - middle) for _, value in window])
        if len(window) < 4 or abs(points[index][1] - middle) <= factor * max(spread, 0.5):
            kept.append(points[index])
    return kept


def value_at(points, time, max_gap):
    before = [point for point in points if point[0] <= time]
    after = [point for point in points if point[0] >= time]
    if not before or not after:
        return None
    (start, first), (end, second) = before[-1], after[0]
    if start == end:
        return first
    if end - start > max_gap:
        return None
    return round(first + (second - first) * (time - start) / (end - start), 3)


def clean_sensor_readings(readings, step=60, max_gap=300, limits=None):
    """Clean the raw readings of several sensors and put them on an even grid.

    Of several readings of a sensor at one time the last counts. Missing values
    and those outside of the sensor's limits are dropped, then spikes are.
    Gaps are filled by interpolation unless they are longer than max_gap.
    """
    if step <= 0:
        raise ValueError("step must be positive")
    limits = limits or {}
    result = {}
    for sensor in sorted({reading["sensor"] for reading in readings}):
        own = [reading for reading in readings if reading["sensor"] == sensor]
        low, high = limits.get(sensor, (float("-inf"), float("inf")))
        by_time = {}
        for reading in own:
            if reading.get("value") is not None and low <= reading["value"] <= high:
                by_time[reading["time"]] = reading["value"]
        points = without_spikes(sorted(by_time.items()))
        if not points:
            result[sensor] = {"start": None, "values": [], "dropped": len(own), "gaps": 0}
            continue

        start = points[0][0] - points[0][0] % step
        times = range(start, points[-1][0] + 1, step)
        values = [value_at(points, time, max_gap) for time in times]
        result[sensor] = {
            "start": start,
            "values": values,
            "dropped": len(own) - len(points),
            "gaps": values.count(None),
        }
    return result


def inputs():
    state = 5

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def call(count, sensors):
        readings = []
        for number in range(count):
            value = 200 + draw(40) + number // 20
            if draw(25) == 0:
                value += 400
            readings.append(
                {
                    "sensor": f"s{number % sensors}",
                    "time": 1000 + number // sensors * 55 + draw(20) + (900 if number > count * 2 // 3 else 0),
                    "value": None if draw(30) == 0 else value / 10,
                }
            )
        return readings

    return [
        [call(6, 1)],
        [call(40, 2), 30, 120],
        [call(120, 3), 60, 300, {"s0": [0, 40]}],
        [call(420, 4), 60, 300, {"s1": [0, 50], "s3": [10, 90]}],
    ]
