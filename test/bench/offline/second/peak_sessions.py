"""Finds in the log of one day the minute at which the most sessions were open, and who had one then."""


def peak_sessions(lines):
    sessions = []
    for line in lines:
        parts = line.split()
        if len(parts) != 3 or ":" not in parts[0]:
            continue
        hours, minutes = parts[0].split(":")
        minute = int(hours) * 60 + int(minutes)
        if parts[1] == "login":
            sessions.append({"user": parts[2], "start": minute, "end": 24 * 60})
        elif parts[1] == "logout":
            opened = [session for session in sessions if session["user"] == parts[2] and session["end"] == 24 * 60]
            if opened:
                opened[-1]["end"] = minute

    peak = {"time": None, "open": 0, "users": []}
    for session in sessions:
        minute = session["start"]
        users = []
        for other in sessions:
            if other["start"] <= minute < other["end"]:
                users.append(other["user"])
        earlier = peak["time"] is not None and clock(minute) < peak["time"]
        if len(users) > peak["open"] or (len(users) == peak["open"] and earlier):
            peak = {"time": clock(minute), "open": len(users), "users": sorted(set(users))}
    return peak


def clock(minute):
    return f"{minute // 60:02}:{minute % 60:02}"


def inputs():
    lines = [
        "08:55 login ann",
        "09:10 login bob",
        "restart",
        "09:30 logout ann",
        "09:30 login eve",
        "10:05 login ann",
        "11:00 logout eve",
    ]
    return [[lines], [lines[:3]], [[]]]
