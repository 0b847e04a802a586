"""The bookings of each account, in the order in which accounts first occur."""


def ledger(bookings):
    accounts = []
    for name, cents in bookings:
        entry = None
        for account in accounts:
            if account["name"] == name:
                entry = account
        if entry is None:
            entry = {"name": name, "bookings": [], "total": 0}
            accounts.append(entry)
        entry["bookings"].append(cents)
        entry["total"] += cents
    return accounts


def inputs():
    many = [["a%d" % (i * 7919 % 300), i * 31 % 500 - 200] for i in range(900)]
    return [[many], [[]], [[["x", 1], ["y", 2], ["x", 3]]]]
