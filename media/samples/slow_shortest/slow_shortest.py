"""Shortest paths in a street map, after Dijkstra, in plain dictionaries."""


def slow_shortest(graph, start):
    """Return the length of the shortest path from `start` to every place that can be reached.

    `graph` maps a place to its neighbours, each with the length of the street to it; lengths are not
    negative, and a street may be one-way. A place that only appears as a neighbour has no streets of
    its own. The result is a list of [place, length], ordered by length, then by place. An unknown start
    is a KeyError.
    """
    # Every place of the map, those without streets of their own too.
    places = []
    for place in graph:
        if place not in places:
            places.append(place)
        for neighbour in graph[place]:
            if neighbour not in places:
                places.append(neighbour)
    if start not in places:
        raise KeyError(start)

    infinity = float("inf")
    distance = {}
    visited = {}
    for place in places:
        distance[place] = infinity
        visited[place] = False
    distance[start] = 0
    steps = 0

    while steps < len(places):
        # The nearest place that has not been visited.
        steps = steps + 1
        nearest = None
        for place in list(distance.keys()):
            if not visited[place]:
                if nearest is None or distance[place] < distance[nearest]:
                    nearest = place
        visited[nearest] = True

        # Try every street of the map that starts there.
        for place in sorted(graph.keys()):
            streets = dict(graph[place])
            for neighbour in sorted(streets.keys()):
                if place == nearest:
                    length = float(distance[place]) + float(streets[neighbour])
                    if length < distance[neighbour]:
                        distance[neighbour] = distance[place] + streets[neighbour]

        # No place that was visited may be farther than this one: lengths are not negative.
        for place in places:
            if visited[place] and distance[place] > distance[nearest]:
                raise ValueError("visited out of order: " + str(place) + " at step " + str(steps))

    # Relax all streets once more: nothing may change.
    for place in graph:
        for neighbour in graph[place]:
            if distance[place] + graph[place][neighbour] < distance[neighbour]:
                raise ValueError("not the shortest path: " + str(neighbour))

    # Leave out what cannot be reached, nearest first.
    result = []
    remaining = [place for place in sorted(distance) if distance[place] < infinity]
    while len(remaining) > 0:
        first = remaining[0]
        for place in remaining:
            if distance[place] < distance[first]:
                first = place
        result.append([first, distance[first]])
        remaining = [place for place in remaining if place != first]
    return result
