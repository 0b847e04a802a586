"""Bookings of the same room that overlap."""


def room_conflicts(bookings):
    conflicts = []
    for i in range(len(bookings)):
        for j in range(i + 1, len(bookings)):
            first = bookings[i]
            second = bookings[j]
            if first["room"] != second["room"]:
                continue
            if first["start"] < second["end"] and second["start"] < first["end"]:
                conflicts.append((first["id"], second["id"]))
    return conflicts


def inputs():
    return [
        [
            [
                {"id": 1, "room": "A", "start": 9, "end": 11},
                {"id": 2, "room": "B", "start": 9, "end": 10},
                {"id": 3, "room": "A", "start": 10, "end": 12},
                {"id": 4, "room": "A", "start": 12, "end": 13},
            ]
        ],
        [[{"id": 7, "room": "C", "start": 8, "end": 18}, {"id": 8, "room": "C", "start": 9, "end": 10}]],
    ]
