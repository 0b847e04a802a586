"""Looks for times at which a group of people can meet."""


def minutes_of(clock):
    """Minutes since midnight of a time such as 09:30."""
    hours, _, minutes = clock.partition(":")
    if not hours.isdigit() or not minutes.isdigit() or int(minutes) > 59:
        raise ValueError(f"not a time: {clock!r}")
    return int(hours) * 60 + int(minutes)


def clock_of(minutes):
    return f"{minutes // 60:02}:{minutes % 60:02}"


def is_busy(person, day, start, end):
    for entry in person.get("busy", []):
        if entry["day"] != day:
            continue
        begin = minutes_of(entry["from"])
        finish = minutes_of(entry["to"])
        if entry.get("travel"):
            begin -= entry["travel"]
            finish += entry["travel"]
        if begin < end and start < finish:
            return True
    return False


def works_at(person, start, end):
    hours = person.get("hours")
    if not hours:
        return True
    return minutes_of(hours[0]) <= start and end <= minutes_of(hours[1])


def free_slots(people, days, length, step=15, most=5):
    """The best starts: all who are needed can come, and as few of the others as possible are missing."""
    if length <= 0 or step <= 0:
        raise ValueError("length and step must be positive")
    needed = [person for person in people if not person.get("optional")]
    others = [person for person in people if person.get("optional")]
    found = []
    for position, day in enumerate(days):
        opening = minutes_of(day.get("open", "08:00"))
        closing = minutes_of(day.get("close", "18:00"))
        start = opening
        while start + length <= closing:
            end = start + length

            def can_come(person):
                return works_at(person, start, end) and not is_busy(person, day["name"], start, end)

            if all(can_come(person) for person in needed):
                missing = [person["name"] for person in others if not can_come(person)]
                # Nobody likes to meet over lunch.
                lunch = start < 13 * 60 and end > 12 * 60
                found.append((len(missing), lunch, position, start, missing))
            start += step
    found.sort()
    slots = []
    for _, lunch, position, start, missing in found[:most]:
        slots.append({
            "day": days[position]["name"],
            "from": clock_of(start),
            "to": clock_of(start + length),
            "lunch": lunch,
            "missing": sorted(missing),
        })
    return {"slots": slots, "possible": len(found)}


def inputs():
    state = 21

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    names = ["Mon", "Tue", "Wed", "Thu", "Fri"]

    def call(count, day_count, busy, step):
        people = []
        for index in range(count):
            entries = []
            for _ in range(roll(busy) + 1):
                begin = 480 + roll(36) * 15
                finish = begin + 15 + roll(3) * 15
                entry = {"day": names[roll(day_count)], "from": clock_of(begin), "to": clock_of(finish)}
                if roll(6) == 0:
                    entry["travel"] = 10
                entries.append(entry)
            person = {"name": f"P{index:02}", "busy": entries, "optional": index >= 2 + count // 8}
            if roll(3) == 0:
                person["hours"] = ["08:30", "17:30"]
            people.append(person)
        days = [{"name": name} for name in names[:day_count]]
        return [people, days, 45, step, 5]

    return [call(2, 1, 2, 30), call(5, 2, 4, 15), call(12, 5, 10, 15), call(44, 5, 16, 5)]
