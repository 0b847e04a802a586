"""End of term grade report for one course."""


LETTERS = [(90, "A"), (80, "B"), (70, "C"), (60, "D"), (0, "F")]


def letter_for(score):
    for limit, letter in LETTERS:
        if score >= limit:
            return letter
    return "F"


def weighted_score(marks, weights):
    """Weighted mean of the marks; a missing mark counts as zero."""
    total_weight = sum(weights.values())
    if total_weight == 0:
        return 0.0
    total = 0.0
    for name, weight in weights.items():
        mark = marks.get(name)
        if mark is None:
            mark = 0
        total += mark * weight
    return round(total / total_weight, 2)


def grade_report(students, weights):
    """Grade all students of a course.

    students -- list of {"name": ..., "marks": {assignment: mark}}
    weights  -- {assignment: weight}

    Returns the rows ordered by rank (equal scores share a rank), the number
    of students for each letter, and the names of those with missing work.
    """
    rows = []
    missing = []
    for student in students:
        score = weighted_score(student["marks"], weights)
        absent = [a for a in weights if student["marks"].get(a) is None]
        if absent:
            missing.append({"name": student["name"], "assignments": sorted(absent)})
        rows.append({"name": student["name"], "score": score, "letter": letter_for(score)})

    rows.sort(key=lambda row: (-row["score"], row["name"]))

    counts = {letter: 0 for _, letter in LETTERS}
    previous = None
    for position, row in enumerate(rows, start=1):
        if previous is not None and previous["score"] == row["score"]:
            row["rank"] = previous["rank"]
        else:
            row["rank"] = position
        counts[row["letter"]] += 1
        previous = row

    return {"rows": rows, "letters": counts, "missing": missing}


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    first = ["Anna", "Ben", "Clara", "Felix", "Greta", "Nora", "Otto", "Uwe", "Vera", "Zoe"]
    last = ["Adler", "Dietz", "Engel", "Huber", "Jung", "Keller", "Lang", "Otto", "Peters"]
    weights = {"hw1": 5, "hw2": 5, "midterm": 30, "project": 20, "final": 40}

    def student():
        level = 40 + draw(45)
        marks = {name: None if draw(25) == 0 else level + draw(16) for name in weights if draw(25)}
        return {"name": f"{first[draw(10)]} {last[draw(9)]}", "marks": marks}

    return [
        [[student() for _ in range(3)], {"midterm": 40, "final": 60}],
        [[student() for _ in range(30)], weights],
        [[student() for _ in range(160)], weights],
        [[student() for _ in range(470)], weights],
    ]
