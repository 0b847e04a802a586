"""Groups the lines of an access log into the visits of each client."""

import re
from collections import Counter
from datetime import datetime, timedelta

LINE = re.compile(
    r"^\[(?P<when>[^\]]+)\] (?P<client>\S+) [A-Z]+ (?P<path>\S+) (?P<status>\d{3})(?: (?P<size>\d+|-))?$"
)


def read_line(line):
    """One line as a dict, or None when it cannot be read."""
    match = LINE.match(line.strip())
    if not match:
        return None
    try:
        when = datetime.strptime(match["when"], "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None
    size = match["size"]
    return {
        "when": when,
        "client": match["client"],
        "path": match["path"].split("?")[0],
        "status": int(match["status"]),
        "size": int(size) if size and size != "-" else 0,
    }


def close_visit(client, hits):
    seconds = int((hits[-1]["when"] - hits[0]["when"]).total_seconds())
    return {
        "client": client,
        "start": hits[0]["when"].isoformat(sep=" "),
        "seconds": seconds,
        "hits": len(hits),
        "bytes": sum(hit["size"] for hit in hits),
        "errors": sum(1 for hit in hits if hit["status"] >= 400),
        "entry": hits[0]["path"],
        "exit": hits[-1]["path"],
    }


def log_sessions(lines, idle_minutes=30, ignored=None):
    """Visits in order of their start, with the most seen pages; a long pause starts a new visit."""
    if idle_minutes <= 0:
        raise ValueError("the pause must be positive")
    idle = timedelta(minutes=idle_minutes)
    unread = 0
    by_client = {}
    pages = Counter()
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        hit = read_line(line)
        if hit is None:
            unread += 1
            continue
        if any(hit["path"].startswith(prefix) for prefix in ignored or []):
            continue
        by_client.setdefault(hit["client"], []).append(hit)
        if hit["status"] < 400:
            pages[hit["path"]] += 1
    visits = []
    for client, hits in by_client.items():
        hits.sort(key=lambda hit: hit["when"])
        current = []
        for hit in hits:
            if current and hit["when"] - current[-1]["when"] > idle:
                visits.append(close_visit(client, current))
                current = []
            current.append(hit)
        visits.append(close_visit(client, current))
    visits.sort(key=lambda visit: (visit["start"], visit["client"]))
    bounced = [visit for visit in visits if visit["hits"] == 1]
    return {
        "visits": visits,
        "top": [[path, count] for path, count in pages.most_common(5)],
        "bounce_rate": round(len(bounced) / len(visits), 3) if visits else None,
        "unread": unread,
    }


def inputs():
    state = 99

    def roll(limit):
        nonlocal state
        state = (state * 1103515245 + 12345) % 2147483648
        return (state >> 8) % limit

    def call(count, clients):
        lines = ["# access log"]
        seconds = 0
        for _ in range(count):
            seconds += roll(70)
            hour, minute, second = seconds // 3600 % 24, seconds // 60 % 60, seconds % 60
            when = f"2024-03-{seconds // 86400 + 1:02} {hour:02}:{minute:02}:{second:02}"
            path = ["/", "/shop", "/shop/cart?step=2", "/about", "/static/site.css", f"/item/{roll(40)}"][roll(6)]
            status = [200, 200, 200, 304, 404, 500][roll(6)]
            lines.append(f"[{when}] 10.0.{roll(clients)}.7 GET {path} {status} {roll(9000)}")
            if roll(50) == 0:
                lines.append("-- rotated --")
        return [lines, 20, ["/static/"]]

    return [call(3, 2), call(60, 8), call(500, 40), call(2200, 120)]
