"""The table of a football league, level teams being parted by the matches among themselves."""


def team_row(team, matches, win, draw):
    """Adds up the matches of one team."""
    row = {"team": team, "played": 0, "won": 0, "drawn": 0, "lost": 0, "scored": 0, "against": 0, "points": 0}
    for match in matches:
        if team not in (match["home"], match["away"]):
            continue
        if match["home"] == team:
            own, other = match["score"]
        else:
            other, own = match["score"]
        row["played"] += 1
        row["scored"] += own
        row["against"] += other
        if own > other:
            row["won"] += 1
            row["points"] += win
        elif own == other:
            row["drawn"] += 1
            row["points"] += draw
        else:
            row["lost"] += 1
    row["difference"] = row["scored"] - row["against"]
    return row


def part_level(level, played, win, draw):
    """Orders teams with equal points by a small table of their own matches."""
    names = [row["team"] for row in level]
    among = [match for match in played if match["home"] in names and match["away"] in names]
    small = {name: team_row(name, among, win, draw) for name in names}

    def key(row):
        own = small[row["team"]]
        return (-own["points"], -own["difference"], -row["difference"], -row["scored"], row["team"])

    return sorted(level, key=key)


def form(team, matches):
    letters = ""
    for match in matches:
        if team in (match["home"], match["away"]):
            home, away = match["score"]
            if home == away:
                letters += "D"
            else:
                letters += "W" if (home > away) == (match["home"] == team) else "L"
    return letters[-5:]


def league_table(teams, matches, win=3, draw=1, deductions=None):
    """Ranks the teams; a match without a score has not been played yet."""
    for match in matches:
        if match["home"] not in teams or match["away"] not in teams:
            raise ValueError(f"unknown team in {match['home']} - {match['away']}")
    played = [match for match in matches if match.get("score")]
    played.sort(key=lambda match: match.get("round", 0))
    rows = [team_row(team, played, win, draw) for team in teams]
    for row in rows:
        row["points"] -= (deductions or {}).get(row["team"], 0)
    table = []
    for points in sorted({row["points"] for row in rows}, reverse=True):
        table += part_level([row for row in rows if row["points"] == points], played, win, draw)
    for place, row in enumerate(table, start=1):
        row["place"] = place
        row["form"] = form(row["team"], played)
        row["left"] = len([m for m in matches if row["team"] in (m["home"], m["away"]) and not m.get("score")])
    return table


def inputs():
    state = 5

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    def call(count, open_share):
        teams = [f"Team {index + 1:02}" for index in range(count)]
        matches = []
        for home in range(count):
            for away in range(count):
                if home != away:
                    score = None if roll(100) < open_share else [roll(5), roll(4)]
                    entry = {"round": (home + away) % count, "home": teams[home], "away": teams[away], "score": score}
                    matches.append(entry)
        return [teams, matches, 3, 1, {teams[0]: 2}]

    return [call(2, 0), call(6, 20), call(18, 10), call(36, 25)]
