"""Batting figures of a cricket club: averages, milestones and recent form."""


def average(innings):
    runs = sum(entry["runs"] for entry in innings)
    dismissals = sum(1 for entry in innings if entry.get("out", True))
    if dismissals == 0:
        return None
    return round(runs / dismissals, 2)


def rolling(innings, window):
    """The total of runs over every stretch of innings of the given length."""
    totals = []
    for index in range(len(innings)):
        stretch = innings[max(0, index - window + 1):index + 1]
        totals.append(sum(entry["runs"] for entry in stretch))
    return totals


def longest_streak(innings, at_least):
    best = 0
    for start in range(len(innings)):
        length = 0
        while start + length < len(innings) and innings[start + length]["runs"] >= at_least:
            length += 1
        best = max(best, length)
    return best


def batting_form(innings, window=5, minimum=1):
    if window < 1:
        raise ValueError("the window must be at least 1")
    players = []
    for entry in innings:
        if entry["player"] not in players:
            players.append(entry["player"])

    table = []
    for player in players:
        own = [entry for entry in innings if entry["player"] == player]
        if len(own) < minimum:
            continue
        own = sorted(own, key=lambda entry: entry["match"])
        totals = rolling(own, window)
        best = max(own, key=lambda entry: entry["runs"])
        balls = sum(entry.get("balls") or 0 for entry in own)
        # The strike rate only takes the innings whose balls were counted.
        scored = sum(entry["runs"] for entry in own if entry.get("balls"))
        table.append({
            "player": player,
            "innings": len(own),
            "average": average(own),
            "strike_rate": round(scored * 100 / balls, 1) if balls else None,
            "best": str(best["runs"]) + ("" if best.get("out", True) else "*"),
            "fifties": sum(1 for entry in own if 50 <= entry["runs"] < 100),
            "hundreds": sum(1 for entry in own if entry["runs"] >= 100),
            "ducks": sum(1 for entry in own if entry["runs"] == 0 and entry.get("out", True)),
            "streak": longest_streak(own, 20),
            "form": totals[-1],
            "peak_match": own[totals.index(max(totals))]["match"],
        })

    def rank(row):
        # Those who were never out come first.
        return (row["average"] is not None, -(row["average"] or 0), row["player"])

    return sorted(table, key=rank)


def inputs():
    seed = 1877

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    calls = []
    for count, people, window, minimum in [(1, 1, 5, 1), (20, 4, 3, 1), (180, 11, 5, 3), (800, 24, 10, 4)]:
        innings = []
        for number in range(count):
            runs = [0, below(10), below(60), 20 + below(30), below(140)][below(5)]
            entry = {"player": f"Player {below(people)}", "match": 1 + number // 9, "runs": runs}
            if below(5) == 0:
                entry["out"] = False
            if below(3):
                entry["balls"] = runs + below(20) if below(6) else None
            innings.append(entry)
        calls.append([innings, window, minimum])
    return calls
