from typing import Optional

POINTS = {"1-0": (1.0, 0.0), "0-1": (0.0, 1.0), "1/2-1/2": (0.5, 0.5)}


def games_of(player: str, games: list[dict]) -> list[tuple[Optional[str], float]]:
    """The opponents of a player with the points made against each."""
    found = []
    for game in games:
        if game.get("result") == "bye":
            if game["white"] == player:
                found.append((None, 1.0))
            continue
        if game.get("result") not in POINTS:
            continue
        white, black = POINTS[game["result"]]
        if game["white"] == player:
            found.append((game["black"], white))
        elif game["black"] == player:
            found.append((game["white"], black))
    return found


def score(player: str, games: list[dict]) -> float:
    return sum(points for _, points in games_of(player, games))


def tournament_standings(players: list[str], games: list[dict], drop_worst: bool = False) -> list[dict]:
    """The table of a Swiss tournament.

    Ties are broken by Buchholz (the sum of the opponents' scores, without the
    worst of them if wanted), Sonneborn-Berger and number of wins. Players who
    are equal in everything share a rank and are listed by name.
    """
    table = []
    for player in players:
        own = games_of(player, games)
        opponents = [score(opponent, games) for opponent, _ in own if opponent is not None]
        buchholz = sum(opponents)
        if drop_worst and len(opponents) > 1:
            buchholz -= min(opponents)
        berger = sum(points * score(opponent, games) for opponent, points in own if opponent is not None)
        table.append(
            {
                "player": player,
                "played": len(own),
                "score": score(player, games),
                "buchholz": buchholz,
                "berger": berger,
                "wins": len([1 for _, points in own if points == 1.0]),
            }
        )

    def strength(row: dict) -> tuple:
        return (row["score"], row["buchholz"], row["berger"], row["wins"])

    table.sort(key=lambda row: row["player"])
    table.sort(key=strength, reverse=True)
    for row in table:
        row["rank"] = 1 + len([other for other in table if strength(other) > strength(row)])
    return table


def inputs():
    state = 23

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def call(size, rounds):
        players = [f"Player {number:02}" for number in range(size)]
        games = []
        for _ in range(rounds):
            order = sorted(players, key=lambda _: draw(10000))
            if len(order) % 2:
                games.append({"white": order.pop(), "black": None, "result": "bye"})
            for at in range(0, len(order), 2):
                result = ["1-0", "0-1", "1/2-1/2", "1-0", "1/2-1/2", "0-1", None][draw(7)]
                games.append({"white": order[at], "black": order[at + 1], "result": result})
        return [players, games]

    return [call(4, 3), [*call(9, 5), True], call(14, 6), [*call(27, 7), True]]
