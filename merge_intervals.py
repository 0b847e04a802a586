from typing import List


def merge_intervals(intervals: List[List[int]]) -> List[List[int]]:
    """Merge intervals [start, end] that overlap or touch. Raises ValueError if one ends before it starts."""
    for start, end in intervals:
        if start > end:
            raise ValueError(f"interval ends before it starts: {start}, {end}")
    rest = [list(interval) for interval in intervals]
    merged = []
    while rest:
        lowest = rest[0]
        for interval in rest:
            if interval[0] < lowest[0]:
                lowest = interval
        rest.remove(lowest)
        if merged and lowest[0] <= merged[-1][1]:
            if lowest[1] > merged[-1][1]:
                merged[-1][1] = lowest[1]
        else:
            merged.append(lowest)
    return merged
