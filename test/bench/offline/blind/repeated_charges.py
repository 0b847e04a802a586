"""Card payments that look as if they had been charged twice."""


def repeated_charges(payments, minutes):
    suspicious = []
    for payment in payments:
        for other in payments:
            if payment["id"] == other["id"]:
                continue
            if payment["card"] != other["card"] or payment["cents"] != other["cents"]:
                continue
            gap = other["minute"] - payment["minute"]
            if gap >= 0 and gap <= minutes:
                pair = [payment["id"], other["id"]]
                if pair not in suspicious and [other["id"], payment["id"]] not in suspicious:
                    suspicious.append(pair)
    total = 0
    for pair in suspicious:
        for payment in payments:
            if payment["id"] == pair[1]:
                total = total + payment["cents"]
    return {"pairs": suspicious, "cents": total}


def inputs():
    return [
        [
            [
                {"id": 1, "card": "4711", "cents": 1250, "minute": 3},
                {"id": 2, "card": "0815", "cents": 800, "minute": 4},
                {"id": 3, "card": "4711", "cents": 1250, "minute": 5},
                {"id": 4, "card": "4711", "cents": 1250, "minute": 90},
                {"id": 5, "card": "0815", "cents": 810, "minute": 6},
            ],
            10,
        ],
        [[{"id": 9, "card": "1", "cents": 5, "minute": 0}, {"id": 8, "card": "1", "cents": 5, "minute": 0}], 1],
    ]
