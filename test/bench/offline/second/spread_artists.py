"""Orders the songs of a playlist so that one artist follows on itself as rarely as possible."""


def spread_artists(songs):
    remaining = list(songs)
    order = []
    repeats = 0
    while remaining:
        artists = [song["artist"] for song in remaining]
        last = order[-1]["artist"] if order else None
        others = [artist for artist in artists if artist != last]
        if not others:
            others = artists
            repeats += 1
        # The artist with the most songs left comes next, or it piles up at the end.
        artist = max(others, key=artists.count)
        song = remaining[artists.index(artist)]
        order.append(song)
        remaining.remove(song)

    lines = []
    for number, song in enumerate(order, start=1):
        passed = sum(earlier["seconds"] for earlier in order[: number - 1])
        lines.append(f"{number}. {passed // 60}:{passed % 60:02} {song['artist']}: {song['title']}")
    return {"lines": lines, "repeats": repeats}


def inputs():
    songs = [
        {"artist": "Nova", "title": "Rise", "seconds": 201},
        {"artist": "Nova", "title": "Fall", "seconds": 185},
        {"artist": "The Kites", "title": "String", "seconds": 240},
        {"artist": "Nova", "title": "Again", "seconds": 152},
        {"artist": "Oda", "title": "Harbour", "seconds": 318},
    ]
    return [[songs], [songs[:2]], [[]]]
