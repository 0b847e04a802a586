"""Find times at which a group of people can meet."""

from datetime import datetime, timedelta

FORMAT = "%Y-%m-%d %H:%M"


def overlaps(start, end, event):
    event_start = datetime.strptime(event["start"], FORMAT)
    event_end = datetime.strptime(event["end"], FORMAT)
    return event_start < end and start < event_end


def is_free(person, start, end, events):
    for event in events:
        if event["person"] == person and not event.get("cancelled", False):
            if overlaps(start, end, event):
                return False
    return True


def free_meeting_slots(events, people, days, duration=60, opening="09:00", closing="17:00", step=30):
    """List the slots in which everybody in `people` is free.

    `events` have a start and an end, and may be cancelled, with times written
    as "YYYY-MM-DD HH:MM", `days` are "YYYY-MM-DD". Slots start every `step`
    minutes from the opening time and must end by the closing time.
    """
    slots = []
    for day in days:
        start = datetime.strptime(day + " " + opening, FORMAT)
        last = datetime.strptime(day + " " + closing, FORMAT)
        while start + timedelta(minutes=duration) <= last:
            end = start + timedelta(minutes=duration)
            if all(is_free(person, start, end, events) for person in people):
                slots.append({"start": start.strftime(FORMAT), "end": end.strftime(FORMAT)})
            start = start + timedelta(minutes=step)
    return slots


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    names = ["anna", "ben", "clara", "david", "eva", "felix", "greta", "hans", "ida", "jonas", "karl", "lena"]

    def event(days):
        day, minute = 4 + draw(days), 510 + 15 * draw(32)
        end = minute + 30 + 15 * draw(5)
        times = [f"2024-03-{day:02} {m // 60:02}:{m % 60:02}" for m in (minute, end)]
        cancelled = {"cancelled": True} if draw(12) == 0 else {}
        return {"person": names[draw(12)], "start": times[0], "end": times[1], **cancelled}

    days = ["2024-03-04", "2024-03-05", "2024-03-06"]
    return [
        [[event(1) for _ in range(6)], ["anna", "ben"], days[:1]],
        [[event(3) for _ in range(40)], ["anna", "ben"], days[:2], 30],
        [[event(5) for _ in range(120)], ["anna", "david", "eva"], days[:2], 60, "08:00", "18:00", 30],
        [[event(15) for _ in range(420)], ["ben", "greta"], days, 90, "09:00", "17:00", 30],
    ]
