"""The stops that can be reached from one, in the order in which they are found."""


def reachable_stops(connections, start):
    reached = [start]
    queue = [start]
    while len(queue) > 0:
        stop = queue.pop(0)
        for a, b in connections:
            if a == stop and b not in reached:
                reached.append(b)
                queue.append(b)
            elif b == stop and a not in reached:
                reached.append(a)
                queue.append(a)
    return reached


def inputs():
    return [
        [[["a", "b"], ["b", "c"], ["d", "e"], ["c", "f"], ["f", "a"]], "a"],
        [[["x", "y"], ["y", "z"]], "z"],
    ]
