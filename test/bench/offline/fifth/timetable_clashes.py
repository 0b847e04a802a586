"""Finds clashes in a school timetable: a teacher, room or class in two places at once."""


def minutes(clock):
    hours, _, mins = clock.partition(":")
    value = int(hours) * 60 + int(mins)
    if not 0 <= value <= 24 * 60:
        raise ValueError(f"no such time: {clock}")
    return value


def overlap(first, second):
    if first["day"] != second["day"]:
        return 0
    start = max(minutes(first["start"]), minutes(second["start"]))
    end = min(minutes(first["end"]), minutes(second["end"]))
    return max(0, end - start)


def shared(first, second):
    reasons = []
    if first.get("teacher") and first.get("teacher") == second.get("teacher"):
        reasons.append("teacher " + first["teacher"])
    if first.get("room") and first.get("room") == second.get("room"):
        reasons.append("room " + first["room"])
    for group in first["groups"]:
        if group in second["groups"]:
            reasons.append("class " + group)
    return reasons


def longest_gap(lessons, day):
    """The longest free time between two lessons of a day."""
    today = sorted((lesson for lesson in lessons if lesson["day"] == day), key=lambda l: minutes(l["start"]))
    gaps = [0]
    for index in range(1, len(today)):
        busy_until = max(minutes(lesson["end"]) for lesson in today[:index])
        gaps.append(minutes(today[index]["start"]) - busy_until)
    return max(gaps)


def timetable_clashes(lessons):
    for lesson in lessons:
        if minutes(lesson["end"]) <= minutes(lesson["start"]):
            raise ValueError(f"{lesson['subject']} ends before it starts")

    clashes = []
    for i, first in enumerate(lessons):
        for second in lessons[i + 1:]:
            length = overlap(first, second)
            reasons = shared(first, second)
            if length > 0 and reasons:
                clashes.append({
                    "day": first["day"],
                    "subjects": [first["subject"], second["subject"]],
                    "minutes": length,
                    "because": reasons,
                })
    clashes.sort(key=lambda clash: clash["minutes"], reverse=True)

    gaps = {}
    for lesson in lessons:
        for group in lesson["groups"]:
            own = [other for other in lessons if group in other["groups"]]
            gaps[group] = max(longest_gap(own, day) for day in ["mon", "tue", "wed", "thu", "fri"])
    return {"clashes": clashes, "gaps": gaps}


def inputs():
    seed = 901

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    subjects = ["Maths", "French", "Art", "History", "Physics", "Music"]
    calls = []
    for count in [1, 8, 18, 38]:
        lessons = []
        for _ in range(count):
            start = 480 + 15 * below(24)
            end = start + 45 * (1 + below(2))
            lesson = {
                "subject": subjects[below(6)],
                "day": ["mon", "tue", "wed", "thu", "fri"][below(5)],
                "start": f"{start // 60:02d}:{start % 60:02d}",
                "end": f"{end // 60}:{end % 60:02d}",
                "groups": [f"{5 + below(4)}{'ab'[below(2)]}" for _ in range(1 + below(2))],
            }
            if below(6):
                lesson["teacher"] = ["Ito", "Lund", "Moss", "Ruiz"][below(4)]
            if below(5):
                lesson["room"] = f"R{1 + below(6)}"
            lessons.append(lesson)
        calls.append([lessons])
    return calls
