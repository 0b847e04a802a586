import re
from collections import Counter, defaultdict

LINE = re.compile(
    r'^(?P<host>\S+) \S+ (?P<user>\S+) \[(?P<time>[^\]]+)\] '
    r'"(?P<method>[A-Z]+) (?P<path>\S+)[^"]*" (?P<status>\d{3}) (?P<size>\d+|-)$'
)


def clean_path(path: str) -> str:
    """Drop the query string and replace numeric ids, so /a/12?x=1 is /a/:id."""
    path = path.split("?", 1)[0]
    parts = [":id" if part.isdigit() else part for part in path.split("/")]
    return "/".join(parts).rstrip("/") or "/"


def summarize_access_log(lines: list[str], top: int = 5) -> dict:
    """Summarise web server log lines in the common log format.

    Returns the number of requests for each status class and each hour, the
    busiest paths and hosts, the bytes sent for each path and the number of
    lines that could not be read.
    """
    statuses: Counter = Counter()
    hours: Counter = Counter()
    hosts: Counter = Counter()
    paths: Counter = Counter()
    sent: dict[str, int] = defaultdict(int)
    errors: dict[str, int] = defaultdict(int)
    bad_lines = 0

    for line in lines:
        match = LINE.match(line.strip())
        if match is None:
            bad_lines += 1
            continue
        path = clean_path(match.group("path"))
        status = match.group("status")
        size = match.group("size")
        statuses[status[0] + "xx"] += 1
        hours[match.group("time").split(":")[1]] += 1
        hosts[match.group("host")] += 1
        paths[path] += 1
        sent[path] += 0 if size == "-" else int(size)
        if status[0] in "45":
            errors[path] += 1

    busiest = sorted(paths.items(), key=lambda item: (-item[1], item[0]))[:top]
    clients = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:top]
    return {
        "requests": sum(statuses.values()),
        "bad_lines": bad_lines,
        "statuses": dict(sorted(statuses.items())),
        "hours": dict(sorted(hours.items())),
        "paths": [
            {"path": p, "hits": n, "bytes": sent[p], "errors": errors.get(p, 0)} for p, n in busiest
        ],
        "clients": [{"host": h, "hits": n} for h, n in clients],
    }


def inputs():
    state = 7

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    statuses = ["200", "200", "200", "200", "304", "302", "404", "500"]

    def line():
        paths = ["/", "/login", "/static/app.js", f"/items/{draw(400)}", f"/items/{draw(200)}/edit", f"/search?q=x{draw(60)}"]
        path = [*paths, f"/api/users/{draw(80)}?full=1", "/api/orders/"][draw(8)]
        time = f"{4 + draw(3):02}/Mar/2024:{draw(24):02}:{draw(60):02}:{draw(60):02} +0100"
        request = f"{'GET' if draw(5) else 'POST'} {path} HTTP/1.1"
        size = draw(20000) if draw(8) else "-"
        host = f"10.0.{draw(3)}.{1 + draw(20)} - {'-' if draw(4) else 'anna'}"
        return f'{host} [{time}] "{request}" {statuses[draw(8)]} {size}' if draw(60) else "-- truncated --"

    def lines(count):
        return [line() for _ in range(count)]

    return [[lines(5)], [lines(40), 3], [lines(100)], [lines(460), 8]]
