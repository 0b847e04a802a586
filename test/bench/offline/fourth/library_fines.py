from datetime import date, timedelta

LOAN_DAYS = {"book": 21, "magazine": 7, "dvd": 7}
DAILY_FINE = {"book": 20, "magazine": 10, "dvd": 50}
GRACE_DAYS = 2
BLOCK_FROM = 1000


def is_closed(day, holidays):
    return day.weekday() == 6 or day.isoformat() in holidays


def due_date(loan, holidays):
    days = LOAN_DAYS.get(loan["kind"], 14) * (1 + loan.get("renewals", 0))
    due = date.fromisoformat(loan["borrowed"]) + timedelta(days=days)
    while is_closed(due, holidays):
        due += timedelta(days=1)
    return due


def open_days_late(due, returned, holidays):
    """Only days on which the library is open count as late."""
    late = 0
    day = due + timedelta(days=1)
    while day <= returned:
        if not is_closed(day, holidays):
            late += 1
        day += timedelta(days=1)
    return late


def library_fines(loans, members, holidays, today):
    """Works out what every member owes, in cents.

    A loan without ``returned`` is still out. Up to two late days are forgiven,
    children pay half, staff pay nothing, and no fine exceeds the value of the
    item if that is known.
    """
    report = []
    for member in members:
        items = []
        still_late = 0
        for loan in loans:
            if loan["member"] != member["id"]:
                continue
            due = due_date(loan, holidays)
            returned = date.fromisoformat(loan.get("returned") or today)
            late = open_days_late(due, returned, holidays)
            if late > 0 and not loan.get("returned"):
                still_late += 1
            if late <= GRACE_DAYS or member.get("group") == "staff":
                continue
            fine = late * DAILY_FINE.get(loan["kind"], 20)
            if member.get("group") == "child":
                fine //= 2
            if "value" in loan:
                fine = min(fine, loan["value"])
            items.append({"title": loan["title"], "due": due.isoformat(), "late": late, "fine": fine})

        items.sort(key=lambda item: (-item["fine"], item["title"]))
        total = sum(item["fine"] for item in items)
        if items or still_late:
            report.append(
                {
                    "member": member["id"],
                    "total": total,
                    "items": items,
                    "still_late": still_late,
                    "blocked": total >= BLOCK_FROM or still_late > 3,
                }
            )
    return report


def inputs():
    state = 11

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def day(first, span):
        return (date.fromisoformat(first) + timedelta(days=draw(span))).isoformat()

    def call(loan_count, member_count):
        loans = []
        for _ in range(loan_count):
            loan = {
                "member": f"M{draw(member_count)}",
                "title": f"Volume {draw(400)}",
                "kind": ["book", "book", "dvd", "magazine", "map"][draw(5)],
                "borrowed": day("2024-01-02", 90),
                "renewals": draw(3),
            }
            if draw(4) > 0:
                loan["returned"] = day("2024-04-02", 60)
            if draw(3) == 0:
                loan["value"] = 300 + draw(2500)
            loans.append(loan)
        members = [{"id": f"M{n}", "group": ["adult", "adult", "child", "staff"][draw(4)]} for n in range(member_count)]
        holidays = ["2024-01-01", "2024-03-29", "2024-04-01", "2024-05-01", "2024-05-09", "2024-05-20"]
        return [loans, members, holidays, "2024-06-14"]

    return [call(4, 2), call(20, 8), call(60, 25), call(160, 60)]
